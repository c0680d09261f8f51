#if os(Linux)
    import CLibcurl
    import NetCore

    /// The engine of a transport on Linux: its settings, its pool of connections, its connector and its TLS.
    ///
    /// It does not hold the transport, so releasing the transport can end it. The loops are the process's: see ``EventLoopGroup``.
    final class Engine: Sendable {
        let configuration: TransportConfiguration
        let settings: EngineSettings
        let headLimits: HTTP1Limits
        let addressGuard: AddressGuard?
        /// Nil if every certificate must be trusted.
        let developmentGuard: DevelopmentGuard?
        /// Nil without a proxy.
        let proxyPlan: ProxyPlan?
        /// Nil without a client certificate.
        let certificateScope: ClientCertificateScope?
        /// Why every request is refused; nil if none is.
        let refusal: (any Error)?
        let decoderMemory = DecoderMemory()
        /// Taken by the first response with bytes after the end of its coded body, which is the only one reported to the user.
        let surplusNotice = OnceFlag()
        private let http3Notice = OnceFlag()
        let pool: Pool
        let connector: Connector
        /// Nil without DNS over HTTPS.
        private let names: DNSOverHTTPS?
        /// Where the app's observers are told of steps and progress, one after the other.
        let reports = DispatchQueue(label: "net.reports")
        /// Whether idle connections are kept.
        let keepsConnections: Bool
        private let speaksHTTP2: Bool
        let tls: ClientTLS
        /// The loops that are about to end exchanges.
        private let ending = DispatchGroup()

        /// - Parameter refusal: the error of every request; nil to find out from the configuration.
        init(_ configuration: TransportConfiguration, refusal: (any Error)? = nil) {
            self.configuration = configuration
            tls = ClientTLS(configuration)
            settings = EngineSettings(configuration)
            certificateScope = ClientCertificateScope(configuration)
            var problem = refusal
            func read<Rule>(_ rule: () throws -> Rule?) -> Rule? {
                do { return try rule() } catch {
                    problem = problem ?? error
                    return nil
                }
            }
            let proxyPlan = read {
                // libcurl connects to a socket directly.
                configuration.unixSocketPath != nil
                    ? nil : try ProxyPlan(configuration.proxy, environment: ProcessInfo.processInfo.environment)
            }
            self.proxyPlan = proxyPlan
            let addressGuard = read { try AddressGuard(configuration.addressPolicy) }
            self.addressGuard = addressGuard
            developmentGuard = read { try DevelopmentGuard(configuration.developmentServers, proxies: proxyPlan) }
            self.refusal =
                problem
                ?? Self.conflict(
                    in: configuration, checksAddresses: addressGuard?.checksAddresses == true,
                    isProxied: proxyPlan != nil)
                ?? Self.problem(configuration, settings)
            headLimits = HTTP1Limits(headBytes: settings.headerBytes)
            keepsConnections = configuration.limits.idleConnections > 0
            speaksHTTP2 = configuration.httpVersions != .http1Only && HTTP2Connection.unavailableReason == nil
            pool = Pool(configuration, speaksHTTP2: speaksHTTP2)
            names = DNSOverHTTPS(configuration)
            connector = Connector(configuration, resolver: names?.resolver, addressGuard: addressGuard)
        }

        /// Why the configuration cannot be served; nil if it can.
        private static func problem(_ configuration: TransportConfiguration, _ settings: EngineSettings)
            -> NetworkError?
        {
            if settings.requiresHTTP2, let reason = HTTP2Connection.unavailableReason {
                return .unsupported("\(reason) Set httpVersions to .automatic.")
            }
            guard configuration.httpVersions != .http3Only else {
                return .unsupported("CurlTransport does not speak HTTP/3. Set httpVersions to .automatic.")
            }
            if let problem = DNSOverHTTPS.problem(configuration) { return problem }
            return configuration.networkRefusalOnLinux.map { .unsupported($0) }
        }

        /// Tells the observers of the first call that has any what the settings do here.
        func announce(in context: RequestContext) {
            developmentGuard?.announce(in: context)
            guard configuration.httpVersions == .http3Preferred, !context.observers.isEmpty, http3Notice.take() else {
                return
            }
            context.notify(
                .notice("httpVersions is .http3Preferred, and CurlTransport speaks HTTP/2 instead."), of: .transport)
        }

        // MARK: Exchanges

        /// Sends an exchange. Its caller is resumed when it has an answer.
        func submit(_ exchange: HTTPExchange) {
            do {
                let loops = try EventLoopGroup.shared.loops()
                // Before another thread has the exchange.
                let due = exchange.timeouts.nextDue(now: nc_clock())
                switch pool.submit(exchange, loops: loops) {
                case .refused(let error): exchange.refuse(error)
                case .starts: begin([exchange])
                // It is looked at when its time runs out.
                case .waits: if due < NC_NEVER { loops.first?.perform { $0.watch(self, until: due) } }
                }
            } catch {
                exchange.refuse(error)
            }
        }

        /// Starts an exchange anew, whose connection was closed before anything was sent over it.
        func startAgain(_ exchange: HTTPExchange, from connection: Connection, on loop: EventLoop) {
            let due = exchange.timeouts.nextDue(now: loop.now)
            if pool.reassign(exchange, from: connection, on: loop) {
                begin([exchange])
            } else if due < NC_NEVER {
                loop.watch(self, until: due)
            }
        }

        /// Has the loops of exchanges start them, in their next turn: this one may be within bytes that are being parsed.
        func begin(_ exchanges: [HTTPExchange]) {
            for exchange in exchanges { pool.loop(of: exchange)?.post(.start, exchange) }
        }

        /// Ends an exchange with `CancellationError`, wherever it is.
        func cancel(_ exchange: HTTPExchange) {
            switch pool.withdraw(exchange) {
            case .withdrawn:
                exchange.refuse(CancellationError())
                begin(pool.startNext())
            case .onLoop(let loop): loop.post(.cancel, exchange)
            case .ended: break
            }
        }

        /// Ends the exchanges that waited for too long. Returns whether others wait.
        func checkWaiting(on loop: EventLoop) -> Bool {
            let now = loop.now
            let late = pool.takeWaiting { $0.timeouts.expired(now: now) != nil }
            for exchange in late { exchange.refuse(ExchangeErrors.timeout(.totalTimeout, of: exchange)) }
            if !late.isEmpty { begin(pool.startNext()) }
            guard let due = pool.nextDue(now: now) else { return false }
            loop.noteDue(due)
            return true
        }

        /// Cancels the exchanges of a client.
        func cancel(_ group: ObjectIdentifier) {
            end(where: { $0.group == group }, with: { _ in CancellationError() })
        }

        private func end(
            where matches: @escaping @Sendable (HTTPExchange) -> Bool,
            with error: @escaping @Sendable (HTTPExchange) -> any Error,
            then: (@Sendable (EventLoop) -> Void)? = nil
        ) {
            for exchange in pool.takeWaiting(where: matches) { exchange.refuse(error(exchange)) }
            begin(pool.startNext())
            for loop in EventLoopGroup.shared.running ?? [] {
                ending.enter()
                loop.perform { loop in
                    for exchange in loop.live where exchange.engine === self && matches(exchange) {
                        exchange.end(error(exchange), on: loop)
                    }
                    then?(loop)
                    self.ending.leave()
                }
            }
        }

        // MARK: Connections

        /// Has servers see another client certificate from the next connection on. Open connections end with their exchanges.
        func replaceClientCertificate(_ certificate: TransportConfiguration.ClientCertificate) throws {
            try tls.replace(certificate)
            for loop in EventLoopGroup.shared.running ?? [] { loop.perform { $0.noteDue($0.now) } }
        }

        /// The protocols to offer by ALPN.
        func protocols(for exchange: HTTPExchange) -> [String] {
            let mayShare = speaksHTTP2 && !exchange.isUpgrade && pool.offersHTTP2(exchange)
            guard mayShare else { return ["http/1.1"] }
            return settings.requiresHTTP2 ? ["h2"] : ["h2", "http/1.1"]
        }

        // MARK: The end

        /// Ends all exchanges without waiting for it.
        func stop() {
            pool.close()
            connector.stop()
            names?.engine.stop()
            end(
                where: { _ in true },
                with: { exchange in
                    TransportError(
                        .shutDown, phase: .preparing, message: "The transport was shut down.", url: exchange.url,
                        isUnprocessed: !exchange.hasHead && exchange.times.sent == 0)
                },
                then: { loop in
                    for connection in loop.connections where connection.engine === self {
                        self.pool.remove(connection)
                        connection.close()
                    }
                })
        }

        /// Ends all exchanges, and returns when all connections are closed.
        func shutdown() async {
            stop()
            await connector.shutdown()
            await names?.engine.shutdown()
            await withCheckedContinuation { continuation in
                ending.notify(queue: .global()) { continuation.resume() }
            }
        }
    }

    // MARK: - Upgrades

    extension Engine {
        /// The largest body of a refusal that is read, in bytes.
        private static let refusalBytes = 64 * 1024

        /// Sends a request with `Upgrade` over a new connection.
        ///
        /// - Parameter transport: kept alive as long as the connection.
        func upgrade(
            _ request: URLRequest, context: RequestContext, keepingAlive transport: any AnyObject & Sendable
        ) async throws -> TransportResponse {
            try Task.checkCancellation()
            if configuration.httpVersions == .http2PriorKnowledge {
                throw NetworkError.unsupported(
                    "An upgrade, such as a WebSocket's, needs HTTP/1.1. Set httpVersions to .automatic.")
            }
            var context = context
            context.delivery = .streamed
            context.progress = nil
            let exchange = try HTTPExchange(
                request: request, body: nil, context: context, engine: self, isUpgrade: true)
            try await exchange.run()
            let channel = TunnelChannel(exchange, keepingAlive: transport)
            var response = try await exchange.response(context, keepingAlive: transport)
            if let channel {
                response.body = .empty
                response.pipeline.upgraded = .bytes(channel)
            } else {
                response.body = HTTPBody((try? await response.body.collect(upTo: Self.refusalBytes)) ?? Data())
            }
            return response
        }
    }
#endif
