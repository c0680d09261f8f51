import NetCore

/// The pieces of a multipart body in their order: small ones joined, large ones left where they lie.
struct MultipartLayout {
    private var segments: [HTTPBody] = []
    private var pending = Data()
    /// Nil if a part does not know its own.
    private var length: Int64? = 0
    private var isReplayable = true
    /// The boundary that must not occur in what is in memory.
    private let forbidden: String?

    /// What is not larger is copied together, since it costs less than another chunk.
    private static let smallPart = 16 * 1024
    /// A form that is in memory and not larger becomes one piece, which transports and interceptors take at once.
    private static let smallForm: Int64 = 256 * 1024

    init(forbidden: String?) {
        self.forbidden = forbidden
    }

    /// Headers and boundaries.
    mutating func add(_ text: String) {
        pending.append(contentsOf: text.utf8)
        length = length.map { $0 &+ Int64(text.utf8.count) }
    }

    /// The content of a part.
    mutating func add(_ body: HTTPBody) throws {
        if let length, let more = body.length {
            let (sum, overflows) = length.addingReportingOverflow(more)
            // Some room for the boundaries that follow, which are counted without a look.
            guard !overflows, sum < .max - (1 << 40) else {
                throw RequestBuildingError("The lengths of the parts add up to more than a body can have.")
            }
            self.length = sum
        } else {
            length = nil
        }
        isReplayable = isReplayable && body.isReplayable
        if let data = body.data {
            if let forbidden, MultipartBoundary.occurs(forbidden, in: data) {
                throw RequestBuildingError(
                    "The boundary '\(forbidden)' occurs in a part. Leave it out: a random one does not.")
            }
            if data.count <= Self.smallPart { return pending.append(data) }
        }
        flush()
        segments.append(body)
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        segments.append(HTTPBody(pending))
        pending = Data()
    }

    /// The whole.
    mutating func body() throws -> HTTPBody {
        flush()
        let data = segments.compactMap(\.data)
        if data.count == segments.count, data.count == 1 || length.map({ $0 <= Self.smallForm }) == true {
            return HTTPBody(data.count == 1 ? data[0] : Data(data.joined()))
        }
        let makeReader: @Sendable () -> HTTPBody.ChunkReader = { [segments] in
            let reader = MultipartReader(segments)
            return { try await reader.next() }
        }
        guard !isReplayable else {
            return HTTPBody(
                source: .stream(makeReader), length: length, isReplayable: true,
                pieces: segments.allSatisfy(\.isAtRest) ? segments : nil)
        }
        // A part that can be read once says so itself when it is read again; here it says so before a byte is sent.
        let isTaken = Locked(false)
        return HTTPBody(
            source: .stream {
                let isFirst = isTaken.withLock { taken in
                    defer { taken = true }
                    return !taken
                }
                return isFirst ? makeReader() : { throw NetworkError.bodyNotReplayable }
            },
            length: length, isReplayable: false)
    }
}

extension HTTPBody {
    /// Whether it is data or a file.
    fileprivate var isAtRest: Bool {
        if case .stream = source { false } else { true }
    }
}

/// Goes through the pieces of a multipart body, one chunk in memory at a time.
final class MultipartReader {
    private enum State {
        case data(Data)
        case file(OpenFile)
        case body(HTTPBody.AsyncIterator, declared: Int64?, count: Int64)
    }

    private var rest: ArraySlice<HTTPBody>
    private var state: State?

    /// As large as a transport's buffer, so that data in memory is not queued as a whole.
    private static let chunkSize = 256 * 1024

    init(_ segments: [HTTPBody]) {
        rest = segments[...]
    }

    /// The next chunk, or nil at the end.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        while true {
            if let chunk = try await chunk() { return chunk }
            state = nil
            guard let segment = rest.popFirst() else { return nil }
            state =
                switch segment.source {
                case .data(let data): .data(data)
                case .file(let file): .file(try OpenFile(file))
                case .stream: .body(segment.makeAsyncIterator(), declared: segment.length, count: 0)
                }
        }
    }

    /// The next chunk of the piece that is being read, or nil at its end.
    private func chunk() async throws -> Data? {
        switch state {
        case nil: return nil
        case .data(let data):
            state = .data(data.dropFirst(Self.chunkSize))
            return data.isEmpty ? nil : data.prefix(Self.chunkSize)
        case .file(let file):
            return try file.read(upToCount: Self.chunkSize)
        case .body(var iterator, let declared, var count):
            let chunk = try await iterator.next()
            count += Int64(chunk?.count ?? 0)
            // A body by `HTTPBody(length:pulling:)` is not held to its word elsewhere, and another length would shift the boundary.
            if let declared, count > declared || chunk == nil && count < declared {
                throw TransportError(
                    .requestBodyFailed, phase: .sending,
                    message: "A part gave \(count) bytes\(chunk == nil ? "" : " or more"); \(declared) were declared.")
            }
            state = .body(iterator, declared: declared, count: count)
            return chunk
        }
    }
}
