import NetCore

/// The pieces of a multipart body in order. Small pieces in memory are joined; large ones and files stay where they are.
struct MultipartLayout {
    private var segments: [HTTPBody] = []
    private var pending = Data()
    /// The length so far, or nil if that of a part is unknown.
    private var length: Int64? = 0
    private var isReplayable = true
    /// A boundary that must not occur in the parts in memory.
    private let forbidden: String?

    /// A part of up to this size is copied, since that costs less than another chunk.
    private static let smallPart = 16 * 1024
    /// A form in memory of up to this size becomes one piece, which transports and interceptors can use directly.
    private static let smallForm: Int64 = 256 * 1024

    init(forbidden: String?) { self.forbidden = forbidden }

    /// Adds headers and boundaries.
    mutating func add(_ text: String) {
        pending.append(contentsOf: text.utf8)
        length = length.map { $0 &+ Int64(text.utf8.count) }
    }

    /// Adds the content of a part.
    mutating func add(_ body: HTTPBody) throws {
        if let length, let more = body.length {
            let (sum, overflows) = length.addingReportingOverflow(more)
            // Leaves room for the boundaries that follow, which are added without a check.
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
                throw RequestBuildingError("The boundary '\(forbidden)' occurs in a part. Use a random boundary.")
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

    mutating func body() throws -> HTTPBody {
        flush()
        let data = segments.compactMap(\.data)
        if data.count == segments.count, data.count == 1 || length.map({ $0 <= Self.smallForm }) == true {
            return HTTPBody(data.count == 1 ? data[0] : Data(data.joined()))
        }
        guard !isReplayable else {
            return HTTPBody(
                source: .stream { [segments] in MultipartReader.chunks(of: segments) }, length: length,
                isReplayable: true, pieces: segments.allSatisfy(\.isAtRest) ? segments : nil)
        }
        // A part that can be read once would fail when it is read again. This fails before a byte is sent.
        return HTTPBody(length: length, once: { [segments] in MultipartReader.chunks(of: segments) })
    }
}

extension HTTPBody {
    fileprivate var isAtRest: Bool { if case .stream = source { false } else { true } }
}

/// Reads the pieces of a multipart body, with one chunk in memory at a time.
final class MultipartReader {
    private enum State {
        case data(Data)
        case file(OpenFile)
        case body(HTTPBody.AsyncIterator, declared: Int64?, count: Int64)
    }

    private var rest: ArraySlice<HTTPBody>
    private var state: State?

    /// The size of a transport's buffer.
    private static let chunkSize = 256 * 1024

    private init(_ segments: [HTTPBody]) { rest = segments[...] }

    static func chunks(of segments: [HTTPBody]) -> HTTPBody.ChunkReader {
        let reader = MultipartReader(segments)
        return { try await reader.next() }
    }

    private func next() async throws -> Data? {
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

    /// Returns the next chunk of the current piece, or nil at its end.
    private func chunk() async throws -> Data? {
        switch state {
        case nil: return nil
        case .data(let data):
            state = .data(data.dropFirst(Self.chunkSize))
            return data.isEmpty ? nil : data.prefix(Self.chunkSize)
        case .file(let file): return try file.read(upToCount: Self.chunkSize)
        case .body(var iterator, let declared, var count):
            let chunk = try await iterator.next()
            count += Int64(chunk?.count ?? 0)
            // The length of `HTTPBody(length:pulling:)` is not checked elsewhere, and a wrong one would shift the boundary.
            if let declared, count > declared || chunk == nil && count < declared {
                throw TransportError(
                    .requestBodyFailed, phase: .sending,
                    message: "A part has \(count) bytes\(chunk == nil ? "" : " or more"), but declared \(declared).")
            }
            state = .body(iterator, declared: declared, count: count)
            return chunk
        }
    }
}
