#if os(Linux)
    import CLibcurl
    import NetCore

    /// The loop of a transport: takes commands, runs libcurl, delivers results. Everything here runs on one thread at a time: see ``CurlThread``.
    ///
    /// ``UpgradeLoop`` overrides what differs for connections that leave HTTP.
    class CurlLoop: @unchecked Sendable {
        // Unchecked: one thread at a time uses it. The start of a thread, or the lock of `IdleLoops`, orders the accesses of two threads.
        final let core: CurlCore
        final let configuration: TransportConfiguration
        final var queue: CurlQueue
        final var sessions = HTTP2Sessions()
        final private(set) var trust: CurlTrust?
        /// The exchanges that were submitted and have not ended, also those in the queue.
        final private(set) var live: [CurlExchange] = []
        /// Callers to resume at the end of the turn, so that one wake-up of their threads serves many.
        final var resumable: [CurlExchange] = []
        /// The earliest time when a timer may be due, of the loop's clock; 0 for none.
        final var timerDue: Int64 = 0
        private let mailbox: OpaquePointer
        private var engine: CurlEngine?
        private var setupError: (any Error)?
        /// Whether the loop is to end.
        final private(set) var isStopping = false
        /// Whether a loop has arrived at the thread of ``IdleLoops``.
        final var hasArrivals = false
        final private(set) var isSetUp = false

        required init(core: CurlCore, mailbox: OpaquePointer) {
            self.core = core
            self.mailbox = mailbox
            configuration = core.configuration
            queue = CurlQueue(configuration: core.configuration)
        }

        /// Does everything that can be done now. Returns the time at which there is more to do without a socket or a command: see `nc_loop_rest`.
        ///
        /// - Parameter startsExchanges: if false, takes no command as long as an exchange is among them.
        final func turn(startsExchanges: Bool = true) -> Int64 {
            takeCommands(startsExchanges: startsExchanges)
            if isStopping { return NC_AT_ONCE }
            var hasMore = false
            if let engine {
                nc_loop_kick(engine.loop)
                finishDone(engine)
                noticeEvents(engine)
                hasMore = serveReady(engine)
                fireTimers(engine)
                startReady(engine)
                startWaiting(engine)
            }
            resumeCallers()
            // With commands waiting it only polls the sockets: otherwise a stream of commands would starve them.
            let sleeps = nc_mailbox_sleep(mailbox) && !hasMore
            guard let engine else { return sleeps ? NC_NEVER : NC_AT_ONCE }
            let rest = nc_loop_rest(engine.loop, timerDue)
            return sleeps ? rest : NC_AT_ONCE
        }

        /// Waits until there is something to do, or the time that ``turn()`` returned has come.
        final func wait(until time: Int64) {
            if let engine {
                nc_loop_wait(engine.loop, time)
            } else {
                nc_mailbox_wait(mailbox, time)
            }
        }

        /// Whether the loop has no exchange and may share a thread. A loop with a trust policy may not: the policy is the app's code, which could
        /// wait for another loop of that thread.
        final var isIdle: Bool { live.isEmpty && configuration.trustPolicy == nil }

        /// Whether an exchange waits to be started.
        final var hasStart: Bool { nc_mailbox_has_start(mailbox) }

        /// The descriptor that is ready when there is something to do.
        final var descriptor: Int32 { engine?.loop.pointee.epoll ?? nc_mailbox_descriptor(mailbox) }

        /// Ends all exchanges so far, if the thread cannot be started.
        final func refuseAll(_ error: any Error) {
            setupError = error
            takeCommands()
            tearDown()
        }

        final func setUp() {
            isSetUp = true
            do {
                let engine = try CurlEngine(mailbox: mailbox, loop: self)
                self.engine = engine
                queue.speaksHTTP2 = engine.speaksHTTP2
                if let policy = configuration.trustPolicy { trust = CurlTrust(policy: policy) }
            } catch {
                setupError = error
            }
        }

        /// Ends all exchanges, and closes all connections.
        final func tearDown() {
            if setupError == nil { setupError = CurlCore.shutDownError(nil) }
            for exchange in live {
                let error = TransportError(
                    .shutDown, phase: .preparing, message: "The transport was shut down.", url: exchange.url,
                    isUnprocessed: exchange.place.state != .running)
                end(exchange, error)
            }
            nc_mailbox_close(mailbox)
            takeCommands()
            engine?.close()
            engine = nil
            resumeCallers()
            core.loopEnded()
        }

        // MARK: Commands

        private func takeCommands(startsExchanges: Bool = true) {
            while true {
                var count: Int32 = 0
                let commands = nc_mailbox_take(mailbox, startsExchanges, &count)
                guard count > 0, let commands else { return }
                for index in 0..<Int(count) {
                    // `CurlCore.post` has retained the object for this loop.
                    guard let object = commands[index].object else {
                        if commands[index].kind == NC_COMMAND_STOP { isStopping = true } else { hasArrivals = true }
                        continue
                    }
                    if commands[index].kind == NC_COMMAND_CANCEL_GROUP {
                        cancel(Unmanaged<CurlGroupCommand>.fromOpaque(object).takeRetainedValue().group)
                        continue
                    }
                    let exchange = Unmanaged<CurlExchange>.fromOpaque(object).takeRetainedValue()
                    handle(commands[index].kind, exchange)
                }
            }
        }

        private func cancel(_ group: ObjectIdentifier) {
            // Ending one moves another to its place.
            for exchange in live where exchange.group == group { handle(NC_COMMAND_CANCEL, exchange) }
        }

        private func handle(_ kind: nc_command_kind, _ exchange: CurlExchange) {
            switch kind {
            case NC_COMMAND_START: submit(exchange)
            case NC_COMMAND_CANCEL:
                exchange.isCancelled = true
                if exchange.liveIndex >= 0 { end(exchange, CancellationError()) }
            case NC_COMMAND_RESUME_RECEIVING: resumeReceiving(exchange)
            case NC_COMMAND_RESUME_SENDING: resumeSending(exchange)
            case NC_COMMAND_BODY_FAILED:
                if exchange.liveIndex >= 0 { end(exchange, CurlErrors.bodyFailure(of: exchange)) }
            case NC_COMMAND_LOOKED_UP:
                if exchange.liveIndex >= 0, let engine { lookedUp(exchange, engine) }
            default: break
            }
        }

        private func submit(_ exchange: CurlExchange) {
            // Descriptors may be free by now.
            if engine == nil, !isStopping, (setupError as? TransportError)?.code == .descriptorsExhausted {
                setupError = nil
                setUp()
            }
            if exchange.isCancelled || isStopping || setupError != nil {
                exchange.place.state = .finished
                exchange.setFailure(
                    exchange.isCancelled ? CancellationError() : setupError ?? CurlCore.shutDownError(exchange.url))
                return resumable.append(exchange)
            }
            exchange.liveIndex = live.count
            live.append(exchange)
            noteDue(exchange.timeouts.deadline)
            if admit(exchange), let engine { start(exchange, engine) }
        }

        final func startReady(_ engine: CurlEngine) {
            while let exchange = queue.next() { start(exchange, engine) }
        }

        final func start(_ exchange: CurlExchange, _ engine: CurlEngine) {
            let now = engine.loop.pointee.now
            if exchange.timeouts.startedAt == 0 { exchange.timeouts.startedAt = now }
            let totalLimit = exchange.timeouts.totalLimit
            if totalLimit > 0 { noteDue(now + totalLimit) }
            noteDue(exchange.timeouts.firstIdleDue(of: exchange, now: now))
            do {
                if try sendOverHTTP2(exchange, engine) { return }
            } catch {
                return end(exchange, error)
            }
            connect(exchange, engine)
        }

        /// Hands an exchange to libcurl.
        final func connect(_ exchange: CurlExchange, _ engine: CurlEngine) {
            do {
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
                guard let exchange = CurlExchange.owner(of: transfer) else { continue }
                if result == 0, transfer.pointee.failure == NC_FAILURE_NONE, keepOpen(exchange, transfer, engine) {
                    continue
                }
                if transfer.pointee.failure == NC_FAILURE_LOOK_UP {
                    lookUp(exchange, transfer, engine)
                    continue
                }
                if transfer.pointee.failure == NC_FAILURE_TAKEN {
                    exchange.transfer = nil
                    engine.recycle(transfer, isClean: false)
                    if exchange.route.connectsTo != nil { sessions.connected(exchange) }
                    start(exchange, engine)
                    continue
                }
                if result != 0, waitsInstead(exchange, transfer, engine) { continue }
                if transfer.pointee.is_stream != 0 { noteEnd(of: exchange, transfer) }
                end(exchange, failure(of: exchange, transfer, result: result))
            }
        }

        private func failure(
            of exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, result: Int32
        ) -> (any Error)? {
            if transfer.pointee.head_held != 0 { transfer.pointee.head_done = 1 }
            if transfer.pointee.ends_with_head != 0, transfer.pointee.head_done != 0 {
                transfer.pointee.needs_reset = 1
                return nil
            }
            let isWhole =
                result == 0 && transfer.pointee.failure == NC_FAILURE_NONE && transfer.pointee.head_done != 0
            return isWhole ? nil : CurlErrors.error(of: exchange, transfer, result: result)
        }

        /// Ends an exchange in any state, and recycles its transfer.
        final func end(_ exchange: CurlExchange, _ failure: (any Error)?) {
            guard exchange.liveIndex >= 0 else { return }
            removeFromLive(exchange)
            exchange.lookUp?.cancel()
            if let transfer = exchange.transfer, let engine {
                exchange.transfer = nil
                conclude(exchange, transfer, failure)
                engine.recycle(transfer, isClean: failure == nil)
            } else if let failure {
                exchange.setFailure(failure)
            }
            if exchange.route.connectsTo != nil { failedToConnect(exchange, failure) }
            if exchange.route.waitsFor != nil { sessions.forget(exchange) }
            didEnd(exchange, failure)
            queue.release(exchange)
            if exchange.isAwaited { resumable.append(exchange) }
            if let engine, !isStopping { startReady(engine) }
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

        // MARK: What UpgradeLoop overrides

        /// Whether libcurl only opens connections, and sends nothing.
        var onlyConnects: Bool { false }

        /// Returns whether the exchange can start now. Otherwise the queue gives it later.
        func admit(_ exchange: CurlExchange) -> Bool { queue.submit(exchange) }

        /// Called when libcurl is done without an error. Returns true if the exchange goes on over the connection.
        func keepOpen(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine
        ) -> Bool {
            guard transfer.pointee.is_taken_over != 0 else { return false }
            takeOver(exchange, transfer, engine)
            return true
        }

        /// The reader of the response has taken bytes.
        func resumeReceiving(_ exchange: CurlExchange) { unpauseReceiving(exchange) }

        /// There are new bytes to send.
        func resumeSending(_ exchange: CurlExchange) { unpauseSending(exchange) }

        /// A descriptor of `nc_loop_watch` is ready.
        func noteReady(_ descriptor: Int32) {}

        /// Serves the descriptors that are ready. Returns whether some have more to do.
        func serveReady(_ engine: CurlEngine) -> Bool { false }

        /// Ends what the exchange holds besides its transfer.
        func didEnd(_ exchange: CurlExchange, _ failure: (any Error)?) {
            exchange.feed?.close()
            exchange.pieces?.rewind()
        }
    }
#endif
