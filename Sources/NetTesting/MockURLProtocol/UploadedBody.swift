import NetCore

/// The body of a request to a `URLProtocol`.
///
/// Unchecked, since only one task reads a stream.
struct UploadedBody: @unchecked Sendable {
    enum Source {
        case none
        case data(Data)
        case file(URL)
        case stream(InputStream)
        /// A delegate gives the stream.
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

    /// Reads the whole body. Returns nil if there is none.
    func collect() async throws -> Data? {
        switch source {
        case .none: return nil
        case .data(let data): return data
        case .file(let url): return try Data(contentsOf: url)
        case .stream(let stream): return try await Self.read(UncheckedSendable(stream))
        case .question(let ask):
            let stream = await withCheckedContinuation { continuation in
                ask { continuation.resume(returning: $0.map(UncheckedSendable.init)) }
            }
            guard let stream else { return nil }
            return try await Self.read(stream)
        }
    }

    /// Reads on a thread of its own, since reading blocks until the stream has bytes.
    private static func read(_ stream: UncheckedSendable<InputStream>) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try readToEnd(stream.value) }) }
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
