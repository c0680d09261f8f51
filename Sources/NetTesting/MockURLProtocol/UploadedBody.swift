import NetCore

/// The body of a request that a `URLProtocol` got, wherever it stands.
///
/// Unchecked: a stream is handed on from the session and read by one task only.
struct UploadedBody: @unchecked Sendable {
    enum Source {
        case none
        case data(Data)
        case file(URL)
        case stream(InputStream)
        /// Somebody has to be asked for the stream.
        case question((@escaping @Sendable (InputStream?) -> Void) -> Void)
    }

    private let source: Source

    init(of task: URLSessionTask?, request: URLRequest) {
        if let data = request.httpBody {
            source = .data(data)
        } else if let stream = request.httpBodyStream {
            source = .stream(stream)
        } else {
            #if canImport(Darwin)
            // The request of an upload task has the body as a stream.
            source = .none
            #else
            source = task.map(Self.source) ?? .none
            #endif
        }
    }

    /// All of it; nil if there is none.
    func collect() async throws -> Data? {
        switch source {
        case .none: return nil
        case .data(let data): return data
        case .file(let url): return try Data(contentsOf: url)
        case .stream(let stream): return try await Self.read(Unshared(stream: stream))
        case .question(let ask):
            let unshared = await withCheckedContinuation { continuation in
                ask { continuation.resume(returning: $0.map(Unshared.init)) }
            }
            guard let unshared else { return nil }
            return try await Self.read(unshared)
        }
    }

    /// Unchecked: handed on, and read by one thread only.
    private struct Unshared: @unchecked Sendable {
        let stream: InputStream
    }

    /// Reading blocks for as long as somebody writes the other end, so it gets a thread of its own.
    private static func read(_ unshared: Unshared) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try readToEnd(unshared.stream) }) }
        }
    }

    private static func readToEnd(_ stream: InputStream) throws -> Data {
        stream.open()
        defer { stream.close() }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}
