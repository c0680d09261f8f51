#if os(Linux)
    import CLibcurl
    import NetCore

    /// The HTTP/2 connections of a loop, by server.
    struct HTTP2Sessions {
        /// Two requests may share a connection if their keys are equal. Two hosts never share one, whatever their certificates say.
        struct Key: Hashable {
            /// `host:port`, in lower case.
            let authority: String
            let isHTTPS: Bool
            /// Whether the server has seen the client certificate.
            let showsCertificate: Bool

            init(_ exchange: CurlExchange) {
                authority = exchange.request.authority
                isHTTPS = exchange.request.isHTTPS
                showsCertificate = exchange.showsCertificate
            }
        }

        /// How to send a request.
        enum Way {
            case session(UnsafeMutablePointer<nc_session>)
            /// Wait for a connection that has room, or that is being opened.
            case wait
            case connect
        }

        /// What an exchange is to the sessions of its server.
        struct Route {
            /// The server to which the exchange opens a connection, for which others wait that may share it.
            fileprivate(set) var connectsTo: Key?
            /// The server for which the exchange waits, because all its connections are full.
            fileprivate(set) var waitsFor: Key?
            /// Whether the next connection must not be taken over for HTTP/2, because that failed once.
            fileprivate(set) var avoidsHTTP2 = false
        }

        private struct Server {
            var sessions: [UnsafeMutablePointer<nc_session>] = []
            var connecting = 0
            var waiting: [CurlExchange] = []
            /// Whether another connection failed to open while these were open.
            var takesNoMore = false
            /// Whether a connection is being opened, or has not received the limits of its server.
            var isOpening: Bool { connecting > 0 || sessions.contains { $0.pointee.is_settled == 0 } }
        }

        private var servers: [Key: Server] = [:]
        private var keys: [UnsafeMutablePointer<nc_session>: Key] = [:]
        /// The servers for which exchanges wait.
        private var crowded: Set<Key> = []

        /// Returns how to send the next request.
        ///
        /// Another connection is opened only if all are full, and one at a time. A request waits for a server and not for a connection,
        /// since any of them may have room next.
        func way(to key: Key, atMost limit: Int) -> Way {
            guard let server = servers[key] else { return .connect }
            if let free = server.sessions.first(where: { nc_session_room($0) > 0 }) { return .session(free) }
            let open = server.sessions.filter { $0.pointee.is_draining == 0 }
            // More connections do not help with a server that allows no stream at all, and waiting for one has no timeout.
            if let shut = open.first(where: { $0.pointee.is_settled != 0 && nc_session_limit($0) == 0 }) {
                return .session(shut)
            }
            let mayConnect = !server.isOpening && open.count < limit && (open.isEmpty || !server.takesNoMore)
            return mayConnect ? .connect : .wait
        }

        /// Returns an exchange that waits and can be sent now.
        mutating func nextWaiting(atMost limit: Int) -> CurlExchange? {
            for key in crowded {
                guard let first = servers[key]?.waiting.first else {
                    crowded.remove(key)
                    continue
                }
                if case .wait = way(to: key, atMost: limit) { continue }
                servers[key]?.waiting.removeFirst()
                first.route.waitsFor = nil
                return first
            }
            return nil
        }

        /// Notes that the connection of an exchange was not opened. Returns true if another one can serve.
        mutating func failedToConnect(_ exchange: CurlExchange) -> Bool {
            guard let key = exchange.route.connectsTo, let server = servers[key] else { return false }
            guard server.sessions.contains(where: { $0.pointee.is_draining == 0 }) else { return false }
            servers[key]?.takesNoMore = true
            return true
        }

        mutating func wait(_ exchange: CurlExchange, for key: Key) {
            servers[key, default: Server()].waiting.append(exchange)
            crowded.insert(key)
            exchange.route.waitsFor = key
        }

        /// Removes an exchange that ended while it waited.
        mutating func forget(_ exchange: CurlExchange) {
            guard let key = exchange.route.waitsFor, var server = servers[key] else { return }
            exchange.route.waitsFor = nil
            server.waiting.removeAll { $0 === exchange }
            store(server, for: key)
        }

        mutating func connect(_ exchange: CurlExchange, to key: Key) {
            servers[key, default: Server()].connecting += 1
            exchange.route.connectsTo = key
        }

        /// Notes that the connection of an exchange was opened, failed, or speaks HTTP/1.1.
        mutating func connected(_ exchange: CurlExchange, as session: UnsafeMutablePointer<nc_session>? = nil) {
            let key = exchange.route.connectsTo ?? Key(exchange)
            var server = servers[key] ?? Server()
            if exchange.route.connectsTo != nil { server.connecting -= 1 }
            exchange.route.connectsTo = nil
            if let session {
                server.sessions.append(session)
                keys[session] = key
            }
            store(server, for: key)
        }

        mutating func remove(_ session: UnsafeMutablePointer<nc_session>) {
            guard let key = keys.removeValue(forKey: session), var server = servers[key] else { return }
            server.sessions.removeAll { $0 == session }
            server.takesNoMore = false
            store(server, for: key)
        }

        private mutating func store(_ server: Server, for key: Key) {
            let isNeeded = !server.sessions.isEmpty || server.connecting > 0 || !server.waiting.isEmpty
            servers[key] = isNeeded ? server : nil
        }
    }

    extension CurlLoop {
        /// Sends an exchange over HTTP/2 if its server is known to speak it. Returns false if the exchange needs a new connection.
        func sendOverHTTP2(_ exchange: CurlExchange, _ engine: CurlEngine) throws -> Bool {
            guard !exchange.request.authority.isEmpty, exchange.place.origin?.version == .http2,
                !exchange.route.avoidsHTTP2
            else { return false }
            let key = HTTP2Sessions.Key(exchange)
            let limit = max(1, configuration.limits.connectionsPerHost)
            while true {
                switch sessions.way(to: key, atMost: limit) {
                case .connect:
                    sessions.connect(exchange, to: key)
                    return false
                case .wait:
                    sessions.wait(exchange, for: key)
                    return true
                case .session(let session):
                    // A session that accepts no more streams is draining, and is not found again.
                    if try submit(exchange, to: session, engine) { return true }
                }
            }
        }

        private func submit(
            _ exchange: CurlExchange, to session: UnsafeMutablePointer<nc_session>, _ engine: CurlEngine
        ) throws -> Bool {
            let transfer = try engine.streamTransfer(for: exchange)
            if nc_session_submit(session, transfer, exchange.request.block.pointer, exchange.timeouts.startedAt) == 0 {
                exchange.transfer = transfer
                return true
            }
            engine.recycle(transfer, isClean: true)
            guard session.pointee.is_draining != 0 else {
                throw TransportError(
                    .other, phase: .sending, message: "The request cannot be written as an HTTP/2 request.",
                    url: exchange.url)
            }
            return false
        }

        /// An exchange ended before its connection was open. The exchanges that wait for the connection go on at once, and not after each
        /// other's timeouts.
        func failedToConnect(_ exchange: CurlExchange, _ failure: (any Error)?) {
            if exchange.place.origin?.version == .http2, let failure, !(failure is CancellationError),
                !sessions.failedToConnect(exchange)
            {
                queue.learned(.unreachable, of: exchange)
            }
            sessions.connected(exchange)
        }

        /// Sends the waiting exchanges for which there is room.
        func startWaiting(_ engine: CurlEngine) {
            let limit = max(1, configuration.limits.connectionsPerHost)
            while let exchange = sessions.nextWaiting(atMost: limit) { start(exchange, engine) }
        }

        /// Another connection to a server could not be opened. Returns true if the exchange uses an open one instead.
        func waitsInstead(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) -> Bool {
            guard exchange.route.connectsTo != nil, transfer.pointee.request_began == 0,
                sessions.failedToConnect(exchange)
            else { return false }
            exchange.transfer = nil
            engine.recycle(transfer, isClean: false)
            sessions.connected(exchange)
            start(exchange, engine)
            return true
        }

        /// The handshake chose HTTP/2 and nothing was sent: a session takes over the connection.
        func takeOver(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine) {
            queue.learned(.http2, of: exchange)
            CurlUpload.detach(transfer)
            guard let session = nc_session_make(transfer) else {
                if core.defaults.requiresHTTP2 {
                    return end(
                        exchange,
                        TransportError(
                            .connectionLost, phase: .connecting,
                            message: "The connection was closed as soon as it was open.", url: exchange.url))
                }
                // libcurl has closed the connection meanwhile, or memory ran out. Nothing was sent, so HTTP/1.1 is tried.
                exchange.transfer = nil
                engine.recycle(transfer, isClean: false)
                exchange.route.avoidsHTTP2 = true
                if exchange.route.connectsTo != nil { sessions.connected(exchange) }
                return start(exchange, engine)
            }
            exchange.transfer = nil
            sessions.connected(exchange, as: session)
            // This exchange uses its own connection even if the server allows no stream on it: otherwise it would open one after the other.
            do {
                if try !submit(exchange, to: session, engine) { start(exchange, engine) }
            } catch {
                end(exchange, error)
            }
        }

        /// Notes what the end of a stream says about its server, for later requests.
        func noteEnd(of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            guard transfer.pointee.http2_end != NC_HTTP2_WHOLE, !core.defaults.requiresHTTP2,
                TransportError.HTTP2Code(rawValue: transfer.pointee.http2_code) == .http11Required
            else { return }
            queue.learned(.http1Required, of: exchange)
        }
    }

    /// Makes errors from HTTP/2 streams and connections that ended early (RFC 9113, section 7).
    enum HTTP2Errors {
        static func error(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ state: CurlFailureState
        ) -> TransportError {
            let end = transfer.pointee.http2_end
            let code = TransportError.HTTP2Code(rawValue: transfer.pointee.http2_code)
            var error = TransportError(
                state.hasHead ? .truncatedBody : self.code(end, code, state), phase: state.phase,
                message: message(end, code, state), url: exchange.url,
                isUnprocessed: !state.hasHead && isUnprocessed(end, code),
                // A GOAWAY that requires HTTP/1.1 does not say that this request was not processed.
                isStaleConnection: end == NC_HTTP2_CLOSED && (state.isReused || code == .http11Required)
                    && !state.hasHead && !state.isInHead)
            error.http2ErrorCode = end == NC_HTTP2_CLOSED && code == .noError ? nil : code
            return error
        }

        /// Whether the server says so itself (sections 6.8 and 8.7), or refuses to speak HTTP/2.
        private static func isUnprocessed(_ end: nc_http2_end, _ code: TransportError.HTTP2Code) -> Bool {
            switch end {
            case NC_HTTP2_UNPROCESSED: true
            case NC_HTTP2_RESET: code == .refusedStream || code == .http11Required
            default: false
            }
        }

        private static func code(
            _ end: nc_http2_end, _ code: TransportError.HTTP2Code, _ state: CurlFailureState
        ) -> TransportError.Code {
            switch code {
            case .http11Required: return .http11Required
            case .enhanceYourCalm where end != NC_HTTP2_VIOLATION: return .enhanceYourCalm
            default: break
            }
            switch end {
            // TLS 1.3 refuses a client's certificate when the client already sends.
            case NC_HTTP2_UNPROCESSED:
                return state.isAboutClientCertificate ? .clientCertificateRejected : .refusedStream
            case NC_HTTP2_RESET: return code == .refusedStream ? .refusedStream : named(code) ?? .streamReset
            // A head in thousands of frames without an end.
            case NC_HTTP2_VIOLATION where code == .enhanceYourCalm && state.isInHead: return .headersTooLarge
            case NC_HTTP2_VIOLATION: return named(code) ?? .protocolError
            default: break
            }
            if let named = named(code) { return named }
            if state.isAboutClientCertificate { return .clientCertificateRejected }
            return state.osError == ECONNRESET || state.osError == EPIPE ? .connectionReset : .connectionLost
        }

        private static func named(_ code: TransportError.HTTP2Code) -> TransportError.Code? {
            switch code {
            case .protocolError, .settingsTimeout, .streamClosed, .frameSizeError: .protocolError
            case .flowControlError: .flowControlError
            case .compressionError: .compressionError
            default: nil
            }
        }

        private static func message(_ end: nc_http2_end, _ code: TransportError.HTTP2Code, _ state: CurlFailureState)
            -> String
        {
            let what =
                switch end {
                case NC_HTTP2_RESET: "The server reset the stream (\(code))"
                case NC_HTTP2_UNPROCESSED:
                    "The server has closed the connection to new streams, and did not process this one"
                case NC_HTTP2_VIOLATION: "The server broke the rules of HTTP/2 (\(code))"
                default:
                    code == .noError
                        ? "The connection ended" : "The server ended the connection (\(code))"
                }
            let detail = state.libraryMessage
            return (detail.isEmpty ? what : "\(what): \(detail)") + (detail.hasSuffix(".") ? "" : ".")
        }
    }
#endif
