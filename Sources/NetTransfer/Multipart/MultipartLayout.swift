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
