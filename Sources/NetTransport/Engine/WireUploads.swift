#if os(Linux)
    import NetCore

    /// What was read of a request's body.
    enum UploadRead: Equatable {
        /// The number of bytes, at least 1.
        case bytes(Int)
        /// Nothing at the moment.
        case pause
        case end
        case failed
    }

    /// The body of a request.
    enum WireUpload {
        case none
        case data(Data)
        case source(any UploadSource)

        var source: (any UploadSource)? { if case .source(let source) = self { source } else { nil } }

        /// Reads the next bytes.
        ///
        /// - Parameter offset: how many were read before.
        func read(
            into buffer: UnsafeMutableRawBufferPointer, from offset: Int64, for exchange: HTTPExchange
        ) -> UploadRead {
            switch self {
            case .none: return .end
            case .data(let data):
                let count = data.dropFirst(Int(offset)).copyBytes(to: buffer)
                return count > 0 ? .bytes(count) : .end
            case .source(let source): return source.read(into: buffer, for: exchange)
            }
        }
    }

    /// A request body that is not in memory. The loop's thread reads it.
    protocol UploadSource: Sendable {
        /// The error that ended reading.
        var failure: (any Error)? { get }
        /// Reads the next bytes. The buffer is not empty.
        func read(into buffer: UnsafeMutableRawBufferPointer, for exchange: HTTPExchange) -> UploadRead
        /// Has the body read from its start again. Returns false if it cannot be.
        func rewind() -> Bool
        /// Reads nothing more.
        func close()
    }

    /// A sequence of data and files, which is read without a task and a copy in between.
    final class WirePieces: UploadSource {
        private struct State {
            /// The index of the piece that is being read.
            var index = 0
            /// The bytes of the piece that were read, if it is data.
            var offset = 0
            /// The open file, if the piece is one.
            var file: OpenFile?
            var failure: (any Error)?
        }

        private let pieces: [HTTPBody]
        private let state = Locked(State())

        init(_ pieces: [HTTPBody]) {
            self.pieces = pieces
        }

        var failure: (any Error)? { state.withLock { $0.failure } }

        func read(into buffer: UnsafeMutableRawBufferPointer, for exchange: HTTPExchange) -> UploadRead {
            state.withLock { state in
                do {
                    while state.index < pieces.count {
                        let count = try read(pieces[state.index], &state, into: buffer)
                        if count > 0 { return .bytes(count) }
                        state.index += 1
                        state.offset = 0
                        state.file = nil
                    }
                    return .end
                } catch {
                    state.failure = error
                    state.file = nil
                    return .failed
                }
            }
        }

        func rewind() -> Bool {
            close()
            return true
        }

        func close() {
            state.withLock { ($0.index, $0.offset, $0.file) = (0, 0, nil) }
        }

        private func read(
            _ piece: HTTPBody, _ state: inout State, into buffer: UnsafeMutableRawBufferPointer
        ) throws -> Int {
            switch piece.source {
            case .data(let data):
                let count = data.dropFirst(state.offset).copyBytes(to: buffer)
                state.offset += count
                return count
            case .file(let segment):
                let file = try state.file ?? OpenFile(segment)
                state.file = file
                return try file.read(into: buffer)
            case .stream:
                throw NetworkError.bodyNotReplayable
            }
        }
    }

    /// A stream between the task that produces it and the loop's thread. It holds about 256 KiB at most.
    final class WireFeed: UploadSource {
        private struct State {
            var chunks = FIFO<Data>()
            /// The bytes of the first chunk that were taken.
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

        var failure: (any Error)? { state.withLock { $0.failure } }

        /// Whether no byte was taken, so that another connection can send the body from its start.
        func rewind() -> Bool {
            state.withLock { $0.consumed == 0 }
        }

        // MARK: The loop's side

        func read(into buffer: UnsafeMutableRawBufferPointer, for exchange: HTTPExchange) -> UploadRead {
            var writer: UnsafeContinuation<Bool, Never>?
            let result = state.withLock { state -> UploadRead in
                if state.failure != nil { return .failed }
                if state.pump == nil { state.pump = pump(for: exchange) }
                let count = take(&state, into: buffer)
                if count == 0, !state.hasEnded {
                    state.isStarved = true
                    return .pause
                }
                if state.buffered < Self.capacity / 2 {
                    writer = state.writer
                    state.writer = nil
                }
                return count > 0 ? .bytes(count) : .end
            }
            writer?.resume(returning: true)
            return result
        }

        func close() {
            let (pump, writer) = state.withLock { state in
                state.isClosed = true
                state.chunks = FIFO()
                defer { (state.pump, state.writer) = (nil, nil) }
                return (state.pump, state.writer)
            }
            pump?.cancel()
            writer?.resume(returning: false)
        }

        private func take(_ state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            // With a declared length, the last byte waits for the end of the stream. A stream that is too long then fails before its request
            // is complete, and the server does not act on a part of it.
            var available = Int64(state.buffered)
            if let length, !state.hasEnded { available = min(available, max(0, length - 1 - state.consumed)) }
            let wanted = Int(min(available, Int64(buffer.count)))
            var copied = 0
            while copied < wanted, let chunk = state.chunks.first {
                let count = chunk.dropFirst(state.offset).copyBytes(to: .init(rebasing: buffer[copied..<wanted]))
                copied += count
                state.offset += count
                if state.offset == chunk.count {
                    state.offset = 0
                    _ = state.chunks.popFirst()
                }
            }
            state.buffered -= copied
            state.consumed += Int64(copied)
            return copied
        }

        // MARK: The body's side

        private func pump(for exchange: HTTPExchange) -> Task<Void, Never> {
            Task { [body] in
                do {
                    for try await chunk in body {
                        guard try await push(chunk, exchange) else { return }
                    }
                    try end(exchange)
                } catch {
                    fail(error, exchange)
                }
            }
        }

        /// Returns false if no more is wanted.
        private func push(_ chunk: Data, _ exchange: HTTPExchange) async throws -> Bool {
            let (isWanted, isFull, wakes) = try state.withLock { state throws -> (Bool, Bool, Bool) in
                if state.isClosed { return (false, false, false) }
                state.produced += Int64(chunk.count)
                if let length, state.produced > length { throw lengthError("more than", exchange) }
                state.chunks.append(chunk)
                state.buffered += chunk.count
                defer { state.isStarved = false }
                return (true, state.buffered >= Self.capacity, state.isStarved)
            }
            if wakes { exchange.post(.resumeSending) }
            guard isFull else { return isWanted }
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

        private func end(_ exchange: HTTPExchange) throws {
            let wakes = try state.withLock { state in
                if let length, state.produced < length { throw lengthError("fewer than", exchange) }
                state.hasEnded = true
                defer { state.isStarved = false }
                return state.isStarved
            }
            if wakes { exchange.post(.resumeSending) }
        }

        private func fail(_ error: any Error, _ exchange: HTTPExchange) {
            let isOpen = state.withLock { state in
                if !state.isClosed { state.failure = error }
                return !state.isClosed
            }
            if isOpen { exchange.post(.bodyFailed) }
        }

        private func lengthError(_ comparison: String, _ exchange: HTTPExchange) -> TransportError {
            TransportError(
                .requestBodyFailed, phase: .sending,
                message: "The request's body has \(comparison) the \(length ?? 0) bytes that it declared.",
                url: exchange.url,
                isUnprocessed: false)
        }
    }
#endif
