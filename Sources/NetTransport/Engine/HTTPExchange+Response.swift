#if os(Linux)
    import NetCore

    // What the connection tells the exchange of its response.
    extension HTTPExchange {
        /// The connection has received a head. Returns false if the exchange has ended.
        ///
        /// - Parameter bodyLength: the length of the body as it is received, or nil if it is not known.
        func receive(_ head: WireHead, declaredBytes: Int64?, on loop: EventLoop) -> Bool {
            hasHead = true
            phase = .receivingBody
            answer.head = head
            self.declaredBytes = declaredBytes ?? -1
            if !streams, let declaredBytes, declaredBytes > wireLimit {
                end(NetworkError.responseTooLarge(limit: collectLimit), on: loop)
                return false
            }
            return true
        }

        func noteFirstByte(_ now: Int64) {
            guard times.firstByte == 0 else { return }
            times.firstByte = now
            report(.firstByteReceived)
        }

        /// The limit is for the decoded body. A body that cannot be compressed is a little larger in its coding.
        private var wireLimit: Int64 {
            let limit = Int64(max(0, collectLimit))
            guard answer.head?.isCoded == true else { return limit }
            let (sum, overflows) = limit.addingReportingOverflow(limit / 16 + 64 * 1024)
            return overflows ? .max : sum
        }

        private var expectedBytes: Int64? { declaredBytes < 0 ? nil : max(0, declaredBytes - receivedBytes) }

        /// Takes bytes of the body. Returns false if the exchange has ended.
        func receive(_ bytes: UnsafeRawBufferPointer, on loop: EventLoop) -> Bool {
            guard streams || receivedBytes + Int64(bytes.count) <= wireLimit else {
                end(NetworkError.responseTooLarge(limit: collectLimit), on: loop)
                return false
            }
            guard buffer.append(bytes, expecting: expectedBytes, streams: streams) else {
                end(
                    TransportError(.other, phase: .receivingBody, message: "Out of memory for the response.", url: url),
                    on: loop)
                return false
            }
            receivedBytes += Int64(bytes.count)
            return true
        }

        /// Room for bytes of the body that are received directly; empty if they have to be copied.
        func room(for count: Int64) -> UnsafeMutableRawBufferPointer {
            // The copy that is too large ends the exchange.
            if !streams, receivedBytes + count > Int64(max(0, collectLimit)) { return .init(start: nil, count: 0) }
            let limit = streams ? ResponseBuffer.blockSize : Int.max
            return buffer.room(upTo: min(limit, Int(clamping: count)), expecting: count, streams: streams)
        }

        func didReceive(_ count: Int) {
            buffer.didReceive(count)
            receivedBytes += Int64(count)
        }

        /// Whether receiving has to stop: the reader is behind, or a block is complete and not delivered.
        var isFull: Bool {
            guard streams else { return false }
            return timeouts.isReceivingPaused || buffer.count >= ResponseBuffer.blockSize
        }

        /// Hands over what was received. Call it when there is nothing more to receive at the moment.
        func deliver(on loop: EventLoop) {
            reportProgress()
            guard streams, hasHead, isLive else { return }
            if channel == nil {
                openChannel()
                loop.resume(self)
            }
            guard let channel else { return }
            if buffer.count > 0 { pass(buffer.take(), to: channel) }
        }

        private func pass(_ block: Data, to channel: BodyChannel) {
            guard channel.offer(block) >= engine.settings.streamBufferBytes else { return }
            timeouts.isReceivingPaused = channel.pauseUnlessHalfEmpty()
        }

        func openChannel() {
            let channel = BodyChannel(self, capacity: engine.settings.streamBufferBytes)
            var metrics = TransportResponse.Metrics(of: self)
            metrics.total = nil
            answer.metricsBox = MetricsBox(metrics, over: connection?.facts)
            self.channel = channel
            answer.channel = channel
        }

        /// Ends a response that is whole.
        func complete(trailers: HTTPHeaders?, on loop: EventLoop) {
            answer.trailers = trailers
            end(nil, on: loop)
        }

        // MARK: Leaving HTTP

        /// The server has switched protocols.
        ///
        /// - Parameter surplus: the bytes that were received after the head.
        func upgraded(_ head: WireHead, surplus: UnsafeRawBufferPointer, over tunnel: UpgradeTunnel, on loop: EventLoop)
        {
            hasHead = true
            phase = .receivingBody
            timeouts.lift()
            answer.head = head
            answer.tunnel = tunnel
            answer.connection = connection?.facts
            openChannel()
            carrier = tunnel
            pass(surplus)
            loop.resume(self)
        }

        /// Passes bytes of another protocol on.
        func pass(_ bytes: UnsafeRawBufferPointer) {
            if let channel, !bytes.isEmpty { pass(Data(bytes), to: channel) }
        }

        // MARK: Reports

        func report(_ step: @autoclosure () -> NetworkEvent.Step) {
            guard let reportStep else { return }
            let step = step()
            hasReported = true
            engine.reports.async { reportStep(step) }
        }

        func reportProgress() {
            guard let progress else { return }
            let now = RequestContext.Progress(
                bytesSent: sentBytes, bytesToSend: request.uploadLength < 0 ? nil : request.uploadLength,
                bytesReceived: receivedBytes, bytesToReceive: declaredBytes < 0 ? nil : declaredBytes)
            guard now != lastProgress else { return }
            lastProgress = now
            hasReported = true
            engine.reports.async { progress(now) }
        }

        func didSend(_ count: Int) {
            sentBytes += Int64(count)
            reportProgress()
        }
    }
#endif
