/// Dutch, without addressing anybody: neither "u" nor "je".
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
        case .unsupported(let advice): "Deze functie is hier niet beschikbaar. Technische toelichting: \(advice)"
        }
    }

    func reason(of trouble: TransportTrouble) -> String {
        switch trouble {
        case .nameNotResolved: "Het adres van de server is niet gevonden."
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
        case .other: "De verbinding is om een onverwachte reden mislukt."
        }
    }

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
