#if os(Linux)
    import CLibcurl
    import NetCore

    /// The transport's thread: takes commands, runs libcurl, hands out results. Everything here is on that one thread.
    final class CurlLoop {
        let core: CurlCore
        let mailbox: OpaquePointer
        let configuration: TransportConfiguration
        var queue: CurlQueue
        var sessions = HTTP2Sessions()
        var trust: CurlTrust?
        /// All that have come and are not finished, those in the queue too.
        private(set) var live: [CurlExchange] = []
        /// Callers to be resumed at the end of the turn, so that one wake-up of their threads serves many.
        var resumable: [CurlExchange] = []
        /// Connections that were only opened, by their descriptors, and those of them that are ready.
        var opened: [Int32: CurlExchange] = [:]
        var ready: [Int32] = []
        /// Where bytes of theirs are read to.
        var scratch: [UInt8] = []
        private(set) var engine: CurlEngine?
        private var setupError: (any Error)?
        /// When the next timer may be due, on the loop's clock; 0 for none.
        private var timerDue: Int64 = 0
        private var isStopping = false

        init(core: CurlCore, mailbox: OpaquePointer) {
            self.core = core
            self.mailbox = mailbox
            configuration = core.configuration
            queue = CurlQueue(configuration: core.configuration)
        }

        func run() {
            setUp()
            while true {
                takeCommands()
                if isStopping { break }
                if let engine {
                    nc_loop_kick(engine.loop)
                    finishDone(engine)
                    noticeEvents(engine)
                    serveReady(engine)
                    fireTimers(engine)
                    startReady(engine)
                    startWaiting(engine)
                }
                resumeCallers()
                let sleeps = nc_mailbox_sleep(mailbox)
                if let engine {
                    // With commands waiting it only looks at the sockets: commands alone must not keep it busy.
                    nc_loop_wait(engine.loop, timerDue, sleeps && ready.isEmpty ? 1 : 0)
                } else if sleeps {
                    // Without a loop there is nothing but the mailbox to wait for.
                    waitForMailbox()
                }
            }
            tearDown()
        }

        /// For the case that the thread itself cannot be started.
        func refuseAll(_ error: any Error) {
            setupError = error
            takeCommands()
            tearDown()
        }

        private func setUp() {
            do {
                let engine = try CurlEngine(configuration: configuration, mailbox: mailbox, context: self)
                self.engine = engine
                queue.speaksHTTP2 = engine.speaksHTTP2
                if let policy = configuration.trustPolicy { trust = CurlTrust(policy: policy) }
            } catch {
                setupError = error
            }
        }

        private func tearDown() {
            if setupError == nil { setupError = CurlCore.shutDownError(nil) }
            for exchange in live {
                let error = TransportError(
                    .shutDown, phase: .preparing, message: "The transport was shut down.", url: exchange.url,
                    isUnprocessed: exchange.state != .running)
                end(exchange, error)
            }
            nc_mailbox_close(mailbox)
            takeCommands()
            engine?.close()
            engine = nil
            resumeCallers()
            core.threadEnded()
        }

        private func waitForMailbox() {
            var descriptor = pollfd(fd: nc_mailbox_descriptor(mailbox), events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, -1)
            var count: UInt64 = 0
            _ = read(descriptor.fd, &count, 8)
        }

        // MARK: Commands

        private func takeCommands() {
            while true {
                var count: Int32 = 0
                let commands = nc_mailbox_take(mailbox, &count)
                guard count > 0, let commands else { return }
                for index in 0..<Int(count) {
                    guard let object = commands[index].object else {
                        isStopping = true
                        continue
                    }
                    let exchange = Unmanaged<CurlExchange>.fromOpaque(object).takeRetainedValue()
                    obey(commands[index].kind, exchange)
                }
            }
        }

        private func obey(_ kind: nc_command_kind, _ exchange: CurlExchange) {
            switch kind {
            case NC_COMMAND_START: submit(exchange)
            case NC_COMMAND_CANCEL:
                exchange.isCancelled = true
                if exchange.liveIndex >= 0 { end(exchange, CancellationError()) }
            case NC_COMMAND_RESUME_RECEIVING:
                exchange.outbox == nil ? resumeReceiving(exchange) : resumeReading(exchange)
            case NC_COMMAND_RESUME_SENDING where exchange.outbox != nil: noteReady(exchange.descriptor)
            case NC_COMMAND_RESUME_SENDING:
                guard let transfer = exchange.transfer, transfer.pointee.send_paused != 0 else { return }
                transfer.pointee.send_paused = 0
                applyPause(exchange, transfer)
            case NC_COMMAND_BODY_FAILED:
                if exchange.liveIndex >= 0 { end(exchange, CurlErrors.bodyFailure(of: exchange)) }
            default: break
            }
        }

        private func submit(_ exchange: CurlExchange) {
            // What was lacking may have been given back.
            if engine == nil, !isStopping, (setupError as? TransportError)?.code == .descriptorsExhausted {
                setupError = nil
                setUp()
            }
            if exchange.isCancelled || isStopping || setupError != nil {
                exchange.state = .finished
                exchange.setFailure(
                    exchange.isCancelled ? CancellationError() : setupError ?? CurlCore.shutDownError(exchange.url))
                return resumable.append(exchange)
            }
            exchange.liveIndex = live.count
            live.append(exchange)
            noteDue(exchange.deadline)
            // What is open for hours must not take the places of those that are soon done.
            if exchange.outbox != nil { exchange.state = .running }
            if exchange.outbox != nil || queue.submit(exchange), let engine { start(exchange, engine) }
        }

        func startReady(_ engine: CurlEngine) {
            while let exchange = queue.next() { start(exchange, engine) }
        }

        func start(_ exchange: CurlExchange, _ engine: CurlEngine) {
            let now = engine.loop.pointee.now
            if exchange.startedAt == 0 { exchange.startedAt = now }
            if exchange.totalLimit > 0 { noteDue(now + exchange.totalLimit) }
            noteDue(CurlTimers.firstIdleDue(exchange, now: now))
            do {
                if try sendOverHTTP2(exchange, engine) { return }
                let transfer = try engine.transfer(for: exchange, trust: trust)
                exchange.transfer = transfer
                let result = nc_loop_add(engine.loop, transfer)
                guard result == 0 else {
                    throw TransportError(
                        .other, phase: .preparing, message: "curl_multi_add_handle: \(result)", url: exchange.url)
                }
            } catch {
                end(exchange, error)
            }
        }

        // MARK: Ends

        private func finishDone(_ engine: CurlEngine) {
            var result: Int32 = 0
            while let transfer = nc_loop_next_done(engine.loop, &result) {
                guard let owner = transfer.pointee.owner else { continue }
                let exchange = Unmanaged<CurlExchange>.fromOpaque(owner).takeUnretainedValue()
                if exchange.outbox != nil, result == 0, transfer.pointee.failure == NC_FAILURE_NONE {
                    open(exchange, transfer, engine)
                    continue
                }
                if transfer.pointee.is_taken_over != 0, result == 0, transfer.pointee.failure == NC_FAILURE_NONE {
                    takeOver(exchange, transfer, engine)
                    continue
                }
                if transfer.pointee.failure == NC_FAILURE_TAKEN {
                    exchange.transfer = nil
                    engine.giveBack(transfer, isClean: false)
                    if exchange.connectsTo != nil { sessions.connected(exchange) }
                    start(exchange, engine)
                    continue
                }
                if result != 0, waitsInstead(exchange, transfer, engine) { continue }
                if transfer.pointee.is_stream != 0 { noteEnd(of: exchange, transfer) }
                if transfer.pointee.head_held != 0 {
                    transfer.pointee.head_done = 1
                }
                var failure: (any Error)?
                let isCutAtHead = transfer.pointee.ends_with_head != 0 && transfer.pointee.head_done != 0
                if isCutAtHead { transfer.pointee.needs_reset = 1 }
                if !isCutAtHead,
                    result != 0 || transfer.pointee.failure != NC_FAILURE_NONE || transfer.pointee.head_done == 0
                {
                    failure = CurlErrors.error(of: exchange, transfer, result: result)
                }
                end(exchange, failure)
            }
        }

        /// Ends an exchange in whatever state it is, and gives its transfer back.
        func end(_ exchange: CurlExchange, _ failure: (any Error)?) {
            guard exchange.liveIndex >= 0 else { return }
            removeFromLive(exchange)
            if let transfer = exchange.transfer, let engine {
                exchange.transfer = nil
                conclude(exchange, transfer, failure)
                if exchange.descriptor >= 0 { opened[exchange.descriptor] = nil }
                engine.giveBack(transfer, isClean: failure == nil)
            } else if let failure {
                exchange.setFailure(failure)
            }
            if exchange.connectsTo != nil { failedToConnect(exchange, failure) }
            if exchange.waitsFor != nil { sessions.forget(exchange) }
            exchange.outbox?.finish(failure)
            exchange.feed?.close()
            exchange.pieces?.rewind()
            queue.release(exchange)
            if exchange.continuation != nil { resumable.append(exchange) }
            if let engine, !isStopping { startReady(engine) }
        }

        private func conclude(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ failure: (any Error)?
        ) {
            nc_transfer_metrics(transfer, &exchange.metrics)
            if transfer.pointee.alpn_known != 0, transfer.pointee.is_taken_over == 0 {
                queue.learned(.http1, of: exchange)
            }
            if exchange.progress != nil { report(exchange, transfer) }
            if let failure, exchange.channel == nil {
                // What came before the failure is still the reader's, if it reads a stream and is not cancelled.
                guard exchange.streams, transfer.pointee.head_done != 0, !(failure is CancellationError),
                    !(failure is NetworkFailure), transfer.pointee.failure != NC_FAILURE_CONFLICTING_LENGTHS
                else { return exchange.setFailure(failure) }
                deliverHead(exchange, transfer)
            }
            let rest = Data(takingBodyOf: transfer)
            if let channel = exchange.channel {
                exchange.channel = nil
                exchange.metricsBox?.metrics = TransportMetrics(exchange.metrics)
                channel.finish(with: rest, failure)
            } else {
                takeHead(exchange, transfer)
                exchange.wholeBody = rest
            }
        }

        private func removeFromLive(_ exchange: CurlExchange) {
            let index = exchange.liveIndex
            exchange.liveIndex = -1
            guard let last = live.popLast(), last !== exchange else { return }
            live[index] = last
            last.liveIndex = index
        }

        private func resumeCallers() {
            guard !resumable.isEmpty else { return }
            for exchange in resumable { exchange.resume() }
            resumable.removeAll(keepingCapacity: true)
        }

        // MARK: Events on the way

        private func noticeEvents(_ engine: CurlEngine) {
            while let transfer = nc_loop_next_event(engine.loop) {
                guard let owner = transfer.pointee.owner else { continue }
                let exchange = Unmanaged<CurlExchange>.fromOpaque(owner).takeUnretainedValue()
                if transfer.pointee.alpn_known != 0 {
                    transfer.pointee.alpn_known = 0
                    queue.learned(.http1, of: exchange)
                    if exchange.connectsTo != nil { sessions.connected(exchange) }
                }
                if exchange.progress != nil { report(exchange, transfer) }
                guard exchange.streams, transfer.pointee.head_done != 0 else { continue }
                if exchange.continuation != nil, exchange.channel == nil {
                    deliverHead(exchange, transfer)
                    resumable.append(exchange)
                }
                deliverBody(exchange, transfer)
            }
        }

        private func deliverHead(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            takeHead(exchange, transfer)
            nc_transfer_metrics(transfer, &exchange.metrics)
            var metrics = TransportMetrics(exchange.metrics)
            metrics.total = nil
            exchange.metricsBox = MetricsBox(metrics)
            let channel = CurlBodyChannel(
                exchange: exchange, capacity: core.defaults.streamBufferBytes)
            exchange.channel = channel
            exchange.bodyOfResponse = channel
        }

        private func takeHead(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            exchange.head = CurlHead(taking: transfer)
        }

        private func deliverBody(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            guard let channel = exchange.channel else { return }
            let block = Data(takingBodyOf: transfer)
            if !block.isEmpty { transfer.pointee.outstanding = channel.offer(block) }
            if transfer.pointee.is_stream != 0 {
                // What comes ahead of a slow reader is held back by the stream's window: it hears when the reader has taken some.
                let isBehind = transfer.pointee.outstanding >= core.defaults.streamBufferBytes
                transfer.pointee.receive_paused = isBehind ? 1 : 0
                if !isBehind { nc_session_go_on(transfer) }
            }
            if transfer.pointee.receive_paused != 0 { resumeReceiving(exchange) }
        }

        private func resumeReceiving(_ exchange: CurlExchange) {
            guard let transfer = exchange.transfer, let channel = exchange.channel,
                transfer.pointee.receive_paused != 0, let outstanding = channel.outstandingUnlessFull()
            else { return }
            transfer.pointee.outstanding = outstanding
            transfer.pointee.receive_paused = 0
            applyPause(exchange, transfer)
        }

        private func applyPause(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>) {
            transfer.pointee.last_activity = nc_clock()
            let result = nc_transfer_apply_pause(transfer)
            // It has ended, and libcurl is about to say how.
            guard result != 0, Int(result) != NC_E_BAD_FUNCTION_ARGUMENT else { return }
            end(exchange, CurlErrors.error(of: exchange, transfer, result: result))
        }

        // MARK: Timers

        private func noteDue(_ due: Int64) {
            if due > 0, timerDue == 0 || due < timerDue { timerDue = due }
        }

        /// One look at all exchanges when the earliest of them may be due; what has moved meanwhile pushes it on. So a byte
        /// costs nothing but a store, and a busy transport looks about once in a timeout.
        private func fireTimers(_ engine: CurlEngine) {
            guard timerDue > 0 else { return }
            let now = engine.loop.pointee.now
            guard now >= timerDue else { return }
            timerDue = 0
            var expired: [(CurlExchange, TransportError.Code)] = []
            for exchange in live {
                if let code = CurlTimers.expired(exchange, now: now) {
                    expired.append((exchange, code))
                } else {
                    noteDue(CurlTimers.nextDue(exchange, now: now))
                }
            }
            for (exchange, code) in expired { end(exchange, CurlErrors.timeout(code, of: exchange)) }
        }
    }
#endif
