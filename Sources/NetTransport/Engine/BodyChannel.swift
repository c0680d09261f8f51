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

        private enum Step {
            case block(Data, resumes: Bool)
            case end
            case failed(any Error)
            case wait
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

        /// Returns the number of bytes that wait for the reader if there is room for more. Otherwise returns nil, and the reader posts
        /// `resumeReceiving` when there is.
        func outstandingUnlessFull() -> Int? {
            state.withLock { state in
                if state.outstanding <= capacity / 2 { return state.outstanding }
                state.isPaused = true
                return nil
            }
        }

        /// Ends the body with its last bytes, or with an error after them.
        func finish(with rest: Data, _ failure: (any Error)?) {
            let reader = state.withLock { state -> UnsafeContinuation<Data?, any Error>? in
                state.hasEnded = true
                state.failure = failure
                guard let reader = state.reader else {
                    if !rest.isEmpty, !state.isAbandoned { state.blocks.append(rest) }
                    return nil
                }
                state.reader = nil
                return reader
            }
            guard let reader else { return }
            if !rest.isEmpty {
                reader.resume(returning: rest)
            } else if let failure {
                reader.resume(throwing: failure)
            } else {
                reader.resume(returning: nil)
            }
        }

        // MARK: The reader's side

        func next() async throws -> Data? {
            if Task.isCancelled {
                abandon()
                throw CancellationError()
            }
            switch state.withLock({ step(&$0) }) {
            case .block(let block, let resumes):
                if resumes { exchange.post(.resumeReceiving) }
                return block
            case .end: return nil
            case .failed(let error): throw error
            case .wait: return try await waitForNext()
            }
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

        private func waitForNext() async throws -> Data? {
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    let answer = state.withLock { state in
                        let next = step(&state)
                        if case .wait = next { state.reader = continuation }
                        return next
                    }
                    switch answer {
                    case .wait: break
                    case .end: continuation.resume(returning: nil)
                    case .failed(let error): continuation.resume(throwing: error)
                    case .block(let block, let resumes):
                        if resumes { exchange.post(.resumeReceiving) }
                        continuation.resume(returning: block)
                    }
                }
            } onCancel: {
                abandon()
            }
        }

        private func step(_ state: inout State) -> Step {
            if state.isAbandoned { return .failed(CancellationError()) }
            if let block = state.blocks.popFirst() {
                state.outstanding = max(0, state.outstanding - block.count)
                let resumes = state.isPaused && state.outstanding <= capacity / 2
                if resumes { state.isPaused = false }
                return .block(block, resumes: resumes)
            }
            guard state.hasEnded else { return .wait }
            if let failure = state.failure { return .failed(failure) }
            return .end
        }
    }
#endif
