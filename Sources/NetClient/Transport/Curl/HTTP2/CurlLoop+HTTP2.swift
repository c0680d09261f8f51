#if os(Linux)
    import CLibcurl
    import NetCore

    extension CurlLoop {
        /// Sends an exchange over HTTP/2 if its server is known to speak it. False if there has to be a new connection.
        func sendOverHTTP2(_ exchange: CurlExchange, _ engine: CurlEngine) throws -> Bool {
            guard exchange.outbox == nil, exchange.request.isHTTPS, exchange.origin?.version == .http2,
                !exchange.avoidsHTTP2
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
                    // One that turns out to take no more is draining, and not found again.
                    if try submit(exchange, to: session, engine) { return true }
                }
            }
        }

        private func submit(
            _ exchange: CurlExchange, to session: UnsafeMutablePointer<nc_session>, _ engine: CurlEngine
        ) throws -> Bool {
            let transfer = try engine.streamTransfer(for: exchange)
            if nc_session_submit(session, transfer, exchange.request.block.pointer, exchange.startedAt) == 0 {
                exchange.transfer = transfer
                return true
            }
            engine.giveBack(transfer, isClean: true)
            guard session.pointee.is_draining != 0 else {
                throw TransportError(
                    .other, phase: .sending, message: "The request cannot be written as one of HTTP/2.",
                    url: exchange.url)
            }
            return false
        }

        /// An exchange ended before its connection was there. Those that wait for it do not wait for one another's time to run out.
        func failedToConnect(_ exchange: CurlExchange, _ failure: (any Error)?) {
            if exchange.origin?.version == .http2, let failure, !(failure is CancellationError),
                !sessions.failedToConnect(exchange)
            {
                queue.learned(.unreachable, of: exchange)
            }
            sessions.connected(exchange)
        }

        /// Sends those for which there is room by now.
        func startWaiting(_ engine: CurlEngine) {
            let limit = max(1, configuration.limits.connectionsPerHost)
            while let exchange = sessions.nextWaiting(atMost: limit) { start(exchange, engine) }
        }

        /// Another connection to a server could not be made. True if the exchange goes on over one that is there.
        func waitsInstead(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) -> Bool {
            guard exchange.connectsTo != nil, transfer.pointee.request_began == 0, sessions.failedToConnect(exchange)
            else { return false }
            exchange.transfer = nil
            engine.giveBack(transfer, isClean: false)
            sessions.connected(exchange)
            start(exchange, engine)
            return true
        }

        /// The handshake has shown that the server speaks HTTP/2, and nothing was sent: from here on the connection is ours.
        func takeOver(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine) {
            queue.learned(.http2, of: exchange)
            engine.detach(transfer)
            guard let session = nc_session_make(transfer) else {
                // libcurl has closed it meanwhile, or there is no memory. Nothing was sent: it goes over HTTP/1.1.
                exchange.transfer = nil
                engine.giveBack(transfer, isClean: false)
                exchange.avoidsHTTP2 = true
                if exchange.connectsTo != nil { sessions.connected(exchange) }
                return start(exchange, engine)
            }
            exchange.transfer = nil
            sessions.connected(exchange, as: session)
            // The connection is its own, also where the server takes no stream there: otherwise one would be made after the other.
            do {
                if try !submit(exchange, to: session, engine) { start(exchange, engine) }
            } catch {
                end(exchange, error)
            }
        }

        /// What the end of a stream says about its server, for the requests that follow.
        func noteEnd(of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            guard transfer.pointee.http2_end != NC_HTTP2_WHOLE,
                HTTP2ErrorCode(rawValue: transfer.pointee.http2_code) == .http11Required
            else { return }
            queue.learned(.http1Required, of: exchange)
        }
    }
#endif
