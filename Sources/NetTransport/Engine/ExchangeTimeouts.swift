#if os(Linux)
    import CLibcurl
    import NetCore

    /// The limits of an exchange in time, and which of them has run out.
    ///
    /// Times are nanoseconds of `nc_clock`, durations are nanoseconds, and 0 stands for no limit.
    struct ExchangeTimeouts {
        /// The time when the call must end.
        let deadline: Int64
        /// The longest duration without a byte.
        let idleLimit: Int64
        /// The longest duration from the start.
        private let totalLimit: Int64
        private var startedAt: Int64 = 0
        /// When a byte was last sent or received; 0 while there is no connection.
        var lastActivity: Int64 = 0
        /// Whether the writer of the request's body keeps the server waiting.
        var isSendingPaused = false
        /// Whether no timeout applies any more, because the connection left HTTP.
        var isSettled = false

        /// - Throws: ``TransportError/Code/totalTimeout`` if the call's deadline has passed.
        init(_ request: URLRequest, _ context: RequestContext, _ defaults: EngineDefaults) throws {
            if let remaining = context.timeRemaining {
                guard remaining > 0 else {
                    throw TransportError(
                        .totalTimeout, phase: .preparing,
                        message: "The call's deadline had passed before it was sent.", url: request.url)
                }
                let limit = Self.nanoseconds(remaining)
                deadline = limit == 0 ? 0 : nc_clock() + limit
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

        mutating func started(at now: Int64) {
            if startedAt == 0 { startedAt = now }
        }

        /// Returns the timeout that has run out by now.
        func expired(isReceivingPaused: Bool, now: Int64) -> TransportError.Code? {
            if isSettled { return nil }
            if deadline > 0, now >= deadline { return .totalTimeout }
            if totalLimit > 0, startedAt > 0, now >= startedAt + totalLimit { return .totalTimeout }
            guard let due = idleDue(isReceivingPaused), now >= due else { return nil }
            return .idleTimeout
        }

        /// The earliest time when one may run out; 0 for never.
        func nextDue(isReceivingPaused: Bool, now: Int64) -> Int64 {
            if isSettled { return 0 }
            var next = Int64.max
            if deadline > 0 { next = deadline }
            if totalLimit > 0, startedAt > 0 { next = min(next, startedAt + totalLimit) }
            if idleLimit > 0 { next = min(next, idleDue(isReceivingPaused) ?? now + idleLimit) }
            return next == .max ? 0 : next
        }

        /// Nil while the server is not to blame: before there is a connection, and while the reader of the response or the writer of the
        /// request's body keeps it waiting.
        private func idleDue(_ isReceivingPaused: Bool) -> Int64? {
            guard idleLimit > 0, lastActivity > 0, !isReceivingPaused, !isSendingPaused else { return nil }
            return lastActivity + idleLimit
        }
    }
#endif
