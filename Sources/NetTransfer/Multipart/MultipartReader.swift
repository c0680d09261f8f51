import NetCore

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
