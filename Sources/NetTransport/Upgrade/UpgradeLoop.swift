#if os(Linux)
    import CLibcurl
    import NetCore

    /// The loop of connections that libcurl only opens (`CURLOPT_CONNECT_ONLY`).
    ///
    /// Their bytes go through libcurl, which holds the TLS session. This loop decides when to read and to write.
    final class UpgradeLoop: CurlLoop, @unchecked Sendable {
        // Unchecked as its superclass: one thread at a time uses it.

        /// The open connections, by descriptor.
        private var opened: [Int32: UpgradeExchange] = [:]
        /// The descriptors that are ready.
        private var ready: [Int32] = []
        /// The buffer that all connections read into.
        private var buffer: [UInt8] = []

        /// The bytes that one connection may read in a turn, before the others have theirs.
        private static let bytesPerTurn = 1 << 20

        // MARK: Exchanges

        override var onlyConnects: Bool { true }

        /// There is no queue: a connection may be open for hours.
        override func admit(_ exchange: CurlExchange) -> Bool {
            exchange.place.state = .running
            return true
        }

        /// The connection is open and trusted, and nothing was sent on it.
        override func keepOpen(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) -> Bool {
            guard let exchange = exchange as? UpgradeExchange else { return false }
            let descriptor = nc_info_socket(transfer.pointee.easy)
            guard descriptor >= 0 else {
                let error = TransportError(
                    .connectionLost, phase: .connecting,
                    message: "The connection was closed as soon as it was open.",
                    url: exchange.url)
                end(exchange, error)
                return true
            }
            exchange.descriptor = descriptor
            opened[descriptor] = exchange
            exchange.answer.measure(transfer)
            openChannel(of: exchange)
            transfer.pointee.last_activity = engine.loop.pointee.now
            if exchange.isAwaited { resumable.append(exchange) }
            watch(exchange, transfer, engine, writes: false)
            return true
        }

        override func didEnd(_ exchange: CurlExchange, _ failure: (any Error)?) {
            guard let exchange = exchange as? UpgradeExchange else { return }
            if exchange.descriptor >= 0 { opened[exchange.descriptor] = nil }
            exchange.outbox.finish(failure)
        }

        // MARK: Readiness

        override func noteReady(_ descriptor: Int32) {
            if descriptor >= 0 { ready.append(descriptor) }
        }

        override func resumeSending(_ exchange: CurlExchange) {
            if let exchange = exchange as? UpgradeExchange { noteReady(exchange.descriptor) }
        }

        override func resumeReceiving(_ exchange: CurlExchange) {
            guard let transfer = exchange.transfer, transfer.pointee.receive_paused != 0 else { return }
            transfer.pointee.receive_paused = 0
            // TLS may hold bytes that the socket no longer reports.
            resumeSending(exchange)
        }

        override func serveReady(_ engine: CurlEngine) -> Bool {
            guard !ready.isEmpty else { return false }
            let descriptors = Set(ready)
            ready.removeAll(keepingCapacity: true)
            for descriptor in descriptors {
                guard let exchange = opened[descriptor], let transfer = exchange.transfer else { continue }
                serve(exchange, transfer, engine)
            }
            return !ready.isEmpty
        }

        private func serve(
            _ exchange: UpgradeExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) {
            var result = NC_E_OK
            let waitsToWrite = write(exchange, transfer, &result)
            // Also after a failed write: a peer that closes the connection sends the reason first.
            let hasEnded = read(exchange, transfer, &result)
            if result != NC_E_OK {
                end(exchange, CurlErrors.lostConnection(of: exchange, transfer, result: Int32(result)))
            } else if hasEnded {
                end(exchange, nil)
            } else {
                watch(exchange, transfer, engine, writes: waitsToWrite)
            }
        }

        // MARK: Bytes

        /// Returns whether there is more than the socket takes now.
        private func write(
            _ exchange: UpgradeExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ result: inout Int
        ) -> Bool {
            while let block = exchange.outbox.current(), let start = block.bytes.baseAddress {
                var count = 0
                let code = Int(
                    nc_send(transfer.pointee.easy, start + block.sent, block.bytes.count - block.sent, &count))
                if code == NC_E_AGAIN { return true }
                guard code == NC_E_OK else {
                    result = code
                    return false
                }
                transfer.pointee.last_activity = transfer.pointee.loop.pointee.now
                exchange.outbox.advance(block, by: count)
            }
            return false
        }

        /// Returns whether the peer has ended the connection.
        private func read(
            _ exchange: UpgradeExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ result: inout Int
        ) -> Bool {
            guard let channel = exchange.channel else { return false }
            if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: CurlOptions.receiveBuffer) }
            var total = 0
            while transfer.pointee.receive_paused == 0 {
                guard total < Self.bytesPerTurn else {
                    noteReady(exchange.descriptor)
                    return false
                }
                var count = 0
                let code = buffer.withUnsafeMutableBytes { buffer in
                    buffer.baseAddress.map { Int(nc_receive(transfer.pointee.easy, $0, buffer.count, &count)) }
                        ?? NC_E_AGAIN
                }
                if code == NC_E_AGAIN { return false }
                guard code == NC_E_OK else {
                    if result == NC_E_OK { result = code }
                    return false
                }
                if count == 0 { return true }
                total += count
                transfer.pointee.last_activity = transfer.pointee.loop.pointee.now
                let outstanding = channel.offer(buffer.withUnsafeBytes { Data($0.prefix(count)) })
                if outstanding >= core.defaults.streamBufferBytes, channel.outstandingUnlessFull() == nil {
                    transfer.pointee.receive_paused = 1
                }
            }
            return false
        }

        private func watch(
            _ exchange: UpgradeExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine,
            writes: Bool
        ) {
            let reads = transfer.pointee.receive_paused == 0
            let interest = (reads ? Int32(NC_POLL_IN) : 0) | (writes ? Int32(NC_POLL_OUT) : 0)
            guard nc_loop_watch(engine.loop, exchange.descriptor, interest) < 0 else { return }
            end(
                exchange,
                TransportError(
                    .other, phase: .waiting,
                    message: "The connection cannot be watched: \(String(cString: strerror(errno)))",
                    url: exchange.url))
        }
    }

    extension CurlErrors {
        /// The error of a connection that ended in the middle.
        fileprivate static func lostConnection(
            of exchange: UpgradeExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, result: Int32
        ) -> TransportError {
            let state = CurlFailureState(exchange, transfer, result: result)
            let code: TransportError.Code =
                if state.isAboutClientCertificate {
                    .clientCertificateRejected
                } else if state.osError == ECONNRESET || state.osError == EPIPE {
                    .connectionReset
                } else {
                    .connectionLost
                }
            return TransportError(
                code, phase: exchange.isSettled ? .receivingBody : .waiting, message: state.message, url: exchange.url,
                isUnprocessed: false)
        }
    }
#endif
