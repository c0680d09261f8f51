/// How a request's body is handed to `URLSession`.
struct Upload: Sendable {
    enum Kind: Sendable {
        case none
        case data(Data)
        case file(URL)
        /// Pulled from the body while it is sent.
        case stream(HTTPBody)
    }

    let kind: Kind
    let length: Int64?

    /// - Throws: ``NetworkError/invalidURL``, or ``NetworkError/unsupported(_:)`` for a GET with a body, which `URLSession`
    ///   refuses to send.
    init(_ body: HTTPBody?, of request: URLRequest) throws {
        guard let url = request.url, let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            url.host?.isEmpty == false
        else { throw NetworkError.invalidURL }
        let method = request.httpMethod ?? "GET"
        guard let body, body.length != 0 || method != "GET" && method != "HEAD" else {
            kind = .none
            length = nil
            return
        }
        guard method != "GET" else {
            throw NetworkError.unsupported(
                "URLSession sends no body with GET. Use another method, such as QUERY or POST.")
        }
        length = body.length
        switch body.source {
        case .data(let data): kind = .data(data)
        case .file(let segment): kind = Self.isWhole(segment) ? .file(segment.url) : .stream(body)
        case .stream: kind = .stream(body)
        }
    }

    var isStream: Bool {
        if case .stream = kind { true } else { false }
    }

    /// A task can take a whole file only. One that has grown since the body was made is read up to the old length.
    private static func isWhole(_ segment: FileSegment) -> Bool {
        guard segment.offset == 0 else { return false }
        let attributes = try? FileManager.default.attributesOfItem(atPath: segment.url.path)
        return (attributes?[.size] as? NSNumber)?.int64Value == segment.length
    }

    /// The request as `URLSession` gets it.
    func prepare(_ original: URLRequest) -> URLRequest {
        var request = original
        // Out of the way of our own timer: on Linux it is cut to whole seconds, and 0 fails at once. A week.
        request.timeoutInterval = 604_800
        guard case .none = kind else {
            // One assignment: each `setValue` costs more than a microsecond on Linux.
            var fields = original.allHTTPHeaderFields ?? [:]
            // The framing follows from the body. Two opinions about it are a request-smuggling hole.
            for name in fields.keys
            where name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding") {
                fields[name] = nil
            }
            if isStream { URLSessionPlatform.frameStream(&fields, length: length) }
            request.allHTTPHeaderFields = nil
            request.allHTTPHeaderFields = fields
            return request
        }
        return request
    }

    func makeTask(in session: URLSession, request: URLRequest) -> URLSessionTask {
        switch kind {
        case .none: session.dataTask(with: request)
        case .data(let data): session.uploadTask(with: request, from: data)
        case .file(let url): session.uploadTask(with: request, fromFile: url)
        case .stream: session.uploadTask(withStreamedRequest: request)
        }
    }
}

extension HTTPBody {
    /// Goes through the chunks until `send` wants no more.
    ///
    /// - Throws: what the body and `send` throw, and ``TransportError/Code/requestBodyFailed`` if the body is not as long as it
    ///   says.
    func sendChunks(_ send: (Data) async throws -> Bool) async throws {
        var count: Int64 = 0
        for try await chunk in self {
            count += Int64(chunk.count)
            if let length, count > length { throw Self.failure("gave more than its \(length) bytes") }
            guard try await send(chunk) else { return }
        }
        if let length, count < length { throw Self.failure("ended after \(count) of \(length) bytes") }
    }

    private static func failure(_ text: String) -> TransportError {
        TransportError(.requestBodyFailed, phase: .sending, message: "The request's body \(text).")
    }
}
