#if os(Linux)
    import CLibcurl
    import NetCore

    /// One request, from `send` to the end of its response's body.
    final class HTTPExchange: Listed, @unchecked Sendable {
        // Unchecked: the caller's thread writes the variables before the exchange is submitted; the pool, under its lock, those of `place`; the
        // loop of its connection the others; and the caller reads `answer` after it was resumed. The hand-overs order the accesses.
        let engine: Engine
        let url: URL?
        let request: WireRequest
        let progress: (@Sendable (RequestContext.Progress) -> Void)?
        let reportStep: (@Sendable (NetworkEvent.Step) -> Void)?
        /// Whether the body is streamed.
        let streams: Bool
        /// The largest response body that is collected, in bytes.
        let collectLimit: Int
        let priority: RequestContext.Priority
        /// The calls of the client that sends it, and the number of this one among them; nil outside of a client.
        private let calls: InFlightCalls?
        private let call: UInt64
        /// The time to connect, at least 1.
        let connectMilliseconds: Int
        /// Whether the client certificate may be shown to the server.
        let showsCertificate: Bool
        /// Nil if the server is connected to directly.
        let proxy: ProxyPlan.Server?
        /// The context of a call to a server whose certificate need not be trusted, for the notice about it.
        let developmentContext: RequestContext?
        /// Whether it asks to leave HTTP.
        let isUpgrade: Bool
        private var continuation: UnsafeContinuation<Void, any Error>?

        /// Of the pool, under its lock.
        var place = Pool.ExchangePlace()

        // The loop's thread owns these.
        var timeouts: ExchangeTimeouts
        /// The index among the loop's exchanges; -1 if it is none of them.
        var index = -1
        /// The connection that carries it, and its way of speaking HTTP.
        var connection: Connection?
        var carrier: (any ExchangeCarrier)?
        /// The connection that is being opened for it.
        var opening: Opening?
        var phase = TransportError.Phase.preparing
        var channel: BodyChannel?
        var buffer = ResponseBuffer()
        /// The bytes of the body that were received, and the length that its head declares or -1.
        var receivedBytes: Int64 = 0
        var declaredBytes: Int64 = -1
        var sentBytes: Int64 = 0
        var lastProgress: RequestContext.Progress?
        var hasHead = false
        var times = ExchangeTimes()
        var isReused = false
        /// Whether the server refused `Expect`, so that the request is sent once more without it (RFC 9110, section 10.1.1).
        var omitsExpect = false
        var hasReported = false
        /// Whether it was cancelled before its loop has started it.
        private var isCancelled = false
        /// Handed over to the caller, which alone uses it after it was resumed.
        var answer = Answer()

        struct Answer {
            var failure: (any Error)?
            var head: WireHead?
            /// The body of a streamed response; the channel holds the exchange.
            var channel: BodyChannel?
            var body = Data()
            var metrics = TransportResponse.Metrics()
            var connection: ConnectionBox?
            var trailers: HTTPHeaders?
            var metricsBox: MetricsBox?
            /// The connection of an upgrade.
            var tunnel: UpgradeTunnel?
        }

        init(
            request: URLRequest, body: HTTPBody?, context: RequestContext, engine: Engine, isUpgrade: Bool = false
        ) throws {
            if let refusal = engine.refusal { throw refusal }
            try engine.addressGuard?.check(request.url)
            self.engine = engine
            self.isUpgrade = isUpgrade
            url = request.url
            timeouts = try ExchangeTimeouts(request, context, engine.settings)
            let proxy = engine.proxyPlan?.server(for: request.url)
            self.proxy = proxy
            self.request = try WireRequest(
                request, body: body, engine.settings, through: isUpgrade ? nil : proxy)
            progress = context.progress
            reportStep = context.stepReport
            (streams, collectLimit) =
                if case .collected(let limit) = context.delivery { (false, limit) } else { (true, 0) }
            priority = context.priority
            (calls, call) = (context.pipeline.group, context.pipeline.call)
            let ownTimeout = context.hasOptions ? context.options.connectTimeout : nil
            connectMilliseconds =
                ownTimeout.map(EngineSettings.milliseconds(toConnect:)) ?? engine.settings.connectMilliseconds
            showsCertificate = engine.certificateScope?.includes(request.url, context) ?? false
            developmentContext = engine.developmentGuard?.accepts(request.url) == true ? context : nil
            place.origin = .init(
                host: self.request.target.host, port: self.request.target.port, isHTTPS: self.request.target.isHTTPS,
                socket: self.request.target.socketPath.map { PercentEncoding.encode($0) } ?? "",
                certificate: showsCertificate ? engine.tls.generation : nil)
        }

        /// Identifies the client that sends it; nil outside of a client.
        var group: ObjectIdentifier? { calls.map { ObjectIdentifier($0) } }

        // MARK: The caller

        /// Sends the exchange, and returns when ``answer`` is filled.
        func run() async throws {
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    self.continuation = continuation
                    engine.submit(self)
                }
            } onCancel: {
                engine.cancel(self)
            }
        }

        /// Hands over the head of the response, and the channel if its body is streamed. Nil if there is none.
        func takeHead() -> (WireHead, BodyChannel?)? {
            guard let head = answer.head else { return nil }
            defer { (answer.head, answer.channel) = (nil, nil) }
            return (head, answer.channel)
        }

        /// Hands over the connection of an upgrade; nil if the server refused.
        func takeTunnel() -> (BodyChannel, UpgradeTunnel)? {
            guard let tunnel = answer.tunnel, let channel = answer.channel else { return nil }
            defer { (answer.tunnel, answer.channel) = (nil, nil) }
            return (channel, tunnel)
        }

        /// Tells the loop of the exchange's connection something.
        func post(_ signal: EventLoop.Signal) {
            if signal == .cancel { return engine.cancel(self) }
            engine.pool.loop(of: self)?.post(signal, self)
        }

        // MARK: The end

        /// Whether a loop has started it, and it has not ended.
        var isLive: Bool { index >= 0 }

        /// Whether the caller has not been resumed yet.
        var isAwaited: Bool { continuation != nil }

        /// Resumes the caller, once, with ``answer``.
        func resumeCaller() {
            guard let continuation else { return }
            self.continuation = nil
            let result = answer.failure.map(Result.failure) ?? .success(())
            guard hasReported else { return continuation.resume(with: result) }
            // After its last report.
            engine.reports.async { continuation.resume(with: result) }
        }

        /// Fails an exchange that no loop has.
        func refuse(_ error: any Error) {
            answer.failure = error
            resumeCaller()
        }

        // MARK: The loop

        func handle(_ signal: EventLoop.Signal, on loop: EventLoop) {
            // It may have moved to another loop, or back into the pool, since the signal was posted.
            if signal != .start, engine.pool.loop(of: self) !== loop { return post(signal) }
            switch signal {
            case .start: start(on: loop)
            case .cancel: if !end(CancellationError(), on: loop) { isCancelled = true }
            case .resumeReceiving:
                guard timeouts.isReceivingPaused, let channel, !channel.pauseUnlessHalfEmpty() else { return }
                timeouts.isReceivingPaused = false
                timeouts.lastActivity = loop.now
                carrier?.resumeReceiving(self)
            case .resumeSending:
                guard timeouts.isSendingPaused || isUpgrade else { return }
                timeouts.isSendingPaused = false
                timeouts.lastActivity = loop.now
                carrier?.resumeSending(self)
            case .bodyFailed: end(ExchangeErrors.bodyFailure(of: self), on: loop)
            }
        }

        private func start(on loop: EventLoop) {
            loop.add(self)
            times.began = loop.now
            timeouts.started(at: loop.now)
            if isCancelled || calls?.isCancelled(call) == true {
                end(CancellationError(), on: loop)
                return
            }
            noteDue(on: loop)
            if let connection {
                if connection.isAlive { connection.carry(self) } else { startAgain(on: loop) }
            } else {
                opening = Opening(for: self, on: loop)
                opening?.begin()
            }
        }

        /// Has the pool find another connection: this one was closed before anything was sent over it.
        func startAgain(on loop: EventLoop) {
            guard let connection else { return }
            self.connection = nil
            timeouts.lastActivity = 0
            loop.remove(self)
            engine.startAgain(self, from: connection, on: loop)
        }

        /// Ends the exchange in any state. Returns false if it has ended already.
        @discardableResult
        func end(_ failure: (any Error)?, on loop: EventLoop) -> Bool {
            guard isLive else { return false }
            loop.remove(self)
            times.ended = loop.now
            reportProgress()
            let opening = opening
            self.opening = nil
            let carrier = carrier
            self.carrier = nil
            if let failure {
                opening?.cancel()
                carrier?.abandon(self, isCancelled: failure is CancellationError)
            }
            // Before the reader has the end of the body: its next request is to find the connection.
            let others = engine.pool.finished(self, over: connection, on: loop)
            conclude(failure)
            request.upload.source?.close()
            connection = nil
            if isAwaited { loop.resume(self) }
            engine.begin(others)
            return true
        }

        /// Fills ``answer`` with what was received.
        private func conclude(_ failure: (any Error)?) {
            if let failure, channel == nil {
                // A stream that was not cancelled delivers what was received before the failure.
                guard streams, hasHead, !(failure is CancellationError), !(failure is NetworkFailure) else {
                    answer.failure = failure
                    return
                }
                openChannel()
            }
            answer.metrics = TransportResponse.Metrics(of: self)
            answer.connection = connection?.facts
            let rest = buffer.take()
            guard let channel else {
                answer.body = rest
                return
            }
            self.channel = nil
            answer.metricsBox?.metrics = answer.metrics
            if failure == nil { answer.metricsBox?.trailers = answer.trailers ?? HTTPHeaders() }
            channel.finish(with: rest, failure)
        }

        // MARK: Time

        /// Notes that bytes were sent or received.
        func touch(_ now: Int64) {
            timeouts.lastActivity = now
        }

        func noteDue(on loop: EventLoop) {
            loop.noteDue(timeouts.nextDue(now: loop.now))
        }

        func checkTime(on loop: EventLoop) {
            if let code = timeouts.expired(now: loop.now) {
                end(ExchangeErrors.timeout(code, of: self), on: loop)
            } else {
                noteDue(on: loop)
            }
        }
    }

    /// The way in which a connection speaks HTTP for an exchange.
    protocol ExchangeCarrier: AnyObject {
        func resumeReceiving(_ exchange: HTTPExchange)
        func resumeSending(_ exchange: HTTPExchange)
        /// The exchange has ended before its response did.
        func abandon(_ exchange: HTTPExchange, isCancelled: Bool)
    }
#endif
