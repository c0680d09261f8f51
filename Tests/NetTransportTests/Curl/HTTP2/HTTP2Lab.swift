#if os(Linux)
    import NetClient
    import NetTesting

    /// A server that speaks HTTP/2, and what it takes to reach it.
    struct HTTP2Lab {
        let server: MockServer
        /// A transport with the default settings.
        let transport: CurlTransport
        private let authorities: TransportConfiguration.CertificateAuthorities

        init(
            _ settings: MockHTTP2Settings = MockHTTP2Settings(), versions: MockHTTPVersions = .automatic,
            sendsContinue: Bool = true, _ handler: @escaping MockServer.Handler = { _ in .text("ok") }
        ) async throws {
            server = try MockServer(
                certificate: try await .shared, httpVersions: versions, http2: settings, sendsContinue: sendsContinue,
                handler)
            authorities = .only(pem: try await MockCertificate.shared.authority)
            transport = CurlTransport { [authorities] in $0.certificateAuthorities = authorities }
        }

        func transport(_ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { $0.certificateAuthorities = authorities }
        }

        func client(_ policy: RetryPolicy = .none, _ change: SettingsChange = { _ in }) -> NetworkClient {
            NetworkClient(retryPolicy: policy, transport: transport(change))
        }
    }

    extension MockHTTP2Settings {
        /// With the streams of a connection at the same time, and the bytes of a body before the first WINDOW_UPDATE.
        init(streams: Int = 128, window: Int = 65_535) {
            self.init()
            maxConcurrentStreams = streams
            initialWindowSize = window
        }
    }

    extension NetworkClient {
        @discardableResult
        func send(
            _ method: String, _ url: URL, _ body: HTTPBody? = nil
        ) async throws(NetworkFailure) -> TransportResponse {
            try await send(URLRequest(url, method), body: body, context: nil)
        }
    }
#endif
