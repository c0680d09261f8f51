extension ErrorText {
    /// Dutch, without a form of address: neither "u" nor "je".
    var dutch: String {
        switch self {
        case .description(.invalidURL): "De URL is ongeldig."
        case .description(.invalidRequest): "Het verzoek kon niet worden opgesteld."
        case .description(.requestFailed(let status, _)): "De server antwoordde met code \(status)."
        case .description(.decodingError): "Het antwoord kon niet worden gedecodeerd."
        case .description(.noData): "De server heeft geen gegevens gestuurd."
        case .description(.downloadFailed): "De download is mislukt."
        case .description(.uploadFailed): "De upload is mislukt."
        case .description(.noInternetConnection): "Geen internetverbinding."
        case .description(.timeout): "De wachttijd voor het verzoek is verstreken."
        case .description(.networkUnavailable): "Het netwerk is niet beschikbaar."
        case .description(.unknown): "Er is een onbekende netwerkfout opgetreden."
        case .description(.cancelled): "Het verzoek is geannuleerd."
        case .description(.encodingError): "Het verzoek kon niet worden gecodeerd."
        case .description(.circuitOpen(let host, _)): "De server \(host) wordt tijdelijk niet gebruikt."
        case .description(.pinningFailed(let host)):
            "De identiteit van de server \(host) kon niet worden gecontroleerd."
        case .description(.bodyNotReplayable): "Het verzoek kan niet opnieuw worden verzonden."
        case .description(.responseTooLarge): "Het antwoord is te groot."
        case .description(.tooManyRedirects): "Er waren te veel omleidingen."
        case .description(.unsupported): "De bewerking wordt niet ondersteund."
        case .reason(.invalidURL): "Het adres is onjuist of begint niet met http of https."
        case .reason(.invalidRequest): "Een deel van het verzoek ontbreekt of is niet toegestaan."
        case .reason(.requestFailed(400..<500, _)): "De server heeft het verzoek niet geaccepteerd."
        case .reason(.requestFailed): "De server kon het verzoek niet verwerken."
        case .reason(.decodingError): "Het antwoord bevatte onverwachte gegevens."
        case .reason(.noData): "Het verzoek is geslaagd, maar het antwoord is leeg."
        case .reason(.downloadFailed): "Het bestand kon niet volledig worden ontvangen of opgeslagen."
        case .reason(.uploadFailed): "De gegevens konden niet volledig worden gelezen of verzonden."
        case .reason(.noInternetConnection): "Het apparaat lijkt offline te zijn."
        case .reason(.timeout): "De server heeft niet op tijd geantwoord."
        case .reason(.networkUnavailable): "De verbinding met de server kwam niet tot stand of is verbroken."
        case .reason(.unknown): "De oorzaak is niet bekend."
        case .reason(.cancelled): "De bewerking is gestopt voordat deze voltooid was."
        case .reason(.encodingError):
            "De opgegeven waarden kunnen niet worden omgezet naar de indeling van het verzoek."
        case .reason(.circuitOpen): "Meerdere verzoeken achter elkaar zijn mislukt. Later volgt een nieuwe poging."
        case .reason(.pinningFailed): "De certificaten van de server komen niet overeen met de verwachte certificaten."
        case .reason(.bodyNotReplayable):
            "De te verzenden gegevens komen uit een stroom die maar één keer kan worden gelezen."
        case .reason(.responseTooLarge(let limit)): "Het antwoord is groter dan de limiet van \(limit) bytes."
        case .reason(.tooManyRedirects): "De server heeft vaker omgeleid dan toegestaan."
        case .reason(.unsupported(let advice)): "Deze functie is hier niet beschikbaar. \(Self.note(advice).dutch)"
        case .problem(.nameNotResolved): "Het adres van de server is niet gevonden."
        case .problem(.connectionRefused): "De server heeft de verbinding geweigerd."
        case .problem(.hostUnreachable): "Er is geen netwerkroute naar de server."
        case .problem(.connectionReset): "De server heeft de verbinding opnieuw ingesteld."
        case .problem(.connectionLost): "De verbinding met de server is verbroken."
        case .problem(.connectTimeout): "De verbinding kwam niet op tijd tot stand."
        case .problem(.idleTimeout): "Er zijn te lang geen gegevens verzonden of ontvangen."
        case .problem(.totalTimeout): "Het verzoek heeft in totaal langer geduurd dan toegestaan."
        case .problem(.httpToTLS): "Het adres begint met http, maar de server verwacht https."
        case .problem(.tlsToHTTP): "Het adres begint met https, maar de server gebruikt http."
        case .problem(.secureConnectionFailed): "Er kon geen beveiligde verbinding met de server worden gemaakt."
        case .problem(.certificateUntrusted): "Het certificaat van de server wordt niet vertrouwd."
        case .problem(.clientCertificateRejected): "Het certificaat van dit apparaat is niet geaccepteerd."
        case .problem(.proxyFailed): "De proxyserver was niet bereikbaar of heeft de verbinding geweigerd."
        case .problem(.malformedReply): "De server heeft een onbegrijpelijk antwoord gestuurd."
        case .problem(.oversizedHead): "De server heeft meer headergegevens gestuurd dan toegestaan."
        case .problem(.truncatedBody): "Het antwoord van de server is onvolledig."
        case .problem(.undecodableContent): "De inhoud van het antwoord kon niet worden uitgepakt."
        case .problem(.unreadableRequestBody): "De te verzenden gegevens konden niet volledig worden gelezen."
        case .problem(.addressNotAllowed): "Het adres van de server is niet toegestaan."
        case .problem(.unservedRequest): "De server heeft het verzoek niet uitgevoerd."
        case .problem(.other): "De verbinding is om een onverwachte reden mislukt."
        case .unavailable(.cellular):
            "Alleen een mobiel netwerk is beschikbaar en het gebruik ervan is niet toegestaan."
        case .unavailable(.expensive):
            "Alleen een netwerk dat kosten kan veroorzaken is beschikbaar en het gebruik ervan is niet toegestaan."
        case .unavailable(.constrained): "Het netwerk staat in de lagedatamodus."
        case .unavailable(.localNetworkProhibited): "De app mag het lokale netwerk niet gebruiken."
        case .failure(nil, let host): "Het verzoek aan de server \(host) is mislukt."
        case .failure(.preparing, let host): "Het verzoek aan de server \(host) kon niet worden gestart."
        case .failure(.resolving, let host): "Het adres van de server \(host) kon niet worden opgezocht."
        case .failure(.connecting, let host): "Er kon geen verbinding met de server \(host) worden geopend."
        case .failure(.securing, let host):
            "Er kon geen beveiligde verbinding met de server \(host) worden afgesproken."
        case .failure(.sending, let host): "Het verzoek kon niet naar de server \(host) worden verzonden."
        case .failure(.waiting, let host):
            "Het verzoek is naar de server \(host) verzonden, maar er kwam geen antwoord."
        case .failure(.receivingHead, let host):
            "Het begin van het antwoord van de server \(host) kon niet worden ontvangen."
        case .failure(.receivingBody, let host):
            "Het antwoord van de server \(host) kon niet volledig worden ontvangen."
        case .mismatch(.unexpected(let path, let expected, let found?)):
            "\(place(path)) werd \(expected) verwacht, maar \(found) gevonden."
        case .mismatch(.unexpected(let path, let expected, nil)): "\(place(path)) werd \(expected) verwacht."
        case .mismatch(.missing(let key, let path)): "\(place(path)) ontbreekt de sleutel \(key)."
        case .mismatch(.unfit(let path, let type)):
            "\(place(path)) past de waarde niet bij het verwachte type\(suffix(type))."
        case .mismatch(.malformed): "De gegevens zijn ongeldig."
        case .contentType(let contentType): "Het antwoord is \(contentType), geen JSON."
        case .note(let text): "Technische toelichting: \(text)"
        case .suggestion(.checkConnection): "Controleer de internetverbinding en probeer het opnieuw."
        case .suggestion(.tryLater): "Probeer het later opnieuw."
        case .suggestion(.signIn): "Meld opnieuw aan."
        case .suggestion(.checkStorage): "Controleer of er genoeg opslagruimte vrij is en probeer het opnieuw."
        case .suggestion(.checkFile): "Controleer of het bestand nog bestaat en leesbaar is en probeer het opnieuw."
        case .suggestion(.checkClockOrNetwork):
            "Controleer de datum en tijd van het apparaat of gebruik een ander netwerk."
        }
    }

    private func place(_ path: String?) -> String { path.map { "Bij \($0)" } ?? "Op het bovenste niveau" }
}
