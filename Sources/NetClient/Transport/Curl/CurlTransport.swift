#if os(Linux)
    import CLibcurl
    public import NetCore

    /// The transport for Linux: libcurl, loaded at run time, on one thread of its own.
    ///
    /// A transport owns its connections and its thread; requests of different transports share nothing. The thread
    /// starts with the first request and ends when the transport is shut down or released. A response whose body is still
    /// being read keeps the transport alive.
    ///
    /// **What it does to a request.** It is sent as written: the path is not normalised, no redirect is followed, no
    /// `.netrc` is read. `Content-Length` and `Transfer-Encoding` are derived from the body, whatever the headers say.
    /// User information in the URL (`https://user:password@host/`) is cut from it and sent as Basic credentials, unless there
    /// is an `Authorization` header. Cookies and default fields
    /// are the client's to add: ``NetworkClient/cookies``.
    ///
    /// **What it needs.** `libcurl.so.4`, 7.71 or later; a ``ServerTrustPolicy`` needs 7.80. Where the library lacks what the
    /// configuration asks for, ``send(_:body:context:)`` throws ``NetworkError/unsupported(_:)`` before any byte is sent.
    ///
    /// ```swift
    /// let client = NetworkClient(transport: CurlTransport())
    /// ```
    public final class CurlTransport: ConfiguredTransport {
        private let core: CurlCore
        package let cookies: CookieStore?
        /// For connections that leave HTTP.
        let duplex: CurlDuplexCore

        /// A transport. Does no work yet: problems with the configuration show with the first request.
        public init(configuration: TransportConfiguration = .init()) {
            core = CurlCore(configuration: configuration)
            duplex = CurlDuplexCore(configuration)
            cookies = .make(configuration.cookies)
        }

        deinit {
            core.stop()
        }

        /// Sends one request.
        ///
        /// - Throws: ``TransportError``, ``NetworkError`` (`invalidURL`, `invalidRequest`, `unsupported`, `responseTooLarge`),
        ///   a ``NetworkFailure`` with the cause `pinningFailed`, or `CancellationError`.
        public func send(
            _ request: URLRequest, body: HTTPBody?, context: RequestContext
        ) async throws -> TransportResponse {
            try Task.checkCancellation()
            let exchange = try CurlExchange(request: request, body: body, context: context, core: core)
            do {
                try await withTaskCancellationHandler {
                    try await withUnsafeThrowingContinuation { continuation in
                        exchange.continuation = continuation
                        core.start(exchange)
                    }
                } onCancel: {
                    core.post(NC_COMMAND_CANCEL, exchange)
                }
            } catch {
                exchange.tookAnswer()
                throw error
            }
            return try await exchange.response(context, keepingAlive: self)
        }

        /// Ends what is in flight with ``TransportError/Code/shutDown``, closes all connections and ends the thread.
        public func shutdown() async {
            await duplex.shutdown()
            await core.shutdown()
        }

        package var configuration: TransportConfiguration { core.configuration }

        /// HTTP/2, where the libraries that are installed do not suffice for it; HTTP/1.1 is spoken then.
        public var missingCapabilities: [TransportCapability: String] {
            CurlEngine.http2Problem.map { [.http2: $0] } ?? [:]
        }
    }
#endif
