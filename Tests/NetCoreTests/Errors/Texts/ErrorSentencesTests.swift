import Testing

@testable import NetCore

private let english = Locale(identifier: "en")
private let url = URL(string: "https://u5er:s3cr3t@api.example.com:8443/s3cr3t/p?token=s3cr3t#s3cr3t")
private let unknown = "An unknown network error occurred."

@Suite struct ErrorSentencesTests {
    /// Host, phase and reason, for each thing that a transport can report.
    @Test(arguments: TransportError.Code.allCases.filter { $0 != .shutDown }, TransportError.Phase.allCases)
    func failuresNameHostPhaseAndReason(_ code: TransportError.Code, _ phase: TransportError.Phase) throws {
        let transport = TransportError(code, phase: phase, message: "m", url: url)
        let failure = NetworkFailure(transport)
        let problem = try #require(TransportProblem(transport))
        for language in ErrorLanguage.allCases {
            let text = failure.localizedDescription(in: Locale(identifier: language.rawValue))
            #expect(text.contains(language.text(.failure(phase, host: "api.example.com:8443"))))
            #expect(text.hasSuffix(language.text(.problem(problem))))
            #expect(text.contains(" api.example.com:8443"))
            #expect(!text.contains("s3cr3t") && !text.contains("u5er"))
            #expect(!text.contains(language.text(.description(.unknown(nil)))))
        }
        #expect(failure.description.contains("\(code.rawValue) while \(phase.rawValue): m"))
        #expect(!failure.description.contains("s3cr3t@"))
    }

    @Test(arguments: NetworkUnavailableReason.allCases)
    func theReasonWhyNoNetworkIsUsed(_ reason: NetworkUnavailableReason) {
        var transport = TransportError(.hostUnreachable, phase: .connecting, message: "m", url: url)
        transport.networkUnavailableReason = reason
        let failure = NetworkFailure(cause: .noInternetConnection, underlyingError: transport)
        for language in ErrorLanguage.allCases {
            let locale = Locale(identifier: language.rawValue)
            let (offline, why) = (language.text(.description(failure.cause)), language.text(.unavailable(reason)))
            #expect(failure.localizedDescription(in: locale) == "\(offline) \(why)")
            #expect(failure.failureReason(in: locale) == why)
        }
    }

    @Test(arguments: ErrorLanguage.allCases) func eachPhaseHasASentenceOfItsOwn(_ language: ErrorLanguage) {
        let phases: [TransportError.Phase?] = [nil] + TransportError.Phase.allCases
        let sentences = phases.map { language.text(.failure($0, host: "a.example")) }
        #expect(Set(sentences).count == phases.count)
        for sentence in sentences {
            #expect(sentence.first?.isUppercase == true && sentence.hasSuffix("."), "\(sentence)")
            #expect(sentence.contains(" a.example"))
        }
    }

    @Test func anUnknownHost() {
        let error = NetworkError.unknown(TransportError(.nameNotResolved, phase: .resolving, message: "m", url: url))
        #expect(
            error.localizedDescription(in: english)
                == "The address of the server api.example.com:8443 could not be looked up. "
                + "The address of the server could not be found.")
        #expect(error.description == "name_not_resolved while resolving: m (api.example.com:8443)")
    }

    @Test func theFailureKnowsTheHostWhereTheTransportDoesNot() throws {
        let error = TransportError(.connectionLost, phase: .receivingBody, message: "m")
        let failure = NetworkFailure(
            cause: .networkUnavailable, request: RequestSnapshot(URLRequest(url: try #require(url))),
            underlyingError: error)
        #expect(
            failure.localizedDescription(in: english)
                == "The response from the server api.example.com:8443 could not be received completely. "
                + "The connection to the server was lost.")
        #expect(failure.failureReason(in: english) == "The connection to the server was lost.")
    }

    /// What a plugin's own session throws.
    @Test(arguments: [
        (URLError.Code.cannotFindHost, "The address of the server api.example.com:8443 could not be looked up."),
        (.cannotConnectToHost, "A connection to the server api.example.com:8443 could not be opened."),
        (.networkConnectionLost, "The request to the server api.example.com:8443 failed."),
        (.timedOut, "The request timed out. The request to the server api.example.com:8443 failed."),
    ])
    func urlErrors(_ code: URLError.Code, _ start: String) throws {
        let error = URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: try #require(url)])
        let text = NetworkFailure(error).localizedDescription(in: english)
        #expect(text.hasPrefix(start), "\(text)")
        #expect(!text.contains("s3cr3t"))
    }

    @Test func anUnknownErrorHasTheTextOfItsCase() {
        #expect(NetworkError.unknown(nil).localizedDescription(in: english) == unknown)
        #expect(NetworkError.unknown(PluginError()).localizedDescription(in: english) == unknown)
        #expect(NetworkError.unknown(URLError(.unknown)).localizedDescription(in: english) == unknown)
    }

    /// An error of ours that something has put into `unknown` speaks for itself.
    @Test func wrappedErrorsSpeak() {
        #expect(
            NetworkError.unknown(NetworkError.noData).localizedDescription(in: english) == "The server sent no data.")
        #expect(
            NetworkError.unknown(NetworkFailure.timeout()).failureReason(in: english)
                == "The server did not answer in time.")
        #expect(
            NetworkError.unknown(RequestBuildingError("No key.")).localizedDescription(in: Locale(identifier: "de"))
                == "Technischer Hinweis: No key.")
        let shutDown = NetworkError.unknown(TransportError(.shutDown, phase: .waiting, message: ""))
        #expect(shutDown.localizedDescription(in: english) == "The request was cancelled.")
    }

    /// A refresh that failed lies beneath a 401. Its URL has a path, which no text for users shows.
    @Test func statusesShowNoURLOfAnotherRequest() throws {
        let request = URLRequest(url: try #require(url))
        let underlying: [any Error] = [
            NetworkFailure(wrapping: NetworkError.timeout, request: request),
            TransportError(.connectionLost, phase: .waiting, message: "m", url: url), NetworkError.timeout,
        ]
        for error in underlying {
            let failure = NetworkFailure(
                cause: .requestFailed(statusCode: 401, data: nil), request: RequestSnapshot(request),
                underlyingError: error)
            #expect(failure.localizedDescription(in: english) == "Server responded with code 401.")
        }
        let failure = NetworkFailure(
            cause: .requestFailed(statusCode: 401, data: nil),
            underlyingError: RequestBuildingError("The session ended."))
        #expect(failure.localizedDescription(in: english) == "Server responded with code 401. The session ended.")
    }

    @Test func invalidRequestsNameTheRule() {
        let failure = NetworkFailure(RequestBuildingError.invalidHeader("X-Name"))
        #expect(
            failure.localizedDescription(in: english).hasPrefix("The request could not be built. The header 'X-Name' "))
        #expect(failure.failureReason(in: english).hasPrefix("The header 'X-Name' cannot be sent"))
        #expect(
            failure.localizedDescription(in: Locale(identifier: "es")).hasPrefix(
                "No se pudo crear la solicitud. Nota técnica: The header 'X-Name'"))
        #expect(failure.description.hasPrefix("invalid_request, The header 'X-Name'"))
        #expect(NetworkFailure.invalidRequest().localizedDescription(in: english) == "The request could not be built.")
    }

    @Test(arguments: [
        ("https://a.example", "a.example"), ("http://u:p@a.example:80/p", "a.example:80"),
        ("http://[::1]:8080/", "[::1]:8080"), ("http://a@b@c.example?x", "c.example"),
        ("http://a.example#f", "a.example"), ("/p", nil), ("http:///p", nil), ("", nil),
    ])
    func authorities(_ url: String, _ authority: String?) { #expect(url.authority == authority) }
}
