#if os(Linux)
    import CLibcurl
    import NetCore

    /// The opening of a connection for an exchange: by the connector, then TLS, then the app's verdict on the server.
    final class Opening: Connection.Handler, @unchecked Sendable {
        // Unchecked: the loop's thread alone uses it.
        private unowned let exchange: HTTPExchange
        private let engine: Engine
        private let loop: EventLoop
        private var attempt: ConnectAttempt?
        private var connection: Connection?
        private var due: Int64 = 0
        private var hasEnded = false
        private var stage = Stage.connecting

        private enum Stage {
            case connecting
            /// TLS with an `https` proxy.
            case securingProxy
            /// The answer of an `https` proxy to CONNECT.
            case tunnelling(HTTP1ResponseParser, rest: [UInt8])
            case securing
            /// The trust policy decides.
            case evaluatingTrust
        }

        init(for exchange: HTTPExchange, on loop: EventLoop) {
            self.exchange = exchange
            engine = exchange.engine
            self.loop = loop
        }

        func begin() {
            let target = exchange.request.target
            let milliseconds = exchange.connectMilliseconds
            due = loop.now + Int64(milliseconds) * 1_000_000
            loop.noteDue(due)
            exchange.phase = .resolving
            var step: (@Sendable (ConnectStep) -> Void)?
            if exchange.reportStep != nil {
                step = { [loop] step in loop.perform { _ in self.note(step) } }
            }
            let address = ConnectTarget(
                url: exchange.url, host: target.host, port: target.port,
                needsTunnel: target.isHTTPS || exchange.isUpgrade,
                proxy: exchange.proxy, socketPath: target.socketPath, milliseconds: milliseconds)
            // The first session of a transport reads authorities and certificates. The connecting thread may wait for them, the loop not.
            let isProxy = exchange.proxy?.isTLS == true
            let makeSession = isProxy || target.isHTTPS ? session(forProxy: isProxy) : nil
            attempt = engine.connector.open(address, step: step) { [loop] result in
                let session = makeSession.flatMap { make in
                    (try? result.get()).map { opened in Result { try make(opened.descriptor, nil) } }
                }
                loop.perform { _ in self.connected(result, session) }
            }
        }

        /// Ends the opening without an answer.
        func cancel() {
            guard !hasEnded else { return }
            hasEnded = true
            if let attempt { engine.connector.cancel(attempt) }
            connection?.close()
            engine.pool.failedToOpen(exchange, isRefused: false)
        }

        private func note(_ step: ConnectStep) {
            guard !hasEnded else { return }
            switch step {
            case .lookedUp: exchange.report(.nameLookedUp)
            case .connecting(let address): exchange.report(.connecting(to: address))
            case .connected: exchange.report(.connected)
            }
        }

        private func fail(_ error: any Error) {
            guard !hasEnded else { return }
            hasEnded = true
            connection?.close()
            engine.pool.failedToOpen(exchange, isRefused: true)
            exchange.opening = nil
            exchange.end(error, on: loop)
        }

        // MARK: Connected

        private func connected(
            _ result: Result<OpenedConnection, any Error>, _ session: Result<TLSSession, any Error>?
        ) {
            attempt = nil
            let opened: OpenedConnection
            switch result {
            case .failure(let error): return fail(error)
            case .success(let value): opened = value
            }
            guard !hasEnded else {
                close(opened.descriptor)
                return
            }
            let connection = Connection(descriptor: opened.descriptor, loop: loop, engine: engine)
            self.connection = connection
            exchange.times.lookedUp = exchange.times.began + opened.nameLookup * 1000
            exchange.times.connected = exchange.times.began + opened.connect * 1000
            var facts = TransportResponse.Connection()
            facts.localAddress = opened.local
            facts.remoteAddress = opened.remote
            if opened.remote != nil { connection.facts = ConnectionBox(facts) }
            let error = loop.add(connection)
            guard error == 0 else {
                close(opened.descriptor)
                return fail(
                    TransportError(
                        .other, phase: .connecting,
                        message: "The connection cannot be watched: \(String(cString: strerror(error)))",
                        url: exchange.url))
            }
            connection.handler = self
            // The loop may have looked at its timers since `begin`, when there was no connection.
            loop.noteDue(due)
            guard let session else { return ready() }
            let isProxy = exchange.proxy?.isTLS == true
            exchange.phase = isProxy ? .connecting : .securing
            secure(session.get, as: isProxy ? .securingProxy : .securing)
        }

        // MARK: TLS

        /// Returns what makes a session of TLS over a descriptor, or inside of another session, on any thread.
        private func session(forProxy isProxy: Bool) -> @Sendable (Int32, TLSSession?) throws -> TLSSession {
            let target = exchange.request.target
            let host = isProxy ? proxyHost : host
            let protocols = isProxy ? [] : engine.protocols(for: exchange)
            let showsCertificate = !isProxy && exchange.showsCertificate
            let verifies = isProxy || exchange.developmentContext == nil
            return { [engine] descriptor, outer in
                try engine.tls.context(forProxy: isProxy).makeSession(
                    descriptor: descriptor, inside: outer, host: host, protocols: protocols,
                    showsCertificate: showsCertificate, verifies: verifies,
                    resumptionKey: isProxy ? nil : "\(target.host):\(target.port)")
            }
        }

        private var host: String { exchange.request.target.host.withoutBrackets }
        private var proxyHost: String { exchange.proxy.flatMap { URL(string: $0.name)?.host }?.withoutBrackets ?? "" }

        private func secure(_ made: () throws -> TLSSession, as stage: Stage) {
            guard let connection else { return }
            self.stage = stage
            do { connection.tls = try made() } catch { return fail((error as? TLSFailure).map(self.error) ?? error) }
            shakeHands()
        }

        private func shakeHands() {
            guard let connection, let tls = connection.tls, !hasEnded else { return }
            do throws(TLSFailure) {
                guard try tls.handshake() else { return }
            } catch {
                return fail(self.error(error))
            }
            if case .securingProxy = stage { return tunnel() }
            secured(by: tls)
        }

        private func error(_ failure: TLSFailure) -> TransportError {
            if case .securingProxy = stage {
                return ExchangeErrors.proxyFailure(of: exchange, failure.message)
            }
            return ExchangeErrors.error(failure, of: exchange, phase: .securing)
        }

        private func secured(by tls: TLSSession) {
            guard let connection else { return }
            exchange.times.secured = nc_clock()
            var known = connection.facts?.value ?? TransportResponse.Connection()
            tls.describe(&known)
            connection.facts = ConnectionBox(known)
            exchange.report(.secured(known))
            if let context = exchange.developmentContext {
                engine.reports.async { [host] in
                    context.notify(DevelopmentGuard.notice(acceptingCertificateOf: host), of: .transport)
                }
            }
            guard let policy = engine.configuration.trustPolicy else { return ready() }
            stage = .evaluatingTrust
            let certificates = tls.certificates
            DispatchQueue.global().async { [loop, host] in
                let verdict = Result {
                    try policy.evaluate(
                        CertificateChain(certificates: TLSContext.proving(certificates)), host: host)
                }
                loop.perform { _ in self.decided(verdict) }
            }
        }

        private func decided(_ verdict: Result<Void, any Error>) {
            guard !hasEnded else { return }
            switch verdict {
            case .success: ready()
            case .failure(let error): fail(NetworkFailure(cause: .pinningFailed(host: host), underlyingError: error))
            }
        }

        // MARK: An https proxy

        /// Asks the proxy for a tunnel to the server (RFC 9110, section 9.3.6), unless the request goes to the proxy itself.
        private func tunnel() {
            guard let connection, let proxy = exchange.proxy else { return }
            let target = exchange.request.target
            guard target.isHTTPS || engine.settings.requiresHTTP2 || exchange.isUpgrade else { return ready() }
            let name = "\(target.host):\(target.port)"
            var head = "CONNECT \(name) HTTP/1.1\r\nHost: \(name)\r\n"
            if let authorization = proxy.credentials?.basic { head += "Proxy-Authorization: \(authorization)\r\n" }
            let bytes = Array((head + "\r\n").utf8)
            stage = .tunnelling(HTTP1ResponseParser(isHead: false, limits: engine.headLimits), rest: [])
            // A new connection has room for a message of this size.
            let sent = bytes.withUnsafeBytes { connection.send($0) }
            guard case .bytes(bytes.count) = sent else {
                return failProxy("The request for a tunnel could not be sent.")
            }
            readTunnel()
        }

        private func readTunnel() {
            guard let connection, case .tunnelling(var parser, var rest) = stage else { return }
            while true {
                do {
                    let (step, consumed) = try parser.next(rest.span)
                    if case .head(let head) = step { return tunnelled(head.status, hasSurplus: consumed < rest.count) }
                    rest.removeFirst(consumed)
                    if case .interim = step { continue }
                } catch {
                    return failProxy(error.message)
                }
                switch connection.receive(into: loop.buffer) {
                case .none:
                    stage = .tunnelling(parser, rest: rest)
                    return
                case .end(let end): return failProxy(end.message)
                case .bytes(let count): rest.append(contentsOf: loop.buffer[..<count])
                }
            }
        }

        private func tunnelled(_ status: Int, hasSurplus: Bool) {
            guard 200..<300 ~= status else { return failProxy("It answered CONNECT with the status \(status).") }
            guard !hasSurplus, let outer = connection?.tls else {
                return failProxy("It sent bytes before the tunnel was used.")
            }
            guard exchange.request.target.isHTTPS else { return ready() }
            exchange.phase = .securing
            let makeSession = session(forProxy: false)
            secure({ try makeSession(-1, outer) }, as: .securing)
        }

        private func failProxy(_ reason: String) {
            fail(ExchangeErrors.proxyFailure(of: exchange, reason))
        }

        // MARK: Ready

        private func ready() {
            guard let connection, !hasEnded else { return }
            let isHTTPS = exchange.request.target.isHTTPS
            let isHTTP2 =
                connection.facts?.value.applicationProtocol == "h2" || engine.settings.requiresHTTP2 && !isHTTPS
            guard isHTTP2 || !engine.settings.requiresHTTP2 else {
                return fail(
                    TransportError(
                        .protocolError, phase: .securing,
                        message: "The server does not speak HTTP/2, which httpVersions requires.", url: exchange.url))
            }
            hasEnded = true
            exchange.opening = nil
            connection.handler = nil
            // The handshake's last read may have got the first bytes behind it.
            connection.expectMore()
            exchange.connection = connection
            if isHTTP2, !connection.speakHTTP2() {
                connection.close()
                engine.pool.failedToOpen(exchange, isRefused: true)
                exchange.end(
                    NetworkError.unsupported(HTTP2Connection.unavailableReason ?? "Out of memory for HTTP/2."), on: loop
                )
                return
            }
            let others = engine.pool.opened(connection, for: exchange, isHTTP2: isHTTP2)
            connection.carry(exchange)
            engine.begin(others)
        }

        // MARK: Connection.Handler

        func read(_ connection: Connection) {
            switch stage {
            case .securing, .securingProxy: shakeHands()
            case .tunnelling: readTunnel()
            case .connecting, .evaluatingTrust: break
            }
        }

        func write(_ connection: Connection) {
            read(connection)
        }

        func checkTime(_ connection: Connection) {
            guard !hasEnded else { return }
            guard loop.now >= due else { return loop.noteDue(due) }
            if case .evaluatingTrust = stage { return }
            fail(
                TransportError(
                    .connectTimeout, phase: .securing, message: "TLS was not established within the time to connect.",
                    url: exchange.url))
        }
    }

    extension String {
        /// An IPv6 address of a URL without its brackets.
        var withoutBrackets: String {
            hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
        }
    }
#endif
