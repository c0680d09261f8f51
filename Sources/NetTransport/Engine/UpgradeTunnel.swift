#if os(Linux)
    import CLibcurl
    import NetCore

    /// The loop's end of a connection that left HTTP.
    final class UpgradeTunnel: ExchangeCarrier, @unchecked Sendable {
        // Unchecked: all but `outbox`, which has a lock, belongs to the loop's thread.
        private let exchange: HTTPExchange
        private let connection: Connection
        let outbox = UpgradeOutbox()

        init(_ exchange: HTTPExchange, _ connection: Connection) {
            self.exchange = exchange
            self.connection = connection
        }

        func read(_ connection: Connection) {
            if readTurn() { connection.loop.noteBusy(connection) }
        }

        /// Returns whether it left bytes for the next turn.
        private func readTurn() -> Bool {
            var total = 0
            while exchange.isLive, !exchange.isFull {
                guard total < EventLoop.bytesPerTurn else { return true }
                switch connection.receive(into: connection.loop.buffer) {
                case .none: return false
                case .end(let end):
                    ended(end)
                    return false
                case .bytes(let count):
                    total += count
                    exchange.touch(connection.loop.now)
                    exchange.pass(UnsafeRawBufferPointer(rebasing: connection.loop.buffer[..<count]))
                }
            }
            return false
        }

        func write(_ connection: Connection) {
            while let block = outbox.current() {
                let rest = UnsafeRawBufferPointer(rebasing: block.bytes[block.sent...])
                switch connection.send(rest) {
                case .none: return
                case .bytes(let count):
                    exchange.touch(connection.loop.now)
                    outbox.advance(block, by: count)
                case .end(let end):
                    // A peer that closes the connection sends the reason first.
                    repeat { connection.expectMore() } while readTurn()
                    // The rest waits for its reader, behind which the end is found.
                    if exchange.isLive, exchange.isFull { return outbox.finish(failure(of: end)) }
                    return ended(end)
                }
            }
        }

        func ended(_ end: Connection.End) {
            guard exchange.isLive else { return }
            let failure = failure(of: end)
            connection.close()
            outbox.finish(failure)
            exchange.end(failure, on: connection.loop)
        }

        /// Nil for an orderly end.
        private func failure(of end: Connection.End) -> TransportError? {
            if end.osError == 0, end.message.isEmpty { return nil }
            let isReset = end.osError == ECONNRESET || end.osError == EPIPE
            return TransportError(
                end.isAboutClientCertificate
                    ? .clientCertificateRejected : isReset ? .connectionReset : .connectionLost,
                phase: .receivingBody, message: end.message, url: exchange.url, isUnprocessed: false)
        }

        func resumeReceiving(_ exchange: HTTPExchange) { read(connection) }

        func resumeSending(_ exchange: HTTPExchange) { write(connection) }

        func abandon(_ exchange: HTTPExchange, isCancelled: Bool) {
            outbox.finish(
                isCancelled
                    ? CancellationError()
                    : TransportError(
                        .shutDown, phase: .sending, message: "The transport was shut down.", url: exchange.url))
            connection.close()
        }
    }

    /// The caller's end of a connection that left HTTP. It keeps the transport alive, and closes when it is released.
    final class TunnelChannel: ByteChannel {
        private let exchange: HTTPExchange
        private let incoming: BodyReader
        private let tunnel: UpgradeTunnel

        init?(_ exchange: HTTPExchange, keepingAlive transport: any AnyObject & Sendable) {
            guard let (incoming, tunnel) = exchange.takeTunnel() else { return nil }
            self.exchange = exchange
            self.incoming = BodyReader(channel: incoming, transport: transport)
            self.tunnel = tunnel
        }

        func receive() async throws -> Data? {
            try await incoming.channel.next()
        }

        func send(_ bytes: Data) async throws {
            try await tunnel.outbox.send(bytes) { exchange.post(.resumeSending) }
        }

        func close() {
            incoming.channel.abandon()
        }
    }
#endif
