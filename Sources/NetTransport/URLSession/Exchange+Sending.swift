// The request's body: events of the session's delegate, and how the body is handed to `URLSession`.
extension Exchange {
    func didSend(_ count: Int64) {
        let progress: RequestContext.Progress? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.lastActivity = ExchangeDeadlines.now
            state.progress.bytesSent += count
            if state.head == nil { state.phase = state.progress.bytesSent == upload.length ? .waiting : .sending }
            return state.progress
        }
        guard let progress else { return }
        reportProgress?(progress)
        if progress.bytesSent == upload.length { reportStep?(.requestSent) }
    }

    /// Returns a stream of the request's body, or nil if it has none or cannot start again.
    func makeBodyStream() -> InputStream? {
        if case .none = upload.kind { return nil }
        let isFirst = state.withLock { state in
            defer { state.hasGivenStream = true }
            return !state.hasGivenStream
        }
        guard case .stream(let body) = upload.kind,
            isFirst || URLSessionPlatform.canRestartStreams && body.isReplayable
        else {
            stop(URLSessionPlatform.errorForRewind(of: self))
            return nil
        }
        return makeStream(of: body)
    }
}

/// A request's body in the terms of `URLSession`.
struct Upload: Sendable {
    enum Kind: Sendable {
        case none
        case data(Data)
        case file(URL)
        /// Read while it is sent.
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

    /// Whether the segment is a whole file, which is all that a task can take. A file that has grown since the body was made is not.
    private static func isWhole(_ segment: FileSegment) -> Bool {
        guard segment.offset == 0 else { return false }
        let attributes = try? FileManager.default.attributesOfItem(atPath: segment.url.path)
        return (attributes?[.size] as? NSNumber)?.int64Value == segment.length
    }

    /// Returns the request for `URLSession`.
    func prepare(_ original: URLRequest) -> URLRequest {
        var request = original
        // A week, so that only our own timer counts: on Linux this one has whole seconds, and 0 fails at once.
        request.timeoutInterval = 604_800
        // Set at once: each `setValue` costs more than a microsecond on Linux.
        var fields = original.allHTTPHeaderFields ?? [:]
        // The framing follows from the body. Fields that contradict it would allow request smuggling.
        let framing = fields.keys.filter { ["content-length", "transfer-encoding"].contains($0.asciiLowercased) }
        if case .none = kind, framing.isEmpty { return request }
        for name in framing { fields[name] = nil }
        if isStream { URLSessionPlatform.frameStream(&fields, length: length) }
        request.allHTTPHeaderFields = nil
        request.allHTTPHeaderFields = fields
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
    /// Sends the chunks until `send` returns false.
    ///
    /// - Throws: the errors of the body and of `send`, and ``TransportError/Code/requestBodyFailed`` if the body has another length than it
    ///   declares.
    func sendChunks(_ send: (Data) async throws -> Bool) async throws {
        var count: Int64 = 0
        for try await chunk in self {
            count += Int64(chunk.count)
            if let length, count > length { throw Self.failure("has more than its \(length) bytes") }
            guard try await send(chunk) else { return }
        }
        if let length, count < length { throw Self.failure("ended after \(count) of \(length) bytes") }
    }

    private static func failure(_ text: String) -> TransportError {
        TransportError(.requestBodyFailed, phase: .sending, message: "The request's body \(text).")
    }
}
