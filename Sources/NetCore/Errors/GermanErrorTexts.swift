/// German, without a form of address: neither "Sie" nor "du".
struct GermanErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "Die URL ist ungültig."
        case .invalidRequest: "Die Anfrage konnte nicht erstellt werden."
        case .requestFailed(let status, _): "Der Server hat mit dem Code \(status) geantwortet."
        case .decodingError: "Die Antwort konnte nicht gelesen werden."
        case .noData: "Der Server hat keine Daten gesendet."
        case .downloadFailed: "Der Download ist fehlgeschlagen."
        case .uploadFailed: "Der Upload ist fehlgeschlagen."
        case .noInternetConnection: "Keine Internetverbindung."
        case .timeout: "Zeitüberschreitung bei der Anfrage."
        case .networkUnavailable: "Das Netzwerk ist nicht verfügbar."
        case .unknown: "Ein unbekannter Netzwerkfehler ist aufgetreten."
        case .cancelled: "Die Anfrage wurde abgebrochen."
        case .encodingError: "Die Anfrage konnte nicht kodiert werden."
        case .circuitOpen(let host, _): "Der Server \(host) wird vorübergehend nicht verwendet."
        case .pinningFailed(let host): "Die Identität des Servers \(host) konnte nicht bestätigt werden."
        case .bodyNotReplayable: "Die Anfrage kann nicht erneut gesendet werden."
        case .responseTooLarge: "Die Antwort ist zu groß."
        case .tooManyRedirects: "Es gab zu viele Weiterleitungen."
        case .unsupported: "Der Vorgang wird nicht unterstützt."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "Die Adresse ist fehlerhaft oder beginnt weder mit http noch mit https."
        case .invalidRequest: "Ein Teil der Anfrage fehlt oder ist nicht zulässig."
        case .requestFailed(400..<500, _): "Der Server hat die Anfrage nicht angenommen."
        case .requestFailed: "Der Server konnte die Anfrage nicht verarbeiten."
        case .decodingError: "Die Antwort enthielt unerwartete Daten."
        case .noData: "Die Antwort war erfolgreich, aber leer."
        case .downloadFailed: "Die Datei konnte nicht vollständig empfangen oder gespeichert werden."
        case .uploadFailed: "Die Daten konnten nicht vollständig gelesen oder gesendet werden."
        case .noInternetConnection: "Das Gerät ist offenbar offline."
        case .timeout: "Der Server hat nicht rechtzeitig geantwortet."
        case .networkUnavailable: "Die Verbindung zum Server kam nicht zustande oder ging verloren."
        case .unknown: "Der Grund ist nicht bekannt."
        case .cancelled: "Der Vorgang wurde vor seinem Ende gestoppt."
        case .encodingError: "Die angegebenen Werte lassen sich nicht im Format der Anfrage darstellen."
        case .circuitOpen: "Mehrere Anfragen in Folge sind fehlgeschlagen. Später folgt ein neuer Versuch."
        case .pinningFailed: "Die Zertifikate des Servers stimmen nicht mit den erwarteten überein."
        case .bodyNotReplayable: "Die zu sendenden Daten sind ein Datenstrom, der nur einmal gelesen werden kann."
        case .responseTooLarge(let limit): "Die Antwort überschreitet die Grenze von \(limit) Byte."
        case .tooManyRedirects: "Der Server hat öfter weitergeleitet als erlaubt."
        case .unsupported(let advice): "Diese Funktion ist hier nicht verfügbar. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "Die Adresse des Servers wurde nicht gefunden."
        case .connectionRefused: "Der Server hat die Verbindung abgelehnt."
        case .hostUnreachable: "Es gibt keinen Weg durch das Netz zum Server."
        case .connectionReset: "Der Server hat die Verbindung zurückgesetzt."
        case .connectionLost: "Die Verbindung zum Server ging verloren."
        case .connectTimeout: "Die Verbindung kam nicht rechtzeitig zustande."
        case .idleTimeout: "Zu lange wurden keine Daten gesendet oder empfangen."
        case .totalTimeout: "Die Anfrage hat insgesamt länger gedauert als erlaubt."
        case .httpToTLS: "Die Adresse beginnt mit http, der Server erwartet aber https."
        case .tlsToHTTP: "Die Adresse beginnt mit https, der Server spricht aber http."
        case .secureConnectionFailed: "Eine sichere Verbindung zum Server konnte nicht hergestellt werden."
        case .certificateUntrusted: "Das Zertifikat des Servers ist nicht vertrauenswürdig."
        case .clientCertificateRejected: "Das Zertifikat dieses Geräts wurde nicht akzeptiert."
        case .proxyFailed: "Der Proxyserver war nicht erreichbar oder hat die Verbindung abgelehnt."
        case .malformedReply: "Der Server hat eine unverständliche Antwort gesendet."
        case .oversizedHead: "Der Server hat mehr Kopfdaten gesendet als zulässig."
        case .truncatedBody: "Die Antwort des Servers ist unvollständig."
        case .undecodableContent: "Der Inhalt der Antwort konnte nicht entpackt werden."
        case .unreadableRequestBody: "Die zu sendenden Daten konnten nicht vollständig gelesen werden."
        case .addressNotAllowed: "Die Adresse des Servers ist nicht zugelassen."
        case .unservedRequest: "Der Server hat die Anfrage nicht ausgeführt."
        case .other: "Die Verbindung ist aus einem unerwarteten Grund fehlgeschlagen."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Nur ein Mobilfunknetz ist verfügbar, dessen Nutzung nicht erlaubt ist."
        case .expensive:
            "Nur ein Netzwerk, das Kosten verursachen kann, ist verfügbar, und dessen Nutzung ist nicht erlaubt."
        case .constrained: "Für das Netzwerk ist der Datensparmodus eingeschaltet."
        case .localNetworkProhibited: "Die App darf das lokale Netzwerk nicht verwenden."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "Die Anfrage an den Server \(host) ist fehlgeschlagen."
        case .preparing: "Die Anfrage an den Server \(host) konnte nicht begonnen werden."
        case .resolving: "Die Adresse des Servers \(host) konnte nicht ermittelt werden."
        case .connecting: "Eine Verbindung zum Server \(host) konnte nicht aufgebaut werden."
        case .securing: "Eine sichere Verbindung zum Server \(host) konnte nicht ausgehandelt werden."
        case .sending: "Die Anfrage konnte nicht an den Server \(host) gesendet werden."
        case .waiting: "Die Anfrage wurde an den Server \(host) gesendet, aber es kam keine Antwort."
        case .receivingHead: "Der Anfang der Antwort des Servers \(host) konnte nicht empfangen werden."
        case .receivingBody: "Die Antwort des Servers \(host) konnte nicht vollständig empfangen werden."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)) wurde \(expected) erwartet, aber \(found) gefunden."
        case .unexpected(let path, let expected, nil): "\(place(path)) wurde \(expected) erwartet."
        case .missing(let key, let path): "\(place(path)) fehlt der Schlüssel \(key)."
        case .unfit(let path, let type):
            "\(place(path)) passt der Wert nicht zum erwarteten Typ\(suffix(type))."
        case .malformed: "Die Daten sind fehlerhaft."
        }
    }

    private func place(_ path: String?) -> String { path.map { "Bei \($0)" } ?? "Auf der obersten Ebene" }

    func text(ofContentType contentType: String) -> String { "Die Antwort ist \(contentType), nicht JSON." }

    func note(_ text: String) -> String { "Technischer Hinweis: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Internetverbindung prüfen und erneut versuchen."
        case .tryLater: "Später erneut versuchen."
        case .signIn: "Erneut anmelden."
        case .checkStorage: "Prüfen, ob genügend Speicherplatz frei ist, und erneut versuchen."
        case .checkFile: "Prüfen, ob die Datei noch vorhanden und lesbar ist, und erneut versuchen."
        case .checkClockOrNetwork: "Datum und Uhrzeit des Geräts prüfen oder ein anderes Netzwerk verwenden."
        }
    }
}
