/// The body of a request or a response: a sequence of chunks, with its length if known, and whether it can be read twice.
///
/// A body is made from data, a file, or a stream. Reading applies back pressure: the next chunk is fetched on demand, so memory use is
/// constant. Collecting always has a limit.
///
/// ```swift
/// for try await chunk in response.body { file.write(chunk) }
/// let data = try await response.body.collect(upTo: 1 << 20)
/// ```
///
/// A body that is not ``isReplayable`` can be read once. Reading it again throws ``NetworkError/bodyNotReplayable``, so that a retry or
/// redirect fails instead of sending an empty body.
public struct HTTPBody: Sendable {
    /// The number of bytes, or nil if unknown before reading.
    public let length: Int64?
    /// Whether the body can be read more than once, each time from the start.
    public let isReplayable: Bool
    package let source: Source
    /// The consecutive data and files that the body consists of, so that a transport can read them directly. Nil for other bodies.
    package let pieces: [HTTPBody]?
    /// The body before the client compressed it; nil if it did not.
    package let uncoded: UncodedBody?

    /// The source of the bytes. Transports use data and files directly.
    package enum Source: Sendable {
        case data(Data)
        case file(FileSegment)
        case stream(@Sendable () -> ChunkReader)
    }

    /// Returns the next chunk, or nil at the end. It has one reader at a time.
    package typealias ChunkReader = () async throws -> Data?

    package init(
        source: Source, length: Int64?, isReplayable: Bool, pieces: [HTTPBody]? = nil, uncoded: UncodedBody? = nil
    ) {
        self.source = source
        self.pieces = pieces
        self.uncoded = uncoded
        // A custom transport may pass a negative length from a server.
        self.length = length.flatMap { $0 < 0 ? nil : $0 }
        self.isReplayable = isReplayable
    }

    public static let empty = HTTPBody(Data())

    /// Creates a replayable body from data.
    public init(_ data: Data) { self.init(source: .data(data), length: Int64(data.count), isReplayable: true) }

    /// Creates a replayable body from text, as UTF-8.
    public init(_ text: String) { self.init(Data(text.utf8)) }

    /// Creates a replayable body from a file, which is read when it is sent.
    ///
    /// The length is fixed here. A file that is shorter when it is read fails with ``TransportError/Code/requestBodyFailed``; bytes added
    /// meanwhile are not sent.
    ///
    /// - Throws: an error that describes the problem, if the file does not exist or cannot be read.
    public init(file url: URL) throws {
        let segment = try FileSegment(url: url)
        self.init(source: .file(segment), length: segment.length, isReplayable: true)
    }

    /// Creates a body from a sequence that can be read once.
    ///
    /// - Parameters:
    ///   - stream: the chunks, in order.
    ///   - length: the exact number of bytes, or nil to send a request in chunked coding. A sequence that yields more or fewer bytes fails
    ///     the request with ``TransportError/Code/requestBodyFailed``.
    public init<Chunks: AsyncSequence & Sendable>(stream: Chunks, length: Int64? = nil) where Chunks.Element == Data {
        self.init(length: length, once: { Self.reader(of: stream, length: length) })
    }

    /// Creates a replayable body from a sequence that is made anew for each attempt.
    ///
    /// - Parameters:
    ///   - length: the exact number of bytes, or nil: see ``init(stream:length:)``.
    ///   - makeStream: called for each reading; must yield the same bytes each time.
    public init<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, replaying makeStream: @escaping @Sendable () -> Chunks
    ) where Chunks.Element == Data {
        self.init(source: .stream { Self.reader(of: makeStream(), length: length) }, length: length, isReplayable: true)
    }

    /// Creates a body that can be read once, from a closure that returns chunks and then nil. For transports.
    public init(length: Int64? = nil, pulling next: @escaping @Sendable () async throws -> Data?) {
        self.init(length: length, once: { next })
    }

    package init(length: Int64?, once makeReader: @escaping @Sendable () -> ChunkReader) {
        let once = OnceFlag()
        self.init(
            source: .stream { once.take() ? makeReader() : { throw NetworkError.bodyNotReplayable } },
            length: length, isReplayable: false)
    }

    /// Reads a sequence and enforces its declared length: a peer would read excess bytes as the next request, and wait for missing ones.
    private static func reader<Chunks: AsyncSequence & Sendable>(of chunks: Chunks, length: Int64?) -> ChunkReader
    where Chunks.Element == Data {
        // Unsafe: a body has one reader at a time.
        nonisolated(unsafe) var iterator = chunks.makeAsyncIterator()
        guard let length, length >= 0 else { return { try await iterator.next() } }
        var rest = length
        return {
            guard let chunk = try await iterator.next() else {
                guard rest == 0 else { throw wrongLength("ended after \(length - rest)", declared: length) }
                return nil
            }
            rest -= Int64(chunk.count)
            guard rest >= 0 else { throw wrongLength("has more", declared: length) }
            return chunk
        }
    }

    private static func wrongLength(_ what: String, declared: Int64) -> TransportError {
        TransportError(
            .requestBodyFailed, phase: .sending, message: "The body's stream \(what) bytes; \(declared) were declared.")
    }
}

extension HTTPBody: AsyncSequence {
    /// A chunk, which is never empty.
    public typealias Element = Data

    /// Reads the body from its start. If it is not replayable, only the first iterator yields the bytes.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .data(let data): AsyncIterator(state: .data(data))
        case .file(let segment): AsyncIterator(state: .file(segment, offset: 0))
        case .stream(let makeReader): AsyncIterator(state: .stream(makeReader()))
        }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        enum State {
            case data(Data)
            case file(FileSegment, offset: Int64)
            case stream(ChunkReader)
            case ended
        }

        var state: State

        /// Returns the next chunk, or nil at the end.
        ///
        /// - Throws: the source's error: a ``TransportError`` if the connection was lost, `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Data? {
            switch state {
            case .ended: return nil
            case .data(let data):
                state = .ended
                return data.isEmpty ? nil : data
            case .file(let segment, let offset):
                try Task.checkCancellation()
                let chunk = try await Self.read(segment, at: offset)
                state = chunk.map { .file(segment, offset: offset + Int64($0.count)) } ?? .ended
                return chunk
            case .stream(let read):
                while let chunk = try await read() { if !chunk.isEmpty { return chunk } }
                state = .ended
                return nil
            }
        }

        /// Reads off the caller's actor, because a disk may be slow.
        @concurrent private static func read(_ segment: FileSegment, at offset: Int64) async throws -> Data? {
            try segment.read(at: offset)
        }
    }
}

extension HTTPBody: RedactedReflectable {
    /// Kind and length, without content.
    public var description: String {
        let kind =
            switch source {
            case .data: "data"
            case .file: "file"
            case .stream: "stream"
            }
        return "HTTPBody(\(kind), \(length.map { "\($0) bytes" } ?? "unknown length"))"
    }

    /// The length, without content.
    public var shownFields: KeyValuePairs<String, Any?> { ["length": length, "isReplayable": isReplayable] }
}

extension HTTPBody {
    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` as soon as the limit is exceeded (at once if ``length`` is known), and the
    ///   errors of reading.
    public func collect(upTo limit: Int) async throws -> Data {
        if let length, length > Int64(limit) { throw NetworkError.responseTooLarge(limit: limit) }
        if case .data(let data) = source { return data }
        var result = Data()
        // At most 16 MiB, since a server may declare any length.
        if let length { result.reserveCapacity(Int(Swift.min(length, 16 << 20))) }
        for try await chunk in self {
            guard chunk.count <= limit - result.count else { throw NetworkError.responseTooLarge(limit: limit) }
            result.append(chunk)
        }
        return result
    }

    /// Reads the start of the body into memory, up to a number of bytes. For the bodies of error responses.
    ///
    /// - Parameter limit: the maximum number of bytes; a negative number counts as zero.
    public func prefix(upTo limit: Int) async throws -> Data {
        guard limit > 0 else { return Data() }
        if case .data(let data) = source { return data.prefix(limit) }
        var result = Data()
        for try await chunk in self {
            result.append(chunk.prefix(limit - result.count))
            if result.count >= limit { break }
        }
        return result
    }

    /// How much of the body of an error response is read into memory, in bytes. Hooks, policies and errors see no more of it.
    package static let errorLimit = 1 << 20

    /// Reads the start into memory and returns it with a body that still has all bytes.
    package func peek(upTo limit: Int) async throws -> (start: Data, whole: HTTPBody) {
        if isReplayable { return (try await prefix(upTo: limit), self) }
        var iterator = makeAsyncIterator()
        var start = Data()
        while start.count < limit {
            guard let chunk = try await iterator.next() else { return (start, HTTPBody(start)) }
            start.append(chunk)
        }
        // Unsafe: a body has one reader at a time.
        nonisolated(unsafe) var (read, rest) = (Optional(start), iterator)
        let whole = HTTPBody(length: length) {
            guard let start = read else { return try await rest.next() }
            read = nil
            return start
        }
        return (start.prefix(Swift.max(0, limit)), whole)
    }

    /// The bytes if they are in memory, else nil.
    public var data: Data? { if case .data(let data) = source { data } else { nil } }

    /// Returns the same body with transformed errors.
    ///
    /// - Parameter includingCancellation: whether a `CancellationError` is transformed too.
    package func mappingErrors(
        includingCancellation: Bool = false, _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> HTTPBody {
        guard case .stream(let makeReader) = source else { return self }
        let mapped = Source.stream {
            let read = makeReader()
            return {
                do {
                    return try await read()
                } catch let error as CancellationError where !includingCancellation {
                    throw error
                } catch { throw transform(error) }
            }
        }
        return HTTPBody(source: mapped, length: length, isReplayable: isReplayable)
    }
}
