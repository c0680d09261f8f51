// The response: events of the session's delegate, and the reader of the body.
extension Exchange {
    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        // FoundationNetworking delivers interim responses (RFC 9110, section 15.2). Apple's loader does not.
        guard response.statusCode >= 200 || response.statusCode == 101 else { return noteActivity() }
        do { accept(try ResponseHead(response, method: method, headerLimit: limits.headerBytes)) } catch { stop(error) }
    }

    private func accept(_ head: ResponseHead) {
        if case .collected(let limit) = delivery, let length = head.bodyLength, length > Int64(limit) {
            return stop(NetworkError.responseTooLarge(limit: limit))
        }
        state.withLock { state in
            state.lastActivity = ExchangeDeadlines.now
            state.head = head
            state.phase = .receivingBody
            state.progress.bytesToReceive = head.bodyLength
            if case .collected(let limit) = delivery, let length = head.bodyLength {
                state.buffer.reserveCapacity(min(limit, Int(length)))
            }
            updateMetrics(of: &state) { $0.firstByte = $1 }
        }
        reportStep?(.firstByteReceived)
        if !defersHead { deliverHead() }
    }

    /// Delivers the head of a streamed response to the caller, once.
    private func deliverHead() {
        guard case .streamed = delivery else { return }
        let (waiter, head, version) = state.withLock { state in
            let isReady = state.end == nil && state.head != nil
            return (isReady ? state.waiter.take() : nil, state.head, state.version)
        }
        guard let waiter, let head else { return }
        waiter.resume(returning: response(head, body: streamedBody(length: head.bodyLength), version: version))
    }

    func didReceive(_ data: Data) {
        var waiting: (reader: CheckedContinuation<Data?, any Error>, chunk: Data)?
        let (progress, exceeded): (RequestContext.Progress?, Int?) = state.withLock { state in
            guard state.end == nil else { return (nil, nil) }
            state.lastActivity = ExchangeDeadlines.now
            state.progress.bytesReceived += Int64(data.count)
            if let limit = limit(for: state.head), state.progress.bytesReceived > Int64(limit) { return (nil, limit) }
            state.buffer.append(data)
            if case .streamed = delivery, let reader = state.reader {
                waiting = (reader, state.buffer)
                (state.buffer, state.reader) = (Data(), nil)
            }
            return (state.progress, nil)
        }
        if let exceeded { return stop(NetworkError.responseTooLarge(limit: exceeded)) }
        guard let progress else { return }
        reportProgress?(progress)
        waiting?.reader.resume(returning: waiting?.chunk)
        deliverHead()
        updateFlow()
    }

    private func limit(for head: ResponseHead?) -> Int? {
        let decoded = head?.isContentEncoded == true ? limits.decodedBodyBytes : nil
        guard case .collected(let limit) = delivery else { return decoded }
        return min(limit, decoded ?? limit)
    }

    /// Refuses a redirect under the lock, so that the answer comes before a cancellation or not at all. It only queues a block.
    func refuseRedirect(_ answer: @Sendable (URLRequest?) -> Void) {
        state.withLock { state in
            if state.end == nil { answer(nil) }
        }
    }

    func didComplete(_ failure: (any Error)?, response: URLResponse?) {
        if let failure {
            let (phase, hasHead) = state.withLock { ($0.phase, $0.head != nil) }
            return _ = finish(.failure(URLSessionErrors.map(failure, phase: phase, hasHead: hasHead, url: url)))
        }
        // On Linux, the delegate is not told of a redirect without `Location`.
        if state.withLock({ $0.head == nil && $0.end == nil }), let response { didReceive(response) }
        finishReceived()
    }

    /// Ends the exchange with the response as received so far.
    func finishReceived() {
        let (head, received) = state.withLock { ($0.head, $0.progress.bytesReceived) }
        if let head, let length = head.bodyLength, received != length, !URLSessionPlatform.dropsBody(of: head) {
            let text = "The body ended after \(received) of \(length) bytes."
            finish(.failure(error(.truncatedBody, text, phase: .receivingBody)))
            return
        }
        deliverHead()
        finish(.success(()))
    }

    func noteActivity() { state.withLock { $0.lastActivity = ExchangeDeadlines.now } }
}

// MARK: Reading

extension Exchange {
    /// The body of a streamed response. Releasing it ends the transfer.
    func streamedBody(length: Int64?) -> HTTPBody {
        let reader = ExchangeReader(exchange: self)
        return HTTPBody(length: length, pulling: { try await reader.next() })
    }

    /// Returns the result for a reader, or nil if it has to wait.
    fileprivate func take() -> Result<Data?, any Error>? {
        state.withLock { state in
            if !state.buffer.isEmpty {
                defer { state.buffer = Data() }
                return .success(state.buffer)
            }
            return state.end?.map { nil }
        }
    }

    fileprivate func wait(_ reader: CheckedContinuation<Data?, any Error>) {
        let isReady = state.withLock { state in
            if !state.buffer.isEmpty || state.end != nil || state.reader != nil { return true }
            state.reader = reader
            return false
        }
        guard isReady else { return }
        // A second reader breaks the contract of `HTTPBody`. It fails, so that neither waits forever.
        reader.resume(with: take() ?? .failure(NetworkError.bodyNotReplayable))
    }

    /// Suspends the task when the reader is too far behind, and resumes it afterwards.
    func updateFlow() {
        guard URLSessionPlatform.canSuspend else { return }
        // A lock of its own keeps suspending and resuming in the order of the decisions.
        flow.withLock { isPaused in
            let (isFull, task) = state.withLock { state in
                (state.end == nil && state.buffer.count > limits.streamBufferBytes, state.task)
            }
            guard case .streamed = delivery, isFull != isPaused, let task else { return }
            isPaused = isFull
            if isFull {
                task.suspend()
            } else {
                state.withLock { $0.lastActivity = ExchangeDeadlines.now }
                task.resume()
            }
        }
    }
}

/// Reads the body of an exchange. Releasing it ends the exchange.
private final class ExchangeReader: Sendable {
    private let exchange: Exchange

    init(exchange: Exchange) { self.exchange = exchange }

    deinit { exchange.stop(CancellationError()) }

    func next() async throws -> Data? {
        try Task.checkCancellation()
        defer { exchange.updateFlow() }
        if let ready = exchange.take() { return try ready.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        } onCancel: {
            exchange.stop(CancellationError())
        }
    }
}

/// The head of a response, converted from Foundation's type and checked.
struct ResponseHead: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let url: URL?
    /// The length of the body that the reader gets; nil if it is unknown until the end.
    let bodyLength: Int64?
    let isContentEncoded: Bool
    /// Whether `URLSession` decodes the body.
    let isDecoded: Bool

    /// The codings that `URLSession` decodes, each by itself.
    private static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br"]

    init(_ response: HTTPURLResponse, method: String?, headerLimit: Int) throws(TransportError) {
        var fields: [HTTPHeader] = []
        var size = 0
        for (key, value) in response.allHeaderFields {
            guard let name = key as? String, let text = value as? String else { continue }
            let value = text.withoutControlCharacters
            size += name.utf8.count + value.utf8.count + 4
            if name.equalsIgnoringASCIICase("Set-Cookie") {
                fields += Self.cookies(in: value).map { HTTPHeader(name: name, value: $0) }
            } else {
                fields.append(HTTPHeader(name: name, value: value))
            }
        }
        guard size <= headerLimit else {
            throw TransportError(
                .headersTooLarge, phase: .receivingHead, message: "The header section is over \(headerLimit) bytes.",
                url: response.url)
        }
        // Sorted, since a dictionary has no order and the same response should give the same headers.
        headers = HTTPHeaders(received: fields.sorted { $0.name < $1.name })
        status = response.statusCode
        url = response.url
        let encoding = headers["Content-Encoding"]?.lowercased() ?? "identity"
        isContentEncoded = encoding != "identity" && !encoding.isEmpty
        let declared = try Self.declaredLength(in: headers, url: response.url)
        let hasBody = method != "HEAD" && ![204, 205, 304].contains(status)
        isDecoded = isContentEncoded && hasBody && Self.decodedCodings.contains(encoding)
        bodyLength = hasBody ? (isContentEncoded ? nil : declared) : 0
    }

    /// Foundation joins several `Content-Length` fields with commas, and libcurl accepts any of them.
    private static func declaredLength(in headers: HTTPHeaders, url: URL?) throws(TransportError) -> Int64? {
        guard let text = headers["Content-Length"], !headers.contains(name: "Transfer-Encoding") else { return nil }
        let values = Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard values.count == 1 else {
            throw TransportError(
                .conflictingLengths, phase: .receivingHead, message: "Content-Length says \(text).", url: url)
        }
        return values.first.flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Splits the `Set-Cookie` fields that Foundation joins with commas. Their dates have commas too, so a comma ends a cookie only if a
    /// name and `=` follow (RFC 6265, section 4.1.1).
    static func cookies(in joined: String) -> [String] {
        var result: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let start = part.drop { $0 == " " }
            let name = start.prefix { $0 != "=" && $0 != ";" && $0 != " " }
            if !name.isEmpty && start.dropFirst(name.count).first == "=" || result.isEmpty {
                result.append(String(start))
            } else {
                result[result.count - 1] += "," + part
            }
        }
        return result
    }
}
