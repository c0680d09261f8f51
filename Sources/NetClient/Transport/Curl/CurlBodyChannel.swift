#if os(Linux)
    import CLibcurl
    import NetCore

    /// The body of a response on its way from the loop's thread to its reader, in blocks that are never copied.
    ///
    /// When the reader is slow, libcurl stops reading the socket, and so the server has to wait; taking a block starts it
    /// again.
    final class CurlBodyChannel: Sendable {
        private struct State {
            var blocks: [Data] = []
            var first = 0
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
        private let exchange: CurlExchange

        init(exchange: CurlExchange, capacity: Int) {
            self.exchange = exchange
            self.capacity = capacity
        }

        // MARK: The loop's side

        /// Hands over a block. Gives the bytes that the reader has not taken yet.
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

        /// The bytes that wait for the reader, if they are few enough to go on. Otherwise the reader will say when.
        func outstandingUnlessFull() -> Int? {
            state.withLock { state in
                if state.outstanding <= capacity / 2 { return state.outstanding }
                state.isPaused = true
                return nil
            }
        }

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
                if resumes { exchange.core.post(NC_COMMAND_RESUME_RECEIVING, exchange) }
                return block
            case .end: return nil
            case .failed(let error): throw error
            case .wait: return try await waitForNext()
            }
        }

        /// Ends the transfer: nobody reads on.
        func abandon() {
            let (reader, wasRunning) = state.withLock { state -> (UnsafeContinuation<Data?, any Error>?, Bool) in
                let wasRunning = !state.hasEnded && !state.isAbandoned
                state.isAbandoned = true
                state.blocks = []
                state.first = 0
                state.outstanding = 0
                defer { state.reader = nil }
                return (state.reader, wasRunning)
            }
            if wasRunning { exchange.core.post(NC_COMMAND_CANCEL, exchange) }
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
                        if resumes { exchange.core.post(NC_COMMAND_RESUME_RECEIVING, exchange) }
                        continuation.resume(returning: block)
                    }
                }
            } onCancel: {
                abandon()
            }
        }

        private func step(_ state: inout State) -> Step {
            if state.isAbandoned { return .failed(CancellationError()) }
            if state.first < state.blocks.count {
                let block = state.blocks[state.first]
                state.blocks[state.first] = Data()
                state.first += 1
                if state.first == state.blocks.count {
                    state.blocks.removeAll(keepingCapacity: true)
                    state.first = 0
                }
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

    /// The reader's end of a channel: when nobody holds it any more, nobody will read, and the transfer ends.
    ///
    /// It keeps the transport alive, so that a body can be read after its transport was let go.
    final class CurlBodyReader: Sendable {
        private let channel: CurlBodyChannel
        private let transport: CurlTransport

        init(channel: CurlBodyChannel, transport: CurlTransport) {
            self.channel = channel
            self.transport = transport
        }

        deinit {
            channel.abandon()
        }

        func next() async throws -> Data? {
            try await channel.next()
        }
    }
#endif
