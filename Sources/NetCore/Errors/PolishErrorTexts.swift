/// Polish. Bytes are written "B", because the word is inflected with the number.
struct PolishErrorTexts: ErrorTexts {
    func description(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "Adres URL jest nieprawidłowy."
        case .invalidRequest: "Nie udało się utworzyć żądania."
        case .requestFailed(let status, _): "Serwer odpowiedział kodem \(status)."
        case .decodingError: "Nie udało się odczytać odpowiedzi."
        case .noData: "Serwer nie przesłał żadnych danych."
        case .downloadFailed: "Pobieranie nie powiodło się."
        case .uploadFailed: "Wysyłanie nie powiodło się."
        case .noInternetConnection: "Brak połączenia z internetem."
        case .timeout: "Upłynął limit czasu żądania."
        case .networkUnavailable: "Sieć jest niedostępna."
        case .unknown: "Wystąpił nieznany błąd sieci."
        case .cancelled: "Żądanie zostało anulowane."
        case .encodingError: "Nie udało się zakodować żądania."
        case .circuitOpen(let host, _): "Serwer \(host) jest tymczasowo pomijany."
        case .pinningFailed(let host): "Nie udało się potwierdzić tożsamości serwera \(host)."
        case .bodyNotReplayable: "Żądania nie można wysłać ponownie."
        case .responseTooLarge: "Odpowiedź jest zbyt duża."
        case .tooManyRedirects: "Wystąpiło zbyt wiele przekierowań."
        case .unsupported: "Operacja nie jest obsługiwana."
        }
    }

    func reason(of error: NetworkError) -> String {
        switch error {
        case .invalidURL: "Adres jest błędny albo nie zaczyna się od http ani https."
        case .invalidRequest: "Brakuje części żądania lub jest ona niedozwolona."
        case .requestFailed(400..<500, _): "Serwer nie przyjął żądania."
        case .requestFailed: "Serwer nie mógł przetworzyć żądania."
        case .decodingError: "Odpowiedź zawierała nieoczekiwane dane."
        case .noData: "Żądanie powiodło się, ale odpowiedź jest pusta."
        case .downloadFailed: "Nie udało się w całości odebrać lub zapisać pliku."
        case .uploadFailed: "Nie udało się w całości odczytać lub wysłać danych."
        case .noInternetConnection: "Urządzenie prawdopodobnie jest w trybie offline."
        case .timeout: "Serwer nie odpowiedział na czas."
        case .networkUnavailable: "Nie udało się połączyć z serwerem lub połączenie zostało przerwane."
        case .unknown: "Przyczyna nie jest znana."
        case .cancelled: "Operacja została zatrzymana przed zakończeniem."
        case .encodingError: "Podanych wartości nie można zapisać w formacie żądania."
        case .circuitOpen: "Kilka kolejnych żądań nie powiodło się. Następna próba odbędzie się później."
        case .pinningFailed: "Certyfikaty serwera nie zgadzają się z oczekiwanymi."
        case .bodyNotReplayable: "Dane do wysłania pochodzą ze strumienia, który można odczytać tylko raz."
        case .responseTooLarge(let limit): "Odpowiedź przekracza limit \(limit) B."
        case .tooManyRedirects: "Serwer przekierowywał częściej, niż jest to dozwolone."
        case .unsupported(let advice): "Ta funkcja nie jest tutaj dostępna. \(note(advice))"
        }
    }

    func reason(of problem: TransportProblem) -> String {
        switch problem {
        case .nameNotResolved: "Nie znaleziono adresu serwera."
        case .connectionRefused: "Serwer odrzucił połączenie."
        case .hostUnreachable: "Nie ma trasy sieciowej do serwera."
        case .connectionReset: "Serwer zresetował połączenie."
        case .connectionLost: "Połączenie z serwerem zostało przerwane."
        case .connectTimeout: "Połączenia nie nawiązano na czas."
        case .idleTimeout: "Zbyt długo nie wysłano ani nie odebrano żadnych danych."
        case .totalTimeout: "Żądanie trwało łącznie dłużej, niż jest to dozwolone."
        case .httpToTLS: "Adres zaczyna się od http, ale serwer oczekuje https."
        case .tlsToHTTP: "Adres zaczyna się od https, ale serwer używa http."
        case .secureConnectionFailed: "Nie udało się nawiązać bezpiecznego połączenia z serwerem."
        case .certificateUntrusted: "Certyfikat serwera nie jest zaufany."
        case .clientCertificateRejected: "Certyfikat tego urządzenia nie został zaakceptowany."
        case .proxyFailed: "Serwer proxy jest nieosiągalny lub odrzucił połączenie."
        case .malformedReply: "Serwer przesłał niezrozumiałą odpowiedź."
        case .oversizedHead: "Serwer przesłał więcej danych nagłówka, niż jest to dozwolone."
        case .truncatedBody: "Odpowiedź serwera jest niekompletna."
        case .undecodableContent: "Nie udało się rozpakować zawartości odpowiedzi."
        case .unreadableRequestBody: "Nie udało się w całości odczytać danych do wysłania."
        case .addressNotAllowed: "Adres serwera jest niedozwolony."
        case .unservedRequest: "Serwer nie wykonał żądania."
        case .other: "Połączenie nie powiodło się z nieoczekiwanego powodu."
        }
    }

    func reason(of reason: NetworkUnavailableReason) -> String {
        switch reason {
        case .cellular: "Dostępna jest tylko sieć komórkowa, której użycie jest niedozwolone."
        case .expensive: "Dostępna jest tylko sieć, która może powodować koszty i której użycie jest niedozwolone."
        case .constrained: "Sieć działa w trybie oszczędzania danych."
        case .localNetworkProhibited: "Aplikacja nie ma zgody na używanie sieci lokalnej."
        }
    }

    func failure(in phase: TransportError.Phase?, host: String) -> String {
        switch phase {
        case nil: "Żądanie do serwera \(host) nie powiodło się."
        case .preparing: "Nie udało się rozpocząć żądania do serwera \(host)."
        case .resolving: "Nie udało się ustalić adresu serwera \(host)."
        case .connecting: "Nie udało się otworzyć połączenia z serwerem \(host)."
        case .securing: "Nie udało się uzgodnić bezpiecznego połączenia z serwerem \(host)."
        case .sending: "Nie udało się wysłać żądania do serwera \(host)."
        case .waiting: "Żądanie wysłano do serwera \(host), ale nie nadeszła żadna odpowiedź."
        case .receivingHead: "Nie udało się odebrać początku odpowiedzi serwera \(host)."
        case .receivingBody: "Nie udało się w całości odebrać odpowiedzi serwera \(host)."
        }
    }

    func text(of mismatch: DecodingMismatch) -> String {
        switch mismatch {
        case .unexpected(let path, let expected, let found?):
            "\(place(path)) oczekiwano \(expected), ale znaleziono \(found)."
        case .unexpected(let path, let expected, nil): "\(place(path)) oczekiwano \(expected)."
        case .missing(let key, let path): "\(place(path)) brakuje klucza \(key)."
        case .unfit(let path, let type):
            "\(place(path)) wartość nie pasuje do oczekiwanego typu\(suffix(type))."
        case .malformed: "Dane są nieprawidłowe."
        }
    }

    private func place(_ path: String?) -> String { path.map { "W miejscu \($0)" } ?? "Na najwyższym poziomie" }

    func text(ofContentType contentType: String) -> String { "Odpowiedź ma typ \(contentType), a nie JSON." }

    func note(_ text: String) -> String { "Uwaga techniczna: \(text)" }

    func text(of suggestion: RecoverySuggestion) -> String {
        switch suggestion {
        case .checkConnection: "Sprawdź połączenie z internetem i spróbuj ponownie."
        case .tryLater: "Spróbuj ponownie później."
        case .signIn: "Zaloguj się ponownie."
        case .checkStorage: "Sprawdź, czy jest wystarczająco dużo wolnego miejsca, i spróbuj ponownie."
        case .checkFile: "Sprawdź, czy plik nadal istnieje i można go odczytać, a następnie spróbuj ponownie."
        case .checkClockOrNetwork: "Sprawdź datę i godzinę urządzenia lub użyj innej sieci."
        }
    }
}
