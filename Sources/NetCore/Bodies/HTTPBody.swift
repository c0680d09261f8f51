/// The body of a request or a response: a sequence of chunks that says how long it is and whether it can be read twice.
///
/// Made from data, a file, or a stream. Reading goes chunk by chunk with back-pressure: the next chunk is fetched when it is
/// asked for, so memory stays flat whatever the size. Collecting always takes a limit.
///
/// ```swift
/// for try await chunk in response.body { file.write(chunk) }
/// let data = try await response.body.collect(upTo: 1 << 20)
/// ```
///
/// A body that is not ``isReplayable`` can be read once. A second attempt to read it throws
/// ``NetworkError/bodyNotReplayable``, so a retry or a redirect that would send an empty body fails instead.
public struct HTTPBody: Sendable {
    /// The number of bytes, where it is known before reading.
    public let length: Int64?
    /// Whether it can be read more than once, each time from the start.
    public let isReplayable: Bool
    package let source: Source
    /// The same bytes as data and files one behind the other, where they are that: a transport can read them where they lie.
    package let pieces: [HTTPBody]?

    /// Where the bytes come from. Transports look at it to take data and files without going through the sequence.
    package enum Source: Sendable {
        case data(Data)
        case file(FileSegment)
        case stream(@Sendable () -> ChunkReader)
    }

    /// Returns the next chunk, or nil at the end. Called by one reader at a time.
    package typealias ChunkReader = () async throws -> Data?

    package init(source: Source, length: Int64?, isReplayable: Bool, pieces: [HTTPBody]? = nil) {
        self.source = source
        self.pieces = pieces
        // A transport of somebody's may hand on what a server claims.
        self.length = length.flatMap { $0 < 0 ? nil : $0 }
        self.isReplayable = isReplayable
    }

    /// No bytes.
    public static let empty = HTTPBody(Data())

    /// Bytes in memory. Replayable.
    public init(_ data: Data) {
        self.init(source: .data(data), length: Int64(data.count), isReplayable: true)
    }

    /// Text, as UTF-8. Replayable.
    public init(_ text: String) {
        self.init(Data(text.utf8))
    }

    /// The bytes of a file, read when they are sent. Replayable.
    ///
    /// The length is taken now. A file that is shorter when it is read gives ``TransportError/Code/requestBodyFailed``;
    /// what a longer one has gained is not sent.
    ///
    /// - Throws: ``RequestBuildingError`` if there is no such file, or it cannot be read.
    public init(file url: URL) throws {
        let segment = try FileSegment(url: url)
        self.init(source: .file(segment), length: segment.length, isReplayable: true)
    }

    /// A sequence of chunks that can be read once.
    ///
    /// - Parameters:
    ///   - stream: the chunks, in their order.
    ///   - length: the exact number of bytes, if known. Without it a request is sent in chunked coding. With it, a
    ///     sequence that yields more or fewer bytes fails the request with ``TransportError/Code/requestBodyFailed``.
    public init<Chunks: AsyncSequence & Sendable>(stream: Chunks, length: Int64? = nil) where Chunks.Element == Data {
        let once = OnceFlag()
        self.init(
            source: .stream {
                guard once.take() else { return { throw NetworkError.bodyNotReplayable } }
                return Self.reader(of: stream, length: length)
            },
            length: length,
            isReplayable: false
        )
    }

    /// A sequence that can be made anew for each attempt. Replayable.
    ///
    /// - Parameters:
    ///   - length: the exact number of bytes, if known: see ``init(stream:length:)``.
    ///   - makeStream: called for each reading; has to give the same bytes each time.
    public init<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, replaying makeStream: @escaping @Sendable () -> Chunks
    ) where Chunks.Element == Data {
        self.init(
            source: .stream { Self.reader(of: makeStream(), length: length) }, length: length, isReplayable: true)
    }

    /// Chunks from a closure, for transports: called until it gives nil. Can be read once.
    public init(length: Int64? = nil, pulling next: @escaping @Sendable () async throws -> Data?) {
        let once = OnceFlag()
        self.init(
            source: .stream {
                guard once.take() else { return { throw NetworkError.bodyNotReplayable } }
                return next
            },
            length: length,
            isReplayable: false
        )
    }

    /// Reads a sequence, and holds it to the length that was declared for it: a peer would take what is too much for the
    /// next request, and wait for what is missing.
    private static func reader<Chunks: AsyncSequence & Sendable>(of chunks: Chunks, length: Int64?) -> ChunkReader
    where Chunks.Element == Data {
        // Unsafe: a body is read by one reader at a time, whatever executor that is on.
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
            .requestBodyFailed, phase: .sending,
            message: "The body's stream \(what) bytes; \(declared) were declared.")
    }
}

extension HTTPBody: AsyncSequence {
    /// A chunk: never empty.
    public typealias Element = Data

    /// Reads the body from its start. Of one that is not replayable, only the first iterator gives the bytes.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .data(let data): AsyncIterator(state: .data(data))
        case .file(let segment): AsyncIterator(state: .file(segment, offset: 0))
        case .stream(let makeReader): AsyncIterator(state: .stream(makeReader()))
        }
    }

    /// Goes through the chunks of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        enum State {
            case data(Data)
            case file(FileSegment, offset: Int64)
            case stream(ChunkReader)
            case ended
        }

        var state: State

        /// The next chunk, or nil at the end.
        ///
        /// - Throws: what the source throws: a ``TransportError`` if the connection broke, `CancellationError` if the task
        ///   was cancelled.
        public mutating func next() async throws -> Data? {
            switch state {
            case .ended:
                return nil
            case .data(let data):
                state = .ended
                return data.isEmpty ? nil : data
            case .file(let segment, let offset):
                try Task.checkCancellation()
                let chunk = try await Self.read(segment, at: offset)
                state = chunk.map { .file(segment, offset: offset + Int64($0.count)) } ?? .ended
                return chunk
            case .stream(let read):
                while let chunk = try await read() {
                    if !chunk.isEmpty { return chunk }
                }
                state = .ended
                return nil
            }
        }

        /// A disk may take its time: not on an actor's thread.
        @concurrent
        private static func read(_ segment: FileSegment, at offset: Int64) async throws -> Data? {
            try segment.read(at: offset)
        }
    }
}

extension HTTPBody: RedactedReflectable {
    /// Kind and length; no content.
    public var description: String {
        let kind =
            switch source {
            case .data: "data"
            case .file: "file"
            case .stream: "stream"
            }
        return "HTTPBody(\(kind), \(length.map { "\($0) bytes" } ?? "unknown length"))"
    }

    /// The length; no content.
    public var shownFields: KeyValuePairs<String, Any?> { ["length": length, "isReplayable": isReplayable] }
}
