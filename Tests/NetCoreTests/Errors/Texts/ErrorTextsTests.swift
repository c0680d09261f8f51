import Testing

@testable import NetCore

/// Each case that has texts, repeated where a text depends on the values.
private let samples: [NetworkError] =
    allErrors.map(\.error) + [
        .requestFailed(statusCode: 404, data: nil), .requestFailed(statusCode: 401, data: nil),
        .requestFailed(statusCode: 302, data: nil), .unknown(nil),
    ] + TransportError.Code.allCases.map { .unknown(TransportError($0, phase: .waiting, message: "m")) }

private let foreign = ErrorLanguage.allCases.filter { $0 != .english }

@Suite struct ErrorTextsTests {
    private func texts(of error: NetworkError, in language: ErrorLanguage) -> [String] {
        let locale = Locale(identifier: language.rawValue)
        return [error.localizedDescription(in: locale), error.failureReason(in: locale)]
            + [error.recoverySuggestion(in: locale)].compactMap { $0 }
    }

    private func reasons(in language: ErrorLanguage) -> [String] {
        TransportProblem.allCases.map { language.text(.problem($0)) }
            + TransportError.UnavailableReason.allCases.map { language.text(.unavailable($0)) }
            + phases(in: language) + mismatches(in: language)
    }

    private func phases(in language: ErrorLanguage) -> [String] {
        ([nil] + TransportError.Phase.allCases).map { language.text(.failure($0, host: "a.example")) }
    }

    private func mismatches(in language: ErrorLanguage) -> [String] {
        let mismatches: [(problem: DecodingMismatch.Problem, path: String?)] = [
            (.unexpected(expected: "Int", found: "string"), "a[1].b"), (.missing(key: "id"), "a[1].b"),
            (.unfit(type: "Role"), "a[1].b"), (.unexpected(expected: "Int", found: nil), "a[1].b"),
            (.unexpected(expected: "Int", found: "null"), nil), (.missing(key: "id"), nil), (.unfit(type: nil), nil),
            (.malformed, nil),
        ]
        return [language.text(.contentType("text/html"))]
            + mismatches.map { language.text(.mismatch($0.problem, at: language.text(.place($0.path)))) }
    }

    @Test(arguments: foreign) func eachTextIsTranslated(_ language: ErrorLanguage) {
        for error in samples {
            let foreign = texts(of: error, in: language)
            let english = texts(of: error, in: .english)
            #expect(foreign.count == english.count)
            for (text, original) in zip(foreign, english) { #expect(text != original, "\(error)") }
        }
        for (text, original) in zip(reasons(in: language), reasons(in: .english)) { #expect(text != original) }
    }

    @Test(arguments: ErrorLanguage.allCases) func eachTextIsASentence(_ language: ErrorLanguage) {
        let texts =
            samples.flatMap { self.texts(of: $0, in: language) } + reasons(in: language)
            + RecoverySuggestion.allCases.map { language.text(.suggestion($0)) }
        for text in texts {
            #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
            #expect(text == text.trimmingCharacters(in: .whitespacesAndNewlines) && !text.contains("  "), "\(text)")
        }
    }

    @Test(arguments: ErrorLanguage.allCases) func textsDifferByCase(_ language: ErrorLanguage) {
        let errors = allErrors.map(\.error)
        for texts in [
            errors.map { language.text(.description($0)) },
            errors.map { language.text(.reason($0)) } + reasons(in: language),
            RecoverySuggestion.allCases.map { language.text(.suggestion($0)) },
        ] { #expect(Set(texts).count == texts.count) }
    }

    /// Only the two kinds of Portuguese may share a sentence.
    @Test func textsDifferByLanguage() {
        var owners: [String: ErrorLanguage] = [:]
        var shared = 0
        for language in ErrorLanguage.allCases {
            for text in Set(samples.flatMap { texts(of: $0, in: language) }) {
                if let other = owners[text] {
                    #expect(Set([other, language]) == [.brazilianPortuguese, .europeanPortuguese], "\(text)")
                    shared += 1
                }
                owners[text] = language
            }
        }
        #expect(shared < 10)
    }

    @Test func wordsOfPortugalAndBrazil() {
        func words(_ language: ErrorLanguage) -> Set<String> {
            let text = samples.flatMap { texts(of: $0, in: language) }.joined(separator: " ").lowercased()
            return Set(text.split { !$0.isLetter }.map(String.init))
        }
        let portugal: Set = ["ficheiro", "ligação", "pedido", "aceite"]
        let brazil: Set = ["arquivo", "conexão", "solicitação", "aceito", "sendo"]
        #expect(words(.europeanPortuguese).intersection(portugal.union(brazil)) == portugal)
        #expect(words(.brazilianPortuguese).intersection(portugal.union(brazil)) == brazil)
    }

    @Test(arguments: ErrorLanguage.allCases) func textsHaveTheirValues(_ language: ErrorLanguage) {
        let errors: [(NetworkError, Int, String)] = [
            (.requestFailed(statusCode: 418, data: nil), 0, "418"), (.pinningFailed(host: "a.example"), 0, "a.example"),
            (.circuitOpen(host: "a.example", until: Date(timeIntervalSince1970: 0)), 0, "a.example"),
            (.responseTooLarge(limit: 1_234_567), 1, "1234567"), (.responseTooLarge(limit: .min), 1, "\(Int.min)"),
        ]
        #expect(phases(in: language).allSatisfy { $0.contains(" a.example") })
        let values = [["text/html"], ["a[1].b", "Int", "string"], ["id", "a[1].b"], ["Role", "a[1].b"]]
        for (text, values) in zip(mismatches(in: language), values) { #expect(values.allSatisfy(text.contains)) }
        for (error, index, value) in errors { #expect(texts(of: error, in: language)[index].contains(value)) }
        #expect(texts(of: .unsupported("Use %@ \\(x)."), in: language)[1].hasSuffix("Use %@ \\(x)."))
    }

    /// A host comes from outside. It must not start a line or change the direction of the text.
    @Test(arguments: ErrorLanguage.allCases) func hostsAreSanitized(_ language: ErrorLanguage) {
        let host = "a\r\nb\u{202E}c\u{2066}" + String(repeating: "d", count: 1000)
        for error in [NetworkError.pinningFailed(host: host), .circuitOpen(host: host, until: Date())] {
            let text = texts(of: error, in: language)[0]
            #expect(text.contains("a  bcd") && !text.contains { $0.isNewline } && text.count < 400)
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .format })
        }
    }

    /// DNS, TLS and malformed responses are explained. The transport's own line stays in the description.
    @Test func textsOfTransportErrors() {
        let error = NetworkError.unknown(TransportError(.nameNotResolved, phase: .resolving, message: "curl 6"))
        #expect(error.localizedDescription(in: english) == "The address of the server could not be found.")
        #expect(error.failureReason(in: english) == "The address of the server could not be found.")
        #expect(error.failureReason(in: Locale(identifier: "de-AT")) == "Die Adresse des Servers wurde nicht gefunden.")
        #expect(error.recoverySuggestion(in: english) == "Check the internet connection and try again.")
        #expect(error.description.contains("curl 6"))
        let failure = NetworkFailure(wrapping: URLError(.serverCertificateUntrusted), request: nil)
        #expect(failure.failureReason(in: english) == "The certificate of the server is not trusted.")
        #expect(failure.recoverySuggestion(in: Locale(identifier: "pl"))?.hasPrefix("Sprawdź datę") == true)
        #expect(failure.localizedDescription(in: Locale(identifier: "fr_FR")).hasPrefix("Le certificat"))
        #expect(NetworkError.unknown(PluginError()).failureReason(in: english) == "The reason is not known.")
        let idle = NetworkError.unknown(TransportError(.idleTimeout, phase: .waiting, message: ""))
        #expect(idle.failureReason(in: english) == "No data was sent or received for too long.")
    }

    @Test func recoverySuggestions() {
        func suggestion(_ error: NetworkError) -> String? { error.recoverySuggestion(in: english) }
        #expect(suggestion(.requestFailed(statusCode: 401, data: nil)) == "Sign in again.")
        #expect(suggestion(.requestFailed(statusCode: 503, data: nil)) == "Try again later.")
        #expect(suggestion(.requestFailed(statusCode: 404, data: nil)) == nil)
        #expect(suggestion(.uploadFailed(nil))?.contains("file") == true)
        for error in [NetworkError.cancelled, .invalidURL, .unsupported("x"), .unknown(nil)] {
            #expect(suggestion(error) == nil)
        }
    }

    @Test func textsForFoundationAreInTheLanguageOfTheProcess() {
        let language = Locale(identifier: ErrorLanguage.current.rawValue)
        for error in samples {
            let expected = [
                error.localizedDescription(in: language), error.failureReason(in: language),
                error.recoverySuggestion(in: language),
            ]
            for error in [error, NetworkFailure(cause: error)] as [any LocalizedError] {
                #expect([error.errorDescription, error.failureReason, error.recoverySuggestion] == expected)
                #expect((error as any Error).localizedDescription == expected[0])
            }
        }
    }

    @Test(arguments: [
        (["en"], ErrorLanguage.english), (["en-GB", "de"], .english), (["de"], .german), (["de-AT"], .german),
        (["de_CH.UTF-8"], .german), (["de_DE@euro"], .german), (["DE-Latn-DE"], .german), (["es-419"], .spanish),
        (["fr-CA"], .french), (["it"], .italian), (["nl-BE"], .dutch), (["pl_PL"], .polish),
        (["pt"], .brazilianPortuguese), (["pt-BR"], .brazilianPortuguese), (["pt-Latn-BR"], .brazilianPortuguese),
        (["pt-US"], .brazilianPortuguese), (["pt-PT"], .europeanPortuguese), (["pt_PT.UTF-8"], .europeanPortuguese),
        (["pt-AO"], .europeanPortuguese), (["pt-Latn-MZ"], .europeanPortuguese),
        // The user's next language comes before English.
        (["ja-JP", "nl", "de"], .dutch), (["ja", "zh-Hans"], .english), ([], .english),
        // Languages that only begin alike.
        (["den"], .english), (["est"], .english), (["ptx-PT"], .english),
        ([""], .english), (["-"], .english), (["_DE"], .german), (["."], .english), (["\u{0}💥"], .english),
    ]) func preferredLanguageIsMatched(_ preferred: [String], language: ErrorLanguage) {
        #expect(ErrorLanguage(preferred: preferred) == language)
    }

    /// As gettext.
    @Test(arguments: [
        ([:], []), (["LANG": "de_DE.UTF-8"], ["de_DE.UTF-8"]), (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], ["fr_FR"]),
        (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "pl_PL"], ["pl_PL"]),
        (["LANG": "de_DE", "LC_ALL": ""], ["de_DE"]), (["LANG": ""], []),
        (["LANG": "de_DE", "LANGUAGE": "nl:fr"], ["nl", "fr", "de_DE"]),
        (["LANG": "de_DE", "LANGUAGE": ":"], ["de_DE"]),
        (["LANGUAGE": "nl"], []), (["LANG": "C", "LANGUAGE": "nl"], []), (["LANG": "POSIX", "LANGUAGE": "nl"], []),
        (["LANG": "C.UTF-8", "LANGUAGE": "nl"], []), (["LANG": "de_DE", "LC_ALL": "C"], []),
    ]) func languagesOfTheEnvironment(_ variables: [String: String], languages: [String]) {
        #expect(SystemLanguages.languages(in: variables) == languages)
    }
}
