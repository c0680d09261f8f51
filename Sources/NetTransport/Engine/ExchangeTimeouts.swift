#if os(Linux)
    import CLibcurl
    import NetCore

    /// The limits of an exchange in time, and which of them has run out.
    ///
    /// Times are nanoseconds of `nc_clock`, and durations are nanoseconds.
    struct ExchangeTimeouts {
        /// The time when the call must end; `NC_NEVER` for none.
        private var deadline = NC_NEVER
        /// The longest duration from the start.
        private let totalLimit: Int64?
        /// The longest duration without a byte.
        private(set) var idleLimit: Int64?
        /// When a byte was last sent or received; 0 while there is no connection.
        var lastActivity: Int64 = 0
        /// Whether the reader of the response, or the writer of the request's body, keeps the server waiting.
        var isReceivingPaused = false, isSendingPaused = false

        /// - Throws: ``TransportError/Code/totalTimeout`` if the call's deadline has passed.
        init(_ request: URLRequest, _ context: RequestContext, _ settings: EngineSettings) throws {
            if let remaining = context.timeRemaining {
                guard remaining > 0 else {
                    throw TransportError(
                        .totalTimeout, phase: .preparing,
                        message: "The call's deadline had passed before it was sent.", url: request.url)
                }
                deadline = Self.nanoseconds(remaining).map { nc_clock() + $0 } ?? NC_NEVER
            }
            idleLimit = Self.nanoseconds(request.idleTimeout(or: settings.idleTimeout))
            totalLimit = Self.nanoseconds(settings.totalTimeout)
        }

        /// Nil for no limit: for nil, for what is not above zero, and for more than 30 years.
        private static func nanoseconds(_ seconds: TimeInterval?) -> Int64? {
            guard let seconds, seconds > 0, seconds < 1e9 else { return nil }
            return max(1, Int64(seconds * 1e9))
        }

        /// Notes that the exchange starts, or starts again over another connection.
        mutating func started(at now: Int64) {
            if let totalLimit { deadline = min(deadline, now + totalLimit) }
        }

        /// Lifts all limits, because the connection left HTTP.
        mutating func lift() {
            (deadline, idleLimit) = (NC_NEVER, nil)
        }

        /// Returns the timeout that has run out by now.
        func expired(now: Int64) -> TransportError.Code? {
            if now >= deadline { return .totalTimeout }
            guard let idleLimit, isServerToBlame, now >= lastActivity + idleLimit else { return nil }
            return .idleTimeout
        }

        /// The earliest time when one may run out; `NC_NEVER` for none.
        func nextDue(now: Int64) -> Int64 {
            guard let idleLimit else { return deadline }
            return min(deadline, (isServerToBlame ? lastActivity : now) + idleLimit)
        }

        /// How long the server has been silent; 0 while the reader or the writer keeps it waiting.
        func silence(now: Int64) -> Int64 { isServerToBlame ? now - lastActivity : 0 }

        private var isServerToBlame: Bool { lastActivity > 0 && !isReceivingPaused && !isSendingPaused }
    }
#endif
