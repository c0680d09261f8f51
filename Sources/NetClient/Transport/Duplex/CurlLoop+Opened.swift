#if os(Linux)
    import CLibcurl
    import NetCore

    // Connections that libcurl has only opened (`CURLOPT_CONNECT_ONLY`): their bytes go through it, since TLS is its own, but
    // when to read and write is for us to know.
    extension CurlLoop {
        /// Bytes that one connection may read in a turn, before the others have theirs.
        private static let bytesPerTurn = 1 << 20

        /// The connection is there, trusted, and nothing was sent on it.
        func open(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine) {
            let descriptor = nc_info_socket(transfer.pointee.easy)
            guard descriptor >= 0 else {
                return end(
                    exchange,
                    TransportError(
                        .connectionLost, phase: .connecting,
                        message: "The connection was closed as soon as it was there.",
                        url: exchange.url))
            }
            exchange.descriptor = descriptor
            opened[descriptor] = exchange
            nc_transfer_metrics(transfer, &exchange.metrics)
            let channel = CurlBodyChannel(exchange: exchange, capacity: core.defaults.streamBufferBytes)
            exchange.channel = channel
            exchange.bodyOfResponse = channel
            transfer.pointee.last_activity = engine.loop.pointee.now
            if exchange.continuation != nil { resumable.append(exchange) }
            watch(exchange, transfer, engine, writes: false)
        }

        /// Something can be done for that connection at the end of the turn.
        func noteReady(_ descriptor: Int32) {
            if descriptor >= 0 { ready.append(descriptor) }
        }

        /// The reader has room again.
        func resumeReading(_ exchange: CurlExchange) {
            guard let transfer = exchange.transfer, transfer.pointee.receive_paused != 0 else { return }
            transfer.pointee.receive_paused = 0
            // TLS may hold bytes that the socket no longer tells of.
            noteReady(exchange.descriptor)
        }

        func serveReady(_ engine: CurlEngine) {
            guard !ready.isEmpty else { return }
            let descriptors = Set(ready)
            ready.removeAll(keepingCapacity: true)
            for descriptor in descriptors {
                guard let exchange = opened[descriptor], let transfer = exchange.transfer else { continue }
                serve(exchange, transfer, engine)
            }
        }

        private func serve(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) {
            var result = NC_E_OK
            let waitsToWrite = write(exchange, transfer, &result)
            // What came before a failure of writing is the reader's: a peer that closes says why first.
            let hasEnded = read(exchange, transfer, &result)
            if result != NC_E_OK {
                end(exchange, failure(of: exchange, transfer, result))
            } else if hasEnded {
                end(exchange, nil)
            } else {
                watch(exchange, transfer, engine, writes: waitsToWrite)
            }
        }

        /// Whether there is more than the socket takes now.
        private func write(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ result: inout Int
        ) -> Bool {
            while let block = exchange.outbox?.current(), let start = block.bytes.baseAddress {
                var count = 0
                let code = Int(
                    nc_send(transfer.pointee.easy, start + block.sent, block.bytes.count - block.sent, &count))
                if code == NC_E_AGAIN { return true }
                guard code == NC_E_OK else {
                    result = code
                    return false
                }
                transfer.pointee.last_activity = transfer.pointee.loop.pointee.now
                exchange.outbox?.advance(block, by: count)
            }
            return false
        }

        /// Whether the peer has ended the connection.
        private func read(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ result: inout Int
        ) -> Bool {
            guard let channel = exchange.channel else { return false }
            if scratch.isEmpty { scratch = [UInt8](repeating: 0, count: CurlOptions.receiveBuffer) }
            var total = 0
            while transfer.pointee.receive_paused == 0 {
                guard total < Self.bytesPerTurn else {
                    noteReady(exchange.descriptor)
                    return false
                }
                var count = 0
                let code = scratch.withUnsafeMutableBytes { buffer in
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
                let outstanding = channel.offer(scratch.withUnsafeBytes { Data($0.prefix(count)) })
                if outstanding >= core.defaults.streamBufferBytes, channel.outstandingUnlessFull() == nil {
                    transfer.pointee.receive_paused = 1
                }
            }
            return false
        }

        private func watch(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine, writes: Bool
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

        private func failure(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ result: Int
        ) -> TransportError {
            let state = CurlState(exchange, transfer, result: Int32(result))
            let code: TransportError.Code =
                if state.isAboutClientCertificate {
                    .clientCertificateRejected
                } else if state.osError == ECONNRESET || state.osError == EPIPE {
                    .connectionReset
                } else {
                    .connectionLost
                }
            return TransportError(
                code, phase: exchange.outbox?.isSettled == true ? .receivingBody : .waiting, message: state.message,
                url: exchange.url, isUnprocessed: false)
        }
    }
#endif
