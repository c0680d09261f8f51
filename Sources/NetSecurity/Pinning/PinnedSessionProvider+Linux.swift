#if !canImport(Security)
    import NetCore

    extension PinnedSessionProvider {
        static func makeSession(_ policy: PinningPolicy) -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [RefusingProtocol.self]
            return URLSession(configuration: configuration)
        }
    }

    /// Loads nothing: a session that cannot be pinned must not be used as if it were.
    private final class RefusingProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let refusal = NetworkError.unsupported(
                "No URLSession can be pinned on Linux: use Networking(sessionProvider:), or CurlTransport with a trustPolicy."
            )
            client?.urlProtocol(self, didFailWithError: refusal)
        }

        override func stopLoading() {}
    }
#endif
