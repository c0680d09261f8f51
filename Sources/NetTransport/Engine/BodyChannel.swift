#if os(Linux)
    import NetCore

    /// The body of a response between the loop's thread and its reader, in blocks that are not copied.
    ///
    /// A slow reader stops the loop from reading the socket, so the server has to wait. Taking a block resumes it.
    final class BodyChannel: Sendable {
        private struct State {
            var blocks = FIFO<Data>()
            var outstanding = 0
            var isPaused = false
            var hasEnded = false
            var failure: (any Error)?
            var isAbandoned = false
            var reader: UnsafeContinuation<Data?, any Error>?
        }

        private let state = Locked(State())
        private let capacity: Int
        private let exchange: HTTPExchange

        /// - Parameters:
        ///   - exchange: the exchange, which the channel keeps alive.
        ///   - capacity: the bytes that may wait for the reader.
        init(_ exchange: HTTPExchange, capacity: Int) {
            self.exchange = exchange
            self.capacity = capacity
        }

        // MARK: The loop's side

        /// Hands over a block. Returns the number of bytes that the reader has not taken yet.
        func offer(_ block: Data) -> Int {
            let (reader, outstanding) = state.withLock { state -> (UnsafeContinuation<Data?, any Error>?, Int) in
                if state.isAbandoned { return (nil, 0) }
                if let reader = state.reader {
                    state.reader = nil
                    return (reader, state.outstanding)
                }
                state.blocks.append(block)
                state.outstanding += block.count
                return (nil, state.outstanding)
            }
            reader?.resume(returning: block)
            return outstanding
        }

        /// Pauses if more than half of the capacity waits for the reader, and returns whether it did. Then the reader posts `resumeReceiving`
        /// when there is room for more.
        func pauseUnlessHalfEmpty() -> Bool {
            state.withLock { state in
                if state.outstanding > capacity / 2 { state.isPaused = true }
                return state.outstanding > capacity / 2
            }
        }

        /// Ends the body with its last bytes, or with an error after them.
        func finish(with rest: Data, _ failure: (any Error)?) {
            let reader = state.withLock { state -> UnsafeContinuation<Data?, any Error>? in
                state.hasEnded = true
                state.failure = failure
                if state.reader == nil, !rest.isEmpty, !state.isAbandoned { state.blocks.append(rest) }
                defer { state.reader = nil }
                return state.reader
            }
            if rest.isEmpty, let failure {
                reader?.resume(throwing: failure)
            } else {
                reader?.resume(returning: rest.isEmpty ? nil : rest)
            }
        }

        // MARK: The reader's side

        func next() async throws -> Data? {
            if Task.isCancelled {
                abandon()
                throw CancellationError()
            }
            if let ready = take() { return try ready.get() }
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    if let ready = take(orResume: continuation) { continuation.resume(with: ready) }
                }
            } onCancel: {
                abandon()
            }
        }

        /// Returns the next block, or the end. Returns nil if there is none yet; then `reader` gets it.
        private func take(
            orResume reader: UnsafeContinuation<Data?, any Error>? = nil
        ) -> Result<Data?, any Error>? {
            var resumes = false
            let ready = state.withLock { state -> Result<Data?, any Error>? in
                if state.isAbandoned { return .failure(CancellationError()) }
                if let block = state.blocks.popFirst() {
                    state.outstanding = max(0, state.outstanding - block.count)
                    resumes = state.isPaused && state.outstanding <= capacity / 2
                    if resumes { state.isPaused = false }
                    return .success(block)
                }
                if state.hasEnded { return state.failure.map { .failure($0) } ?? .success(nil) }
                if let reader { state.reader = reader }
                return nil
            }
            if resumes { exchange.post(.resumeReceiving) }
            return ready
        }

        /// Cancels the transfer, and drops the blocks that were not read.
        func abandon() {
            let (reader, wasRunning) = state.withLock { state -> (UnsafeContinuation<Data?, any Error>?, Bool) in
                let wasRunning = !state.hasEnded && !state.isAbandoned
                state.isAbandoned = true
                state.blocks = FIFO()
                state.outstanding = 0
                defer { state.reader = nil }
                return (state.reader, wasRunning)
            }
            if wasRunning { exchange.post(.cancel) }
            reader?.resume(throwing: CancellationError())
        }
    }
#endif
