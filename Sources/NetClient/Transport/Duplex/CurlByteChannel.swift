#if os(Linux)
    import CLibcurl
    import NetCore

    /// The caller's end of a connection that libcurl opened. It keeps the transport alive, and closes when it is released.
    final class CurlByteChannel: ByteChannel {
        private let exchange: CurlExchange
        private let incoming: CurlBodyChannel
        private let outbox: CurlOutbox
        private let transport: CurlTransport
        /// What came in one piece with the head of the answer.
        private let first = Locked(Data())

        init(_ exchange: CurlExchange, outbox: CurlOutbox, keepingAlive transport: CurlTransport) throws {
            guard let incoming = exchange.bodyOfResponse else {
                throw TransportError(.other, phase: .connecting, message: "There is no connection.", url: exchange.url)
            }
            exchange.bodyOfResponse = nil
            self.exchange = exchange
            self.incoming = incoming
            self.outbox = outbox
            self.transport = transport
        }

        deinit {
            close()
        }

        /// How it came about.
        var metrics: TransportMetrics { TransportMetrics(exchange.metrics) }

        /// The next call of ``receive()`` gives these.
        func putBack(_ bytes: Data) {
            first.withLock { $0 = bytes }
        }

        /// From here on the connection may be silent for ever.
        func settle() {
            outbox.settle()
        }

        func receive() async throws -> Data? {
            let bytes = first.withLock { first in
                defer { first = Data() }
                return first
            }
            return bytes.isEmpty ? try await incoming.next() : bytes
        }

        func send(_ bytes: Data) async throws {
            try await outbox.send(bytes) { exchange.core.post(NC_COMMAND_RESUME_SENDING, exchange) }
        }

        func close() {
            incoming.abandon()
        }
    }
#endif
