#if os(Linux)
    public import NetCore

    /// The transport for Linux.
    ///
    /// libcurl, loaded at run time, opens its connections: names, proxies and their tunnels. TLS is the system's OpenSSL, and HTTP is this
    /// package's own.
    ///
    /// A transport owns its connections, and shares them with no other transport. They open with the first request, and close when the
    /// transport is shut down or released. A response whose body is being read keeps the transport alive.
    ///
    /// **Threads.** All transports of the process share a few threads: one on two processors, about half their number elsewhere, and at most
    /// eight; ``setLoopCount(_:)`` sets another number. One more thread opens connections for all transports, and ends when nothing was opened for
    /// a second. With a libcurl before 7.87, each transport has its own. None of them runs code of the app: trust policies and observers are
    /// called on dispatch queues.
    ///
    /// **Requests** are sent as written: the transport does not normalise the path, follow redirects or read `.netrc`. It derives `Content-Length`
    /// and `Transfer-Encoding` from the body, whatever the headers say. It removes user information from the URL (`https://user:password@host/`) and
    /// sends it as Basic credentials, unless there is an `Authorization` header. The client adds cookies and default fields.
    ///
    /// **Requirements:** `libcurl.so.4`, 7.71 or later; for `https`, `libssl.so.3` or `libssl.so.1.1`; for HTTP/2, `libnghttp2.so.14`. If a library
    /// lacks what the configuration requires, ``send(_:body:context:)`` throws ``NetworkError/unsupported(_:)`` before any byte is sent.
    ///
    /// ```swift
    /// let client = NetworkClient(transport: CurlTransport())
    /// ```
    public final class CurlTransport: ConfiguredTransport {
        package let clientState = ClientState()
        package let isPlatformDefault: Bool
        package var keepsDeadlines: Bool { true }
        let engine: Engine
        private let refusal: NetworkError?

        /// Creates a transport. The first request reports problems with the configuration.
        public convenience init(configuration: TransportConfiguration = .init()) {
            self.init(configuration, refusal: nil, isPlatformDefault: false)
        }

        /// - Parameter refusal: the error of every request; nil if the configuration is usable.
        init(_ configuration: TransportConfiguration, refusal: NetworkError?, isPlatformDefault: Bool) {
            self.isPlatformDefault = isPlatformDefault
            self.refusal = refusal
            engine = Engine(configuration, refusal: refusal)
        }

        deinit { engine.stop() }

        /// Sets the number of threads that serve the connections of all transports. Call it before the first request of the process.
        ///
        /// - Parameter count: 1 to 64.
        /// - Throws: ``NetworkError/unsupported(_:)`` for another number, or if the threads run.
        public static func setLoopCount(_ count: Int) throws(NetworkError) { try EventLoopGroup.shared.setCount(count) }

        /// Sends one request.
        ///
        /// - Throws: ``TransportError``, ``NetworkError`` (`invalidURL`, `invalidRequest`, `unsupported`, `responseTooLarge`),
        ///   a ``NetworkFailure`` with the cause `pinningFailed`, or `CancellationError`.
        public func send(
            _ request: URLRequest, body: HTTPBody?, context: RequestContext
        ) async throws -> TransportResponse {
            try Task.checkCancellation()
            engine.announce(in: context)
            let exchange = try HTTPExchange(request: request, body: body, context: context, engine: engine)
            try await exchange.run()
            return try await exchange.response(context, keepingAlive: self)
        }

        /// Ends all exchanges with ``TransportError/Code/shutDown``, and closes all connections.
        public func shutdown() async { await engine.shutdown() }

        package func with(_ configuration: TransportConfiguration) -> any ConfiguredTransport {
            CurlTransport(configuration, refusal: refusal, isPlatformDefault: false)
        }

        package func cancel(_ group: ObjectIdentifier) { engine.cancel(group) }

        package var configuration: TransportConfiguration { engine.tls.configuration }

        package var connectionIdentity: ConnectionIdentity { engine.tls.identity }

        /// Replaces the client certificate, for example when it is renewed. New connections use it, and connections that were opened with
        /// the earlier one get no further requests: they close when their last response has ended.
        ///
        /// - Throws: ``NetworkError/unsupported(_:)`` if the configuration has no client certificate; ``TransportError`` with the code
        ///   ``TransportError/Code/clientCertificateRejected`` for a certificate that cannot be read or used with its key. Then the
        ///   earlier one stays.
        public func replaceClientCertificate(_ certificate: TransportConfiguration.ClientCertificate) throws {
            try engine.replaceClientCertificate(certificate)
        }

        public func connectionStatistics() -> [ConnectionStatistics]? { engine.pool.statistics() }

        /// HTTP/3, and HTTP/2 if libnghttp2 is not installed. Without HTTP/2, the transport uses HTTP/1.1.
        public var missingCapabilities: [TransportConfiguration.Capability: String] {
            let problems: [(TransportConfiguration.Capability, String?)] = [
                (.http2, HTTP2Connection.unavailableReason), (.http2PriorKnowledge, HTTP2Connection.unavailableReason),
                (.http3, "CurlTransport does not speak HTTP/3. Only URLSession on Apple platforms does."),
            ]
            return Dictionary(uniqueKeysWithValues: problems.compactMap { name, problem in problem.map { (name, $0) } })
        }
    }

    extension CurlTransport: UpgradingTransport {
        package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
            engine.announce(in: context)
            return try await engine.upgrade(request, context: context, keepingAlive: self)
        }
    }
#endif
