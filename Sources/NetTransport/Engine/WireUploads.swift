#if os(Linux)
    import NetCore

    /// What a source of a request's body has read.
    enum UploadRead: Equatable {
        /// The number of bytes, at least 1.
        case bytes(Int)
        /// Nothing at the moment.
        case pause
        case end
        case failed
    }

    /// A request body that is a sequence of data and files. The loop's thread reads it directly, without a task and a copy in between.
    final class WirePieces: Sendable {
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

        /// The error that ended reading.
        var failure: (any Error)? { state.withLock { $0.failure } }

        /// Reads the next bytes.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead {
            guard let start = buffer.baseAddress else { return .failed }
            return state.withLock { state in
                do {
                    while state.index < pieces.count {
                        let count = try read(pieces[state.index], &state, into: start, capacity: buffer.count)
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

        /// Starts from the beginning, with no file open.
        func rewind() {
            state.withLock { state in
                (state.index, state.offset, state.file) = (0, 0, nil)
            }
        }

        private func read(
            _ piece: HTTPBody, _ state: inout State, into buffer: UnsafeMutableRawPointer, capacity: Int
        ) throws -> Int {
            switch piece.source {
            case .data(let data):
                let count = min(capacity, data.count - state.offset)
                data.withUnsafeBytes { bytes in
                    _ = bytes.baseAddress.map { memcpy(buffer, $0 + state.offset, count) }
                }
                state.offset += count
                return count
            case .file(let segment):
                let file = try state.file ?? OpenFile(segment)
                state.file = file
                return try file.read(into: buffer, upToCount: capacity)
            case .stream:
                throw NetworkError.bodyNotReplayable
            }
        }
    }

    /// A streamed request body between the task that produces it and the loop's thread. It holds about 256 KiB at most.
    final class WireFeed: Sendable {
        private struct State {
            var chunks: [Data] = []
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

        /// The error that the body threw.
        var failure: (any Error)? { state.withLock { $0.failure } }

        /// Whether no byte was taken, so that another connection can send the body from its start.
        var isUntouched: Bool { state.withLock { $0.consumed == 0 } }

        // MARK: The loop's side

        /// Reads the next bytes.
        func read(into buffer: UnsafeMutableRawBufferPointer, for exchange: HTTPExchange) -> UploadRead {
            guard let start = buffer.baseAddress else { return .failed }
            var writer: UnsafeContinuation<Bool, Never>?
            let result = state.withLock { state -> UploadRead in
                if state.failure != nil { return .failed }
                if state.pump == nil { state.pump = pump(for: exchange) }
                let count = take(&state, into: start, capacity: buffer.count)
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

        /// Ends the feed: nothing more is read.
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

        private func take(_ state: inout State, into buffer: UnsafeMutableRawPointer, capacity: Int) -> Int {
            // With a declared length, the last byte waits for the end of the stream. A stream that is too long then fails before its request
            // is complete, and the server does not act on a part of it.
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

        private func pump(for exchange: HTTPExchange) -> Task<Void, Never> {
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

        /// Returns false if no more is wanted.
        private func push(_ chunk: Data, _ exchange: HTTPExchange) async -> Bool {
            let (verdict, wakes) = state.withLock { state -> (Verdict, Bool) in
                if state.isClosed { return (.stop, false) }
                state.produced += Int64(chunk.count)
                if let length, state.produced > length { return (.tooLong, false) }
                state.chunks.append(chunk)
                state.buffered += chunk.count
                defer { state.isStarved = false }
                return (state.buffered >= Self.capacity ? .wait : .goOn, state.isStarved)
            }
            if wakes { exchange.post(.resumeSending) }
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

        private func end(_ exchange: HTTPExchange) throws {
            let (isShort, wakes) = state.withLock { state in
                let isShort = length.map { state.produced < $0 } ?? false
                if !isShort { state.hasEnded = true }
                defer { state.isStarved = false }
                return (isShort, state.isStarved)
            }
            if isShort { throw lengthError("fewer than", exchange) }
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
