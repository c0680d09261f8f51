#if os(Linux)
    import CLibcurl
    import NetCore

    /// A streamed request body on its way from its task to the loop's thread, with a bound on what is kept in between.
    final class CurlBodyFeed: Sendable {
        private struct State {
            var chunks: [Data] = []
            /// Bytes of the first chunk that have gone already.
            var offset = 0
            var buffered = 0
            var produced: Int64 = 0
            var consumed: Int64 = 0
            var hasEnded = false
            var isClosed = false
            var isStarved = false
            var failure: (any Error)?
            var pump: Task<Void, Never>?
            var writer: UnsafeContinuation<Bool, Never>?
        }

        private static let capacity = 256 * 1024

        private let state = Locked(State())
        private let body: HTTPBody
        private let length: Int64?

        init(body: HTTPBody, length: Int64?) {
            self.body = body
            self.length = length
        }

        /// What the body has thrown.
        var failure: (any Error)? { state.withLock { $0.failure } }

        /// Whether no byte has been taken, so that it can be sent from the start on another connection.
        var isUntouched: Bool { state.withLock { $0.consumed == 0 } }

        // MARK: The loop's side

        /// The next bytes, at most `capacity`: their number, 0 at the end, or libcurl's codes for pausing and aborting.
        func read(into buffer: UnsafeMutablePointer<CChar>, capacity: Int, for exchange: CurlExchange) -> Int {
            var writer: UnsafeContinuation<Bool, Never>?
            let result = state.withLock { state -> Int in
                if state.failure != nil { return Int(NC_READFUNC_ABORT) }
                if state.pump == nil { state.pump = pump(for: exchange) }
                let count = take(&state, into: buffer, capacity: capacity)
                if count == 0, !state.hasEnded {
                    state.isStarved = true
                    return Int(NC_READFUNC_PAUSE)
                }
                if state.buffered < Self.capacity / 2 {
                    writer = state.writer
                    state.writer = nil
                }
                return count
            }
            writer?.resume(returning: true)
            return result
        }

        /// Nothing will be read any more.
        func close() {
            let (pump, writer) = state.withLock { state in
                state.isClosed = true
                state.chunks = []
                defer { (state.pump, state.writer) = (nil, nil) }
                return (state.pump, state.writer)
            }
            pump?.cancel()
            writer?.resume(returning: false)
        }

        private func take(_ state: inout State, into buffer: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
            // Where the length is declared, the last byte is held back until the stream has ended: one that is too long
            // fails then before its request is complete, and the server does not act on a part of it.
            var available = Int64(state.buffered)
            if let length, !state.hasEnded { available = min(available, max(0, length - 1 - state.consumed)) }
            let wanted = Int(min(available, Int64(capacity)))
            var copied = 0
            var used = 0
            while copied < wanted {
                let chunk = state.chunks[used]
                let count = min(chunk.count - state.offset, wanted - copied)
                chunk.withUnsafeBytes { bytes in
                    _ = bytes.baseAddress.map { memcpy(buffer + copied, $0 + state.offset, count) }
                }
                copied += count
                state.offset += count
                if state.offset == chunk.count {
                    state.offset = 0
                    used += 1
                }
            }
            if used > 0 { state.chunks.removeFirst(used) }
            state.buffered -= copied
            state.consumed += Int64(copied)
            return copied
        }

        // MARK: The body's side

        private func pump(for exchange: CurlExchange) -> Task<Void, Never> {
            Task { [body] in
                do {
                    for try await chunk in body {
                        guard await push(chunk, exchange) else { return }
                    }
                    try end(exchange)
                } catch {
                    fail(error, exchange)
                }
            }
        }

        /// False if nobody wants more.
        private func push(_ chunk: Data, _ exchange: CurlExchange) async -> Bool {
            let (verdict, wakes) = state.withLock { state -> (Verdict, Bool) in
                if state.isClosed { return (.stop, false) }
                state.produced += Int64(chunk.count)
                if let length, state.produced > length { return (.tooLong, false) }
                state.chunks.append(chunk)
                state.buffered += chunk.count
                defer { state.isStarved = false }
                return (state.buffered >= Self.capacity ? .wait : .goOn, state.isStarved)
            }
            if wakes { exchange.core.post(NC_COMMAND_RESUME_SENDING, exchange) }
            switch verdict {
            case .goOn: return true
            case .stop: return false
            case .tooLong:
                fail(lengthError("more than", exchange), exchange)
                return false
            case .wait:
                return await withUnsafeContinuation { continuation in
                    let answer = state.withLock { state -> Bool? in
                        if state.isClosed { return false }
                        if state.buffered < Self.capacity / 2 { return true }
                        state.writer = continuation
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            }
        }

        private enum Verdict {
            case goOn
            case wait
            case stop
            case tooLong
        }

        private func end(_ exchange: CurlExchange) throws {
            let (isShort, wakes) = state.withLock { state in
                let isShort = length.map { state.produced < $0 } ?? false
                if !isShort { state.hasEnded = true }
                defer { state.isStarved = false }
                return (isShort, state.isStarved)
            }
            if isShort { throw lengthError("fewer than", exchange) }
            if wakes { exchange.core.post(NC_COMMAND_RESUME_SENDING, exchange) }
        }

        private func fail(_ error: any Error, _ exchange: CurlExchange) {
            let isNews = state.withLock { state in
                guard !state.isClosed else { return false }
                state.failure = error
                return true
            }
            if isNews { exchange.core.post(NC_COMMAND_BODY_FAILED, exchange) }
        }

        private func lengthError(_ comparison: String, _ exchange: CurlExchange) -> TransportError {
            TransportError(
                .requestBodyFailed, phase: .sending,
                message: "The request's body gave \(comparison) the \(length ?? 0) bytes that it declared.",
                url: exchange.url,
                isUnprocessed: false)
        }
    }
#endif
