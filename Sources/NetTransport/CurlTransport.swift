#if os(Linux)
    import CLibcurl
    public import NetCore

    /// The transport for Linux: libcurl, loaded at run time.
    ///
    /// A transport owns its connections, and shares them with no other transport. They open with the first request, and close when the
    /// transport is shut down or released. A response whose body is being read keeps the transport alive.
    ///
    /// **Threads.** A transport has a thread of its own while it has requests, and for a second after. Then it shares one thread with all
    /// other transports without requests. A transport with a ``TransportConfiguration/trustPolicy`` keeps its thread.
    ///
    /// **Requests** are sent as written: the transport does not normalise the path, follow redirects or read `.netrc`. It derives
    /// `Content-Length` and `Transfer-Encoding` from the body, whatever the headers say. It removes user information from the URL
    /// (`https://user:password@host/`) and sends it as Basic credentials, unless there is an `Authorization` header. The client adds cookies
    /// and default fields: ``NetworkClient/cookies``.
    ///
    /// **Requirements:** `libcurl.so.4`, 7.71 or later; a ``ServerTrustPolicy`` needs 7.80. If the library lacks what the configuration
    /// requires, ``send(_:body:context:)`` throws ``NetworkError/unsupported(_:)`` before any byte is sent.
    ///
    /// ```swift
    /// let client = NetworkClient(transport: CurlTransport())
    /// ```
    public final class CurlTransport: ConfiguredTransport {
        package let clientState = ClientState()
        package let isPlatformDefault: Bool
        private let core: CurlCore
        private let upgrades: UpgradeCore
        private let engine: Engine?
        private let refusal: NetworkError?

        /// Creates a transport. The first request reports problems with the configuration.
        public convenience init(configuration: TransportConfiguration = .init()) {
            self.init(configuration, refusal: nil, isPlatformDefault: false)
        }

        /// - Parameter refusal: the error of every request; nil if the configuration is usable.
        init(_ configuration: TransportConfiguration, refusal: NetworkError?, isPlatformDefault: Bool) {
            self.isPlatformDefault = isPlatformDefault
            self.refusal = refusal
            core = CurlCore(configuration: configuration, refusal: refusal)
            upgrades = UpgradeCore(configuration, refusal: refusal)
            engine = Self.usesEngine ? Engine(configuration, refusal: refusal) : nil
        }

        deinit {
            core.stop()
            engine?.stop()
        }

        /// Whether requests are sent by ``Engine`` and not by libcurl. A switch for the time in which both are here.
        private static let usesEngine = ProcessInfo.processInfo.environment["NETWORKING_ENGINE"] == "own"

        /// Sends one request.
        ///
        /// - Throws: ``TransportError``, ``NetworkError`` (`invalidURL`, `invalidRequest`, `unsupported`, `responseTooLarge`),
        ///   a ``NetworkFailure`` with the cause `pinningFailed`, or `CancellationError`.
        public func send(
            _ request: URLRequest, body: HTTPBody?, context: RequestContext
        ) async throws -> TransportResponse {
            try Task.checkCancellation()
            core.developmentGuard?.announce(in: context)
            if let engine {
                let exchange = try HTTPExchange(request: request, body: body, context: context, engine: engine)
                try await exchange.run()
                return try await exchange.response(context, keepingAlive: self)
            }
            let exchange = try CurlExchange(request: request, body: body, context: context, core: core)
            try await exchange.run()
            return try await exchange.response(context, keepingAlive: self)
        }

        /// Ends all exchanges with ``TransportError/Code/shutDown``, and closes all connections.
        public func shutdown() async {
            await engine?.shutdown()
            await upgrades.shutdown()
            await core.shutdown()
        }

        package func with(_ configuration: TransportConfiguration) -> any ConfiguredTransport {
            CurlTransport(configuration, refusal: refusal, isPlatformDefault: false)
        }

        package func cancel(_ group: ObjectIdentifier) {
            engine?.cancel(group)
            core.cancel(group)
            upgrades.cancel(group)
        }

        package var configuration: TransportConfiguration { core.configuration }

        /// HTTP/2 and HTTP/3, if the installed libraries cannot speak them. Without HTTP/2, the transport uses HTTP/1.1.
        public var missingCapabilities: [TransportCapability: String] {
            let problems: [(TransportCapability, String?)] = [
                (.http2, CurlEngine.http2Problem), (.http2PriorKnowledge, CurlEngine.http2Problem),
                (.http3, CurlEngine.http3Problem),
            ]
            return Dictionary(uniqueKeysWithValues: problems.compactMap { name, problem in problem.map { (name, $0) } })
        }
    }

    extension CurlTransport: UpgradingTransport {
        package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
            core.developmentGuard?.announce(in: context)
            if let engine { return try await engine.upgrade(request, context: context, keepingAlive: self) }
            return try await upgrades.upgrade(request, context: context, keepingAlive: self)
        }
    }
#endif
