#if os(Linux)
    import CLibcurl
    import NetCore

    /// Which of an exchange's times has run out, and which will be next.
    enum CurlTimers {
        /// The timeout that has run out by now.
        static func expired(_ exchange: CurlExchange, now: Int64) -> TransportError.Code? {
            guard !isSettled(exchange) else { return nil }
            if exchange.deadline > 0, now >= exchange.deadline { return .totalTimeout }
            guard exchange.state == .running else { return nil }
            if exchange.totalLimit > 0, now >= exchange.startedAt + exchange.totalLimit { return .totalTimeout }
            noteSending(exchange, now: now)
            guard let due = idleDue(exchange, now: now), now >= due else { return nil }
            return .idleTimeout
        }

        /// The earliest time at which one may run out.
        static func nextDue(_ exchange: CurlExchange, now: Int64) -> Int64 {
            guard !isSettled(exchange) else { return 0 }
            var next = exchange.deadline
            func note(_ due: Int64) {
                if due > 0, next == 0 || due < next { next = due }
            }
            guard exchange.state == .running else { return next }
            if exchange.totalLimit > 0 { note(exchange.startedAt + exchange.totalLimit) }
            if exchange.idleLimit > 0 {
                note(idleDue(exchange, now: now) ?? now + exchange.idleLimit)
                if isSending(exchange) { note(firstIdleDue(exchange, now: now)) }
            }
            return next
        }

        /// A connection that has left HTTP may be silent for as long as its two ends like.
        private static func isSettled(_ exchange: CurlExchange) -> Bool {
            exchange.outbox?.isSettled ?? false
        }

        /// When to look at an exchange for the first time; 0 for never.
        static func firstIdleDue(_ exchange: CurlExchange, now: Int64) -> Int64 {
            guard exchange.idleLimit > 0 else { return 0 }
            return now + (isSending(exchange) ? max(10_000_000, exchange.idleLimit / 8) : exchange.idleLimit)
        }

        /// Nil while it does not count: before there is a connection to wait on (libcurl has its own queue), and while it is
        /// our side that waits, for the reader of the response or for the writer of the request's body.
        private static func idleDue(_ exchange: CurlExchange, now: Int64) -> Int64? {
            guard exchange.idleLimit > 0, let transfer = exchange.transfer, transfer.pointee.last_activity > 0,
                transfer.pointee.receive_paused == 0, transfer.pointee.send_paused == 0
            else { return nil }
            return transfer.pointee.last_activity + exchange.idleLimit
        }

        /// libcurl asks for a body in larger pieces than it sends, so a slow upload shows in its counter only, which is looked
        /// at eight times in a timeout.
        private static func noteSending(_ exchange: CurlExchange, now: Int64) {
            guard let transfer = exchange.transfer, exchange.request.uploadLength != 0 else { return }
            let sent = nc_transfer_uploaded(transfer)
            guard sent > exchange.bytesSentAtCheck else { return }
            exchange.bytesSentAtCheck = sent
            transfer.pointee.last_activity = now
        }

        private static func isSending(_ exchange: CurlExchange) -> Bool {
            let length = exchange.request.uploadLength
            return length < 0 || exchange.bytesSentAtCheck < length
        }
    }
#endif
