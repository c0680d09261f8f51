#if os(Linux)
    import CLibcurl
    import NetCore

    /// One request on its way, from `send` to the end of its response's body.
    final class CurlExchange: @unchecked Sendable {
        // Unchecked: what is `var` is written on the caller's thread before the exchange is posted, on the loop's thread
        // from then on, and read by the caller after the continuation was resumed. The hand-overs order the accesses.
        let core: CurlCore
        let url: URL?
        let request: CurlRequest
        let progress: (@Sendable (TransportProgress) -> Void)?
        let streams: Bool
        let collectLimit: Int
        let priority: RequestPriority
        /// Whether the client certificate may be shown to the server.
        let showsCertificate: Bool
        /// Nanoseconds; 0 for no limit. The deadline is a time of `nc_clock`, the others are durations.
        let idleLimit: Int64
        let totalLimit: Int64
        let deadline: Int64
        /// For an exchange that only opens a connection: what the caller sends over it.
        let outbox: CurlOutbox?

        var continuation: UnsafeContinuation<Void, any Error>?

        // Of the loop's thread.
        var state = State.posted
        var isCancelled = false
        var transfer: UnsafeMutablePointer<nc_transfer>?
        var origin: CurlQueue.Origin?
        var liveIndex = -1
        /// Its number among those that became ready to run.
        var arrival = 0
        var startedAt: Int64 = 0
        var bytesSentAtCheck: Int64 = 0
        var channel: CurlBodyChannel?
        var metricsBox: MetricsBox?
        var lastProgress: TransportProgress?
        var trustError: (any Error)?
        /// The server to which it opens a connection, for which others wait that may share it.
        var connectsTo: HTTP2Sessions.Key?
        /// Its connection could not be taken over for HTTP/2, and the next one is not to be.
        var avoidsHTTP2 = false
        /// The server for whose connections it waits, all of which are full.
        var waitsFor: HTTP2Sessions.Key?
        /// Of a connection that was only opened; -1 before.
        var descriptor: Int32 = -1

        // Handed over to the caller, who alone touches them after being resumed.
        var head: CurlHead?
        var bodyOfResponse: CurlBodyChannel?
        var wholeBody = Data()
        var metrics = nc_metrics()
        private var failure: (any Error)?

        enum State {
            case posted
            /// For its origin to have room.
            case waiting
            /// For the transport to have room.
            case ready
            case running
            case finished
        }

        init(request: URLRequest, body: HTTPBody?, context: RequestContext, core: CurlCore, outbox: CurlOutbox? = nil)
            throws
        {
            self.core = core
            self.outbox = outbox
            let defaults = core.defaults
            url = request.url
            if let refusal = core.addressRefusal { throw refusal }
            try core.addressGuard?.check(request.url)
            deadline = try Self.deadline(of: context, url: request.url)
            self.request = try CurlRequest(request, body: body, defaults: defaults)
            progress = context.progress
            switch context.delivery {
            case .streamed:
                streams = true
                collectLimit = 0
            case .collected(let limit):
                streams = false
                collectLimit = limit
            }
            priority = context.priority
            showsCertificate = core.certificateScope?.includes(request.url, context) ?? false
            idleLimit = Self.nanoseconds(request.idleTimeout(or: defaults.idleTimeout))
            totalLimit = Self.nanoseconds(defaults.totalTimeout)
        }

        deinit {
            head?.free()
        }

        var feed: CurlBodyFeed? {
            if case .stream(let feed) = request.upload { feed } else { nil }
        }

        var pieces: CurlPieces? {
            if case .pieces(let pieces) = request.upload { pieces } else { nil }
        }

        /// Resumes the caller, once. What it was given before is its result.
        func resume() {
            guard let continuation else { return }
            self.continuation = nil
            nc_request_answered(request.block.pointer)
            if let failure {
                continuation.resume(throwing: failure)
            } else {
                continuation.resume()
            }
        }

        /// To be said by the caller after it was resumed, before it looks at what it was given.
        func tookAnswer() {
            nc_request_took_answer(request.block.pointer)
        }

        func setFailure(_ error: any Error) {
            failure = error
        }

        func fail(_ error: any Error) {
            state = .finished
            failure = error
            resume()
        }

        private static func deadline(of context: RequestContext, url: URL?) throws -> Int64 {
            guard let remaining = context.timeRemaining else { return 0 }
            guard remaining > 0 else {
                throw TransportError(
                    .totalTimeout, phase: .preparing, message: "The call's deadline had passed before it was sent.",
                    url: url)
            }
            return nc_clock() + nanoseconds(remaining)
        }

        /// 0 for nil, zero, negative numbers and what is longer than anybody waits.
        private static func nanoseconds(_ seconds: TimeInterval?) -> Int64 {
            guard let seconds, seconds > 0, seconds < 1e9 else { return 0 }
            return max(1, Int64(seconds * 1e9))
        }
    }
#endif
