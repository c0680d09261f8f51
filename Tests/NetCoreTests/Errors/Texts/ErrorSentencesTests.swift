import Testing

@testable import NetCore

private let secretURL = URL(string: "https://u5er:s3cr3t@api.example.com:8443/s3cr3t/p?token=s3cr3t#s3cr3t")
private let unknown = "An unknown network error occurred."

@Suite struct ErrorSentencesTests {
    @Test(arguments: TransportError.Code.allCases.filter { $0 != .shutDown }, TransportError.Phase.allCases)
    func textOfATransportErrorHasHostPhaseAndReason(_ code: TransportError.Code, _ phase: TransportError.Phase) throws {
        let transport = TransportError(code, phase: phase, message: "m", url: secretURL)
        let failure = NetworkFailure(transport)
        let problem = try #require(TransportProblem(transport))
        for language in ErrorLanguage.allCases {
            let text = failure.localizedDescription(in: Locale(identifier: language.rawValue))
            #expect(text.contains(language.text(.failure(phase, host: "api.example.com:8443"))))
            #expect(text.hasSuffix(language.text(.problem(problem))) && text.contains(" api.example.com:8443"))
            #expect(!text.contains("s3cr3t") && !text.contains("u5er"))
            #expect(!text.contains(language.text(.description(.unknown(nil)))))
        }
        #expect(failure.description.contains("\(code.rawValue) while \(phase.rawValue): m"))
        #expect(!failure.description.contains("s3cr3t@"))
    }

    @Test(arguments: TransportError.UnavailableReason.allCases)
    func textOfAnOfflineFailureHasTheReason(_ reason: TransportError.UnavailableReason) {
        var transport = TransportError(.hostUnreachable, phase: .connecting, message: "m", url: secretURL)
        transport.networkUnavailableReason = reason
        let failure = NetworkFailure(cause: .noInternetConnection, underlyingError: transport)
        for language in ErrorLanguage.allCases {
            let locale = Locale(identifier: language.rawValue)
            let (offline, why) = (language.text(.description(failure.cause)), language.text(.unavailable(reason)))
            #expect(failure.localizedDescription(in: locale) == "\(offline) \(why)")
            #expect(failure.failureReason(in: locale) == why)
        }
    }

    @Test func hostOfTheTransportOrOfTheRequest() throws {
        let lookup = NetworkError.unknown(
            TransportError(.nameNotResolved, phase: .resolving, message: "m", url: secretURL))
        #expect(
            lookup.localizedDescription(in: english)
                == "The address of the server api.example.com:8443 could not be looked up. "
                + "The address of the server could not be found.")
        #expect(lookup.description == "name_not_resolved while resolving: m (api.example.com:8443)")
        let failure = NetworkFailure(
            cause: .networkUnavailable, request: RequestSnapshot(URLRequest(url: try #require(secretURL))),
            underlyingError: TransportError(.connectionLost, phase: .receivingBody, message: "m"))
        #expect(
            failure.localizedDescription(in: english)
                == "The response from the server api.example.com:8443 could not be received completely. "
                + "The connection to the server was lost.")
        #expect(failure.failureReason(in: english) == "The connection to the server was lost.")
    }

    @Test(arguments: [
        (URLError.Code.cannotFindHost, "The address of the server api.example.com:8443 could not be looked up."),
        (.cannotConnectToHost, "A connection to the server api.example.com:8443 could not be opened."),
        (.networkConnectionLost, "The request to the server api.example.com:8443 failed."),
        (.timedOut, "The request timed out. The request to the server api.example.com:8443 failed."),
    ]) func textsOfURLErrors(_ code: URLError.Code, _ start: String) throws {
        let error = URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: try #require(secretURL)])
        let text = NetworkFailure(error).localizedDescription(in: english)
        #expect(text.hasPrefix(start), "\(text)")
        #expect(!text.contains("s3cr3t"))
    }

    @Test func textOfAnUnknownErrorIsThatOfAnErrorOfOursWithin() {
        for error in [nil, PluginError(), URLError(.unknown)] as [(any Error)?] {
            #expect(NetworkError.unknown(error).localizedDescription(in: english) == unknown)
        }
        func text(_ error: any Error) -> String { NetworkError.unknown(error).localizedDescription(in: english) }
        #expect(text(NetworkError.noData) == "The server sent no data.")
        #expect(text(TransportError(.shutDown, phase: .waiting, message: "")) == "The request was cancelled.")
        let timeout = NetworkError.unknown(NetworkFailure.timeout())
        #expect(timeout.failureReason(in: english) == "The server did not answer in time.")
        let invalid = NetworkError.unknown(RequestBuildingError("No key."))
        #expect(invalid.localizedDescription(in: Locale(identifier: "de")) == "Technischer Hinweis: No key.")
    }

    /// A failed refresh is the underlying error of a 401. Its URL has a path, which no text for users shows.
    @Test func textOfAStatusHasNoURLOfAnotherRequest() throws {
        let request = URLRequest(url: try #require(secretURL))
        let underlying: [(any Error, String)] = [
            (NetworkFailure(wrapping: NetworkError.timeout, request: request), ""), (NetworkError.timeout, ""),
            (TransportError(.connectionLost, phase: .waiting, message: "m", url: secretURL), ""),
            (RequestBuildingError("The session ended."), " The session ended."),
        ]
        for (error, reason) in underlying {
            let failure = NetworkFailure(
                cause: .requestFailed(statusCode: 401, data: nil), request: RequestSnapshot(request),
                underlyingError: error)
            #expect(failure.localizedDescription(in: english) == "Server responded with code 401.\(reason)")
        }
    }

    @Test func textOfAnInvalidRequestNamesTheRule() {
        let failure = NetworkFailure(RequestBuildingError.invalidHeader("X-Name"))
        #expect(
            failure.localizedDescription(in: english).hasPrefix("The request could not be built. The header 'X-Name' "))
        #expect(failure.failureReason(in: english).hasPrefix("The header 'X-Name' cannot be sent"))
        let spanish = failure.localizedDescription(in: Locale(identifier: "es"))
        #expect(spanish.hasPrefix("No se pudo crear la solicitud. Nota técnica: The header 'X-Name'"))
        #expect(failure.description.hasPrefix("invalid_request, The header 'X-Name'"))
        #expect(NetworkFailure.invalidRequest().localizedDescription(in: english) == "The request could not be built.")
    }

    @Test(arguments: [
        ("https://a.example", "a.example"), ("http://u:p@a.example:80/p", "a.example:80"),
        ("http://[::1]:8080/", "[::1]:8080"), ("http://a@b@c.example?x", "c.example"),
        ("http://a.example#f", "a.example"), ("/p", nil), ("http:///p", nil), ("", nil),
    ]) func authorityOfAURL(_ url: String, _ authority: String?) { #expect(url.authority == authority) }
}
