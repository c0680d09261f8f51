/// Dutch, without a form of address: neither "u" nor "je".
struct DutchErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "De URL is ongeldig."
        case .invalidRequest: "Het verzoek kon niet worden opgesteld."
        case .requestFailed(let status, _): "De server antwoordde met code \(status)."
        case .decodingError: "Het antwoord kon niet worden gedecodeerd."
        case .noData: "De server heeft geen gegevens gestuurd."
        case .downloadFailed: "De download is mislukt."
        case .uploadFailed: "De upload is mislukt."
        case .noInternetConnection: "Geen internetverbinding."
        case .timeout: "De wachttijd voor het verzoek is verstreken."
        case .networkUnavailable: "Het netwerk is niet beschikbaar."
        case .unknown: "Er is een onbekende netwerkfout opgetreden."
        case .cancelled: "Het verzoek is geannuleerd."
        case .encodingError: "Het verzoek kon niet worden gecodeerd."
        case .circuitOpen(let host, _): "De server \(host) wordt tijdelijk niet gebruikt."
        case .pinningFailed(let host): "De identiteit van de server \(host) kon niet worden gecontroleerd."
        case .bodyNotReplayable: "Het verzoek kan niet opnieuw worden verzonden."
        case .responseTooLarge: "Het antwoord is te groot."
        case .tooManyRedirects: "Er waren te veel omleidingen."
        case .unsupported: "De bewerking wordt niet ondersteund."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "Het adres is onjuist of begint niet met http of https."
        case .invalidRequest: "Een deel van het verzoek ontbreekt of is niet toegestaan."
        case .requestFailed(400..<500, _): "De server heeft het verzoek niet geaccepteerd."
        case .requestFailed: "De server kon het verzoek niet verwerken."
        case .decodingError: "Het antwoord bevatte onverwachte gegevens."
        case .noData: "Het verzoek is geslaagd, maar het antwoord is leeg."
        case .downloadFailed: "Het bestand kon niet volledig worden ontvangen of opgeslagen."
        case .uploadFailed: "De gegevens konden niet volledig worden gelezen of verzonden."
        case .noInternetConnection: "Het apparaat lijkt offline te zijn."
        case .timeout: "De server heeft niet op tijd geantwoord."
        case .networkUnavailable: "De verbinding met de server kwam niet tot stand of is verbroken."
        case .unknown: "De oorzaak is niet bekend."
        case .cancelled: "De bewerking is gestopt voordat deze voltooid was."
        case .encodingError: "De opgegeven waarden kunnen niet worden omgezet naar de indeling van het verzoek."
        case .circuitOpen: "Meerdere verzoeken achter elkaar zijn mislukt. Later volgt een nieuwe poging."
        case .pinningFailed: "De certificaten van de server komen niet overeen met de verwachte certificaten."
        case .bodyNotReplayable: "De te verzenden gegevens komen uit een stroom die maar één keer kan worden gelezen."
        case .responseTooLarge(let limit): "Het antwoord is groter dan de limiet van \(limit) bytes."
        case .tooManyRedirects: "De server heeft vaker omgeleid dan toegestaan."
        case .unsupported(let advice): "Deze functie is hier niet beschikbaar. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "Het adres van de server is niet gevonden."
        case .connectionRefused: "De server heeft de verbinding geweigerd."
        case .hostUnreachable: "Er is geen netwerkroute naar de server."
        case .connectionReset: "De server heeft de verbinding opnieuw ingesteld."
        case .connectionLost: "De verbinding met de server is verbroken."
        case .connectTimeout: "De verbinding kwam niet op tijd tot stand."
        case .idleTimeout: "Er zijn te lang geen gegevens verzonden of ontvangen."
        case .totalTimeout: "Het verzoek heeft in totaal langer geduurd dan toegestaan."
        case .httpToTLS: "Het adres begint met http, maar de server verwacht https."
        case .tlsToHTTP: "Het adres begint met https, maar de server gebruikt http."
        case .secureConnectionFailed: "Er kon geen beveiligde verbinding met de server worden gemaakt."
        case .certificateUntrusted: "Het certificaat van de server wordt niet vertrouwd."
        case .clientCertificateRejected: "Het certificaat van dit apparaat is niet geaccepteerd."
        case .proxyFailed: "De proxyserver was niet bereikbaar of heeft de verbinding geweigerd."
        case .malformedReply: "De server heeft een onbegrijpelijk antwoord gestuurd."
        case .oversizedHead: "De server heeft meer headergegevens gestuurd dan toegestaan."
        case .truncatedBody: "Het antwoord van de server is onvolledig."
        case .undecodableContent: "De inhoud van het antwoord kon niet worden uitgepakt."
        case .unreadableRequestBody: "De te verzenden gegevens konden niet volledig worden gelezen."
        case .addressNotAllowed: "Het adres van de server is niet toegestaan."
        case .unservedRequest: "De server heeft het verzoek niet uitgevoerd."
        case .other: "De verbinding is om een onverwachte reden mislukt."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Alleen een mobiel netwerk is beschikbaar en het gebruik ervan is niet toegestaan."
        case .expensive:
            "Alleen een netwerk dat kosten kan veroorzaken is beschikbaar en het gebruik ervan is niet toegestaan."
        case .constrained: "Het netwerk staat in de lagedatamodus."
        case .localNetworkProhibited: "De app mag het lokale netwerk niet gebruiken."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "Het verzoek aan de server \(host) is mislukt."
        case .preparing: "Het verzoek aan de server \(host) kon niet worden gestart."
        case .resolving: "Het adres van de server \(host) kon niet worden opgezocht."
        case .connecting: "Er kon geen verbinding met de server \(host) worden geopend."
        case .securing: "Er kon geen beveiligde verbinding met de server \(host) worden afgesproken."
        case .sending: "Het verzoek kon niet naar de server \(host) worden verzonden."
        case .waiting: "Het verzoek is naar de server \(host) verzonden, maar er kwam geen antwoord."
        case .receivingHead: "Het begin van het antwoord van de server \(host) kon niet worden ontvangen."
        case .receivingBody: "Het antwoord van de server \(host) kon niet volledig worden ontvangen."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)) werd \(expected) verwacht, maar \(found) gevonden."
        case .unexpected(let path, let expected, nil): "\(place(path)) werd \(expected) verwacht."
        case .missing(let key, let path): "\(place(path)) ontbreekt de sleutel \(key)."
        case .unfit(let path, let type):
            "\(place(path)) past de waarde niet bij het verwachte type\(suffix(type))."
        case .malformed: "De gegevens zijn ongeldig."
        }
    }

    private func place(_ path: String?) -> String { path.map { "Bij \($0)" } ?? "Op het bovenste niveau" }

    func text(ofContentType contentType: String) -> String { "Het antwoord is \(contentType), geen JSON." }

    func note(_ text: String) -> String { "Technische toelichting: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Controleer de internetverbinding en probeer het opnieuw."
        case .tryLater: "Probeer het later opnieuw."
        case .signIn: "Meld opnieuw aan."
        case .checkStorage: "Controleer of er genoeg opslagruimte vrij is en probeer het opnieuw."
        case .checkFile: "Controleer of het bestand nog bestaat en leesbaar is en probeer het opnieuw."
        case .checkClockOrNetwork: "Controleer de datum en tijd van het apparaat of gebruik een ander netwerk."
        }
    }
}
