#if os(Linux)
    import CLibcurl
    import NetCore

    /// One request, from `send` to the end of its response's body.
    class CurlExchange: CurlCommandTarget, @unchecked Sendable {
        // Unchecked: the caller's thread writes the variables before the exchange is posted, the loop's thread from then on, and the
        // caller reads them after the continuation was resumed. The hand-overs order the accesses.
        let request: CurlRequest
        let progress: (@Sendable (RequestContext.Progress) -> Void)?
        let reportStep: (@Sendable (NetworkEvent.Step) -> Void)?
        let streams: Bool
        /// The largest response body that is collected, in bytes.
        let collectLimit: Int
        let priority: RequestContext.Priority
        /// The client that sends it; nil outside of a client.
        let group: ObjectIdentifier?
        /// Whether the client certificate may be shown to the server.
        let showsCertificate: Bool
        /// Nil if the server is connected to directly.
        let proxy: ProxyPlan.Server?
        /// The context of a call to a server whose certificate need not be trusted, for the notice about it.
        let unverified: RequestContext?

        private var continuation: UnsafeContinuation<Void, any Error>?

        // The loop's thread owns these.
        final var place = CurlQueue.Place()
        final var route = HTTP2Sessions.Route()
        final var timeouts: CurlTimeouts
        final let lookUp: CurlLookUp?
        final var transfer: UnsafeMutablePointer<nc_transfer>?
        final var channel: CurlBodyChannel?
        /// The index among the loop's exchanges; -1 if it is none of them.
        final var liveIndex = -1
        final var isCancelled = false
        final var lastProgress: RequestContext.Progress?
        final var trustError: (any Error)?
        /// Handed over to the caller, which alone uses it after it was resumed.
        final var answer = Answer()

        struct Answer {
            fileprivate(set) var failure: (any Error)?
            var head: CurlHead?
            /// The body of a streamed response; the channel holds the exchange.
            var channel: CurlBodyChannel?
            var body = Data()
            var metrics = nc_metrics()
            var connection: ConnectionBox?
            var trailers: HTTPHeaders?
            var metricsBox: MetricsBox?
        }

        init(request: URLRequest, body: HTTPBody?, context: RequestContext, core: CurlCore) throws {
            if let refusal = core.refusal { throw refusal }
            try core.addressGuard?.check(request.url)
            timeouts = try CurlTimeouts(request, context, core.defaults)
            self.request = try CurlRequest(request, body: body, defaults: core.defaults)
            lookUp = core.resolver?.lookUp(request.url)
            progress = context.progress
            reportStep = context.stepReport
            switch context.delivery {
            case .streamed:
                streams = true
                collectLimit = 0
            case .collected(let limit):
                streams = false
                collectLimit = limit
            }
            priority = context.priority
            group = context.group.map { ObjectIdentifier($0) }
            showsCertificate = core.certificateScope?.includes(request.url, context) ?? false
            proxy = core.proxyPlan?.server(for: request.url)
            unverified = core.developmentGuard?.accepts(request.url) == true ? context : nil
            super.init(core: core, url: request.url)
        }

        deinit {
            answer.head?.free()
        }

        /// Whether no timeout applies any more.
        var isSettled: Bool { false }

        /// The source of a streamed request body.
        final var feed: CurlBodyFeed? {
            if case .stream(let feed) = request.upload { feed } else { nil }
        }

        /// The source of a request body of several parts.
        final var pieces: CurlPieces? {
            if case .pieces(let pieces) = request.upload { pieces } else { nil }
        }

        // MARK: The caller

        /// Hands the exchange to the loop, and returns when the loop has filled ``answer``.
        final func run() async throws {
            // Acquires what the loop's thread has released: see `nc_request_answered`.
            defer { nc_request_took_answer(request.block.pointer) }
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    self.continuation = continuation
                    guard !core.post(NC_COMMAND_START, self) else { return }
                    setFailure(core.startFailure(url))
                    resume()
                }
            } onCancel: {
                post(NC_COMMAND_CANCEL)
            }
        }

        // MARK: The loop

        /// Whether the caller has not been resumed yet.
        final var isAwaited: Bool { continuation != nil }

        /// Resumes the caller, once, with ``answer``.
        final func resume() {
            guard let continuation else { return }
            self.continuation = nil
            nc_request_answered(request.block.pointer)
            if let failure = answer.failure {
                continuation.resume(throwing: failure)
            } else {
                continuation.resume()
            }
        }

        final func setFailure(_ error: any Error) {
            answer.failure = error
        }
    }

    /// The limits of an exchange in time, and which of them has run out.
    ///
    /// Times are nanoseconds of `nc_clock`, durations are nanoseconds, and 0 stands for no limit.
    struct CurlTimeouts {
        /// The time when the call must end.
        let deadline: Int64
        /// The longest duration without a byte.
        let idleLimit: Int64
        /// The longest duration from the start.
        let totalLimit: Int64
        var startedAt: Int64 = 0
        /// When the resolver must have answered.
        var lookUpDue: Int64 = 0
        private var bytesSentAtCheck: Int64 = 0

        /// - Throws: ``TransportError/Code/totalTimeout`` if the call's deadline has passed.
        init(_ request: URLRequest, _ context: RequestContext, _ defaults: CurlDefaults) throws {
            if let remaining = context.timeRemaining {
                guard remaining > 0 else {
                    throw TransportError(
                        .totalTimeout, phase: .preparing,
                        message: "The call's deadline had passed before it was sent.",
                        url: request.url)
                }
                deadline = nc_clock() + Self.nanoseconds(remaining)
            } else {
                deadline = 0
            }
            idleLimit = Self.nanoseconds(request.idleTimeout(or: defaults.idleTimeout))
            totalLimit = Self.nanoseconds(defaults.totalTimeout)
        }

        /// 0 for nil, for what is not above zero, and for more than 30 years.
        private static func nanoseconds(_ seconds: TimeInterval?) -> Int64 {
            guard let seconds, seconds > 0, seconds < 1e9 else { return 0 }
            return max(1, Int64(seconds * 1e9))
        }

        /// When to check an exchange that starts now; 0 for never.
        func firstIdleDue(of exchange: CurlExchange, now: Int64) -> Int64 {
            guard idleLimit > 0 else { return 0 }
            return now + (isSending(exchange) ? max(10_000_000, idleLimit / 8) : idleLimit)
        }

        /// Returns the timeout that has run out by now.
        mutating func expired(of exchange: CurlExchange, now: Int64) -> TransportError.Code? {
            guard !exchange.isSettled else { return nil }
            if deadline > 0, now >= deadline { return .totalTimeout }
            guard exchange.place.state == .running else { return nil }
            if totalLimit > 0, now >= startedAt + totalLimit { return .totalTimeout }
            if lookUpDue > 0, now >= lookUpDue { return .connectTimeout }
            noteSending(exchange, now: now)
            guard let due = idleDue(of: exchange), now >= due else { return nil }
            return .idleTimeout
        }

        /// The earliest time when one may run out; 0 for never.
        func nextDue(of exchange: CurlExchange, now: Int64) -> Int64 {
            guard !exchange.isSettled else { return 0 }
            var next = deadline
            func note(_ due: Int64) {
                if due > 0, next == 0 || due < next { next = due }
            }
            guard exchange.place.state == .running else { return next }
            if totalLimit > 0 { note(startedAt + totalLimit) }
            note(lookUpDue)
            if idleLimit > 0 {
                note(idleDue(of: exchange) ?? now + idleLimit)
                if isSending(exchange) { note(firstIdleDue(of: exchange, now: now)) }
            }
            return next
        }

        /// Nil while the server is not to blame: before the transfer has a connection (libcurl has its own queue), and while the reader of
        /// the response or the writer of the request's body keeps it waiting.
        private func idleDue(of exchange: CurlExchange) -> Int64? {
            guard idleLimit > 0, let transfer = exchange.transfer, transfer.pointee.last_activity > 0,
                transfer.pointee.receive_paused == 0, transfer.pointee.send_paused == 0
            else { return nil }
            return transfer.pointee.last_activity + idleLimit
        }

        /// libcurl asks for a body in larger pieces than it sends, so a slow upload shows only in its counter, which is read
        /// eight times in a timeout.
        private mutating func noteSending(_ exchange: CurlExchange, now: Int64) {
            guard let transfer = exchange.transfer, exchange.request.uploadLength != 0 else { return }
            let sent = nc_transfer_uploaded(transfer)
            guard sent > bytesSentAtCheck else { return }
            bytesSentAtCheck = sent
            transfer.pointee.last_activity = now
        }

        private func isSending(_ exchange: CurlExchange) -> Bool {
            let length = exchange.request.uploadLength
            return length < 0 || bytesSentAtCheck < length
        }
    }
#endif
