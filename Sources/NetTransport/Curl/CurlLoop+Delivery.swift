#if os(Linux)
    import CLibcurl
    import NetCore

    // From a transfer to the caller: heads, bodies, progress, and the timers of both.
    extension CurlLoop {
        final func noticeEvents(_ engine: CurlEngine) {
            while let transfer = nc_loop_next_event(engine.loop) {
                guard let exchange = CurlExchange.owner(of: transfer) else { continue }
                if transfer.pointee.alpn_known != 0 {
                    transfer.pointee.alpn_known = 0
                    queue.learned(.http1, of: exchange)
                    if exchange.route.connectsTo != nil { sessions.connected(exchange) }
                }
                if exchange.progress != nil { report(exchange, transfer) }
                guard exchange.streams, transfer.pointee.head_done != 0 else { continue }
                if exchange.isAwaited, exchange.channel == nil {
                    deliverHead(exchange, transfer)
                    resumable.append(exchange)
                }
                deliverBody(exchange, transfer)
            }
        }

        /// Fills the answer of an exchange that ends with what its transfer holds.
        final func conclude(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ failure: (any Error)?
        ) {
            exchange.answer.measure(transfer)
            if transfer.pointee.alpn_known != 0, transfer.pointee.is_taken_over == 0 {
                queue.learned(.http1, of: exchange)
            }
            if exchange.progress != nil { report(exchange, transfer) }
            if let failure, exchange.channel == nil {
                // A stream that was not cancelled delivers what was received before the failure.
                guard exchange.streams, transfer.pointee.head_done != 0, !(failure is CancellationError),
                    !(failure is NetworkFailure), transfer.pointee.failure != NC_FAILURE_CONFLICTING_LENGTHS
                else { return exchange.setFailure(failure) }
                deliverHead(exchange, transfer)
            }
            let rest = Data(takingBodyOf: transfer)
            if let channel = exchange.channel {
                exchange.channel = nil
                exchange.answer.metricsBox?.metrics = TransportResponse.Metrics(exchange.answer)
                if failure == nil {
                    exchange.answer.metricsBox?.trailers = HTTPHeaders(takingTrailersOf: transfer)
                }
                channel.finish(with: rest, failure)
            } else {
                exchange.answer.head = CurlHead(taking: transfer)
                exchange.answer.body = rest
                exchange.answer.trailers = HTTPHeaders(takingTrailersOf: transfer)
            }
        }

        private func deliverHead(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            exchange.answer.head = CurlHead(taking: transfer)
            exchange.answer.measure(transfer)
            var metrics = TransportResponse.Metrics(exchange.answer)
            metrics.total = nil
            exchange.answer.metricsBox = MetricsBox(metrics, over: exchange.answer.connection)
            openChannel(of: exchange)
        }

        /// Gives the caller a channel to read from.
        @discardableResult
        final func openChannel(of exchange: CurlExchange) -> CurlBodyChannel {
            let channel = CurlBodyChannel(exchange, capacity: core.defaults.streamBufferBytes)
            exchange.channel = channel
            exchange.answer.channel = channel
            return channel
        }

        private func deliverBody(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            guard let channel = exchange.channel else { return }
            let block = Data(takingBodyOf: transfer)
            if !block.isEmpty { transfer.pointee.outstanding = channel.offer(block) }
            if transfer.pointee.is_stream != 0 {
                // The stream's window holds a server back that is ahead of the reader. It grows when the reader has taken bytes.
                let isBehind = transfer.pointee.outstanding >= core.defaults.streamBufferBytes
                transfer.pointee.receive_paused = isBehind ? 1 : 0
                if !isBehind { nc_session_go_on(transfer) }
            }
            if transfer.pointee.receive_paused != 0 { resumeReceiving(exchange) }
        }

        // MARK: Back pressure

        final func unpauseReceiving(_ exchange: CurlExchange) {
            guard let transfer = exchange.transfer, let channel = exchange.channel,
                transfer.pointee.receive_paused != 0, let outstanding = channel.outstandingUnlessFull()
            else { return }
            transfer.pointee.outstanding = outstanding
            transfer.pointee.receive_paused = 0
            applyPause(exchange, transfer)
        }

        final func unpauseSending(_ exchange: CurlExchange) {
            guard let transfer = exchange.transfer, transfer.pointee.send_paused != 0 else { return }
            transfer.pointee.send_paused = 0
            applyPause(exchange, transfer)
        }

        private func applyPause(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            transfer.pointee.last_activity = nc_clock()
            let result = nc_transfer_apply_pause(transfer)
            // A transfer that has ended is a bad argument; libcurl is about to report how it ended.
            guard result != 0, Int(result) != NC_E_BAD_FUNCTION_ARGUMENT else { return }
            end(exchange, CurlErrors.error(of: exchange, transfer, result: result))
        }

        // MARK: Progress

        /// Reports the progress of an exchange if it has changed.
        private func report(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            let length = transfer.pointee.content_length
            let now = RequestContext.Progress(
                bytesSent: nc_transfer_uploaded(transfer),
                bytesToSend: exchange.request.uploadLength < 0 ? nil : exchange.request.uploadLength,
                bytesReceived: nc_transfer_downloaded(transfer),
                bytesToReceive: length < 0 ? nil : length)
            guard now != exchange.lastProgress else { return }
            exchange.lastProgress = now
            exchange.progress?(now)
        }

        // MARK: Timers

        final func noteDue(_ due: Int64) {
            if due > 0, timerDue == 0 || due < timerDue { timerDue = due }
        }

        /// Checks all exchanges when the earliest of them may be due. A byte only stores the time, so a busy transport checks about once in
        /// a timeout.
        final func fireTimers(_ engine: CurlEngine) {
            guard timerDue > 0 else { return }
            let now = engine.loop.pointee.now
            guard now >= timerDue else { return }
            timerDue = 0
            var expired: [(CurlExchange, TransportError.Code)] = []
            for exchange in live {
                if let code = exchange.timeouts.expired(of: exchange, now: now) {
                    expired.append((exchange, code))
                } else {
                    noteDue(exchange.timeouts.nextDue(of: exchange, now: now))
                }
            }
            for (exchange, code) in expired { end(exchange, CurlErrors.timeout(code, of: exchange)) }
        }
    }

    extension CurlExchange {
        /// Returns the exchange that a transfer works for; nil if it is the connection of an HTTP/2 session.
        static func owner(of transfer: UnsafeMutablePointer<nc_transfer>) -> CurlExchange? {
            // Set in `CurlEngine.bind(_:to:)`, and cleared before the exchange is released.
            transfer.pointee.owner.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
