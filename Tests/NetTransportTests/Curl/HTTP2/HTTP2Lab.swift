#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab

    /// A server that speaks HTTP/2, and what it takes to reach it.
    struct HTTP2Lab {
        let server: MockServer
        let configuration: TransportConfiguration

        private static let certificate = Task { try await MockCertificate.make() }

        init(
            _ settings: MockHTTP2Settings = MockHTTP2Settings(), versions: MockHTTPVersions = .automatic,
            _ handler: @escaping MockServer.Handler = { _ in .text("ok") }
        ) async throws {
            let certificate = try await Tool.openssl.needed(by: Self.self).certificate.value
            server = try MockServer(certificate: certificate, httpVersions: versions, http2: settings, handler)
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: certificate.authority)
            self.configuration = configuration
        }

        func transport(_ change: (inout TransportConfiguration) -> Void = { _ in }) -> CurlTransport {
            var configuration = configuration
            change(&configuration)
            return CurlTransport(configuration: configuration)
        }

        func client(
            _ policy: RetryPolicy = .none, _ change: (inout TransportConfiguration) -> Void = { _ in }
        ) -> NetworkClient { NetworkClient(retryPolicy: policy, transport: transport(change)) }

        static func request(_ url: URL, _ method: String = "GET") -> URLRequest {
            var request = URLRequest(url: url)
            request.httpMethod = method
            return request
        }

        /// A response with its whole body.
        static func send(
            _ request: URLRequest, _ body: HTTPBody? = nil, over transport: CurlTransport,
            _ context: RequestContext = RequestContext()
        ) async throws -> TransportResponse {
            var context = context
            context.delivery = .collected(limit: 1 << 24)
            return try await transport.send(request, body: body, context: context)
        }

        /// A response whose body is read as a stream.
        static func stream(_ url: URL, over transport: CurlTransport) async throws -> TransportResponse {
            var context = RequestContext()
            context.delivery = .streamed
            return try await transport.send(URLRequest(url: url), body: nil, context: context)
        }
    }

    extension MockHTTP2Settings {
        /// - Parameters:
        ///   - streams: the number of streams that a connection carries at the same time.
        ///   - window: the bytes of a body before the first WINDOW_UPDATE.
        init(streams: Int = 128, window: Int = 65_535) {
            self.init()
            maxConcurrentStreams = streams
            initialWindowSize = window
        }
    }

    extension NetworkClient {
        @discardableResult
        func send(_ method: String, _ url: URL, _ body: HTTPBody? = nil) async throws(NetworkFailure)
            -> TransportResponse
        { try await send(HTTP2Lab.request(url, method), body: body, context: nil) }
    }
#endif
