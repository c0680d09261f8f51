public import NetCore

/// Records requests and responses, for a HAR file or a page with a waterfall.
///
/// ```swift
/// let recorder = TrafficRecorder()
/// let client = NetworkClient(callInterceptors: [recorder])
/// // … later:
/// try recorder.archive.write(to: folder.appendingPathComponent("traffic.har"))
/// try recorder.waterfall().write(to: folder.appendingPathComponent("traffic.html"))
/// ```
///
/// Secrets are left out at the time of recording, so they are neither in memory nor in files: see ``SanitizationConfig``. The
/// recorder keeps the last calls only. Place it among `callInterceptors:`, where it sees all attempts and redirects of a call. It
/// records short bodies in memory, and no streams.
public final class TrafficRecorder: HTTPInterceptor, CredentialFreeInterceptor {
    private let sanitization: SanitizationConfig
    private let bodyLimit: Int
    private let observers: [any MetricsObserver]
    private let callLimit: Int
    private let recorded = Locked(FIFO<(metrics: CallMetrics, entries: [HTTPArchive.Entry])>())

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - sanitization: the secrets to leave out.
    ///   - maximumCallCount: the number of calls to keep; at least 1. The oldest are removed.
    ///   - maximumBodySize: the largest body to record, in bytes.
    ///   - observers: further receivers of each call's metrics.
    public init(
        sanitization: SanitizationConfig = .default, maximumCallCount: Int = 500, maximumBodySize: Int = 64 << 10,
        observers: [any MetricsObserver] = []
    ) {
        self.sanitization = sanitization
        bodyLimit = max(0, maximumBodySize)
        self.observers = observers
        callLimit = max(1, maximumCallCount)
    }

    /// Sends the request and records it. Changes neither request nor response nor error.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await CallTrace.follow(request, next) { [self] call in record(call) }
    }

    /// The metrics of the recorded calls, in the order in which they ended.
    public var calls: [CallMetrics] { recorded.withLock { $0.all.map(\.metrics) } }

    /// The recorded calls as a HAR file.
    public var archive: HTTPArchive {
        let entries = recorded.withLock { $0.all.flatMap(\.entries) }
        return HTTPArchive(entries: entries.sorted { $0.startedDateTime < $1.startedDateTime })
    }

    /// Returns the recorded calls as a page.
    public func waterfall(title: String = "Network traffic") -> HTTPArchive.Waterfall {
        HTTPArchive.Waterfall(archive, title: title)
    }

    /// Removes all calls.
    public func reset() { recorded.withLock { $0 = FIFO() } }

    private func record(_ call: CallRecord) {
        let redactor = sanitization.redactor
        let metrics = call.metrics(redactor)
        let entries = ArchiveBuilder(bodies: BodyText(redactor: redactor, limit: bodyLimit)).entries(for: call)
        recorded.withLock { recorded in
            recorded.append((metrics, entries))
            if recorded.count > callLimit { _ = recorded.popFirst() }
        }
        for observer in observers { observer.record(metrics) }
    }
}

/// Creates the entries of a HAR file, without secrets.
struct ArchiveBuilder {
    let bodies: BodyText
    private var redactor: Redactor { bodies.redactor }

    /// Returns an entry for each exchange, or one for a call that a cache answered.
    func entries(for call: CallRecord) -> [HTTPArchive.Entry] {
        var entries = call.exchanges.map { entry(for: $0, of: call) }
        let response = try? call.result.get()
        if entries.isEmpty, let response {
            var entry = HTTPArchive.Entry(
                startedDateTime: call.date, request: request(call.request, body: nil, version: response.version),
                response: self.response(response),
                timings: HTTPArchive.Timings(
                    wait: (call.headEnd - call.start) * 1000, receive: (call.end - call.headEnd) * 1000))
            entry.requestID = call.id.description
            entry.attempt = 0
            entries = [entry]
        }
        // The result of the cache is known at the end of the call.
        let cacheState = response.flatMap { CallMetrics.CacheState($0) }?.description
        if let last = entries.indices.last { entries[last].cacheState = cacheState }
        return entries
    }

    private func entry(for exchange: ExchangeRecord, of call: CallRecord) -> HTTPArchive.Entry {
        let metrics = CallMetrics.Exchange(exchange, callStart: call.start, end: call.end, redactor: redactor)
        let version = exchange.response?.version
        var entry = HTTPArchive.Entry(
            startedDateTime: exchange.date.addingTimeInterval(-max(0, exchange.start - exchange.ready)),
            request: request(exchange.request, body: exchange.body, version: version ?? .http1_1),
            response: exchange.response.map(response) ?? HTTPArchive.Response(status: 0, httpVersion: ""),
            timings: HTTPArchive.Timings(metrics), serverIPAddress: metrics.remoteAddress.flatMap(Self.address))
        entry.connection = metrics.connection?.localAddress?.split(separator: ":").last.map(String.init)
        entry.securityDetails = metrics.connection.flatMap { HTTPArchive.SecurityDetails($0) }
        entry.requestID = call.id.description
        entry.attempt = exchange.attempt
        entry.retryReason = call.retries.last { $0.attempt + 1 == exchange.attempt }.map(\.description)
        entry.error = exchange.error.map { MessageText(redactor: redactor).error($0) }
        return entry
    }

    private func request(_ request: URLRequest, body: HTTPBody?, version: HTTPVersion) -> HTTPArchive.Request {
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let url = request.url?.absoluteString ?? ""
        let query = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let body = body ?? request.httpBody.map { HTTPBody($0) }
        return HTTPArchive.Request(
            method: request.httpMethod ?? "GET", url: redactor.validURL(String(url.prefix { $0 != "#" })),
            httpVersion: version.rawValue,
            cookies: headers["Cookie"].map { cookies($0.split(separator: ";").map(String.init)) } ?? [],
            headers: pairs(headers),
            queryString: redactor.items(query.utf8, isForm: false).map { .init(name: $0.name, value: $0.value) },
            postData: body.flatMap { $0.length == 0 ? nil : postData($0, headers) },
            bodySize: body.map { $0.length ?? -1 } ?? 0)
    }

    private func response(_ response: TransportResponse) -> HTTPArchive.Response {
        HTTPArchive.Response(
            status: response.status, httpVersion: response.version.rawValue,
            cookies: cookies(response.headers.values(for: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }),
            headers: pairs(response.headers), content: content(response.body, response.headers),
            redirectURL: response.headers["Location"].map { redactor.validURL($0) } ?? "",
            bodySize: response.pipeline.metricsBox == nil ? response.body.length ?? -1 : response.metrics.bytesReceived)
    }

    private func content(_ body: HTTPBody, _ headers: HTTPHeaders) -> HTTPArchive.Content {
        var content = HTTPArchive.Content(size: body.length ?? -1, mimeType: headers["Content-Type"] ?? "x-unknown")
        let (body, contentType) = body.readable(headers)
        (content.text, content.encoding, content.comment) = recorded(body, contentType)
        return content
    }

    private func postData(_ sent: HTTPBody, _ headers: HTTPHeaders) -> HTTPArchive.PostData {
        let (body, contentType) = sent.readable(headers)
        var post = HTTPArchive.PostData(mimeType: headers["Content-Type"] ?? "application/octet-stream")
        (post.text, post.encoding, post.comment) = recorded(body, contentType)
        if let coding = sent.uncoded?.coding { post.comment = post.comment ?? "sent in \(coding)" }
        guard let data = body.data, data.count <= bodies.limit else { return post }
        switch BodyText.Kind(data, contentType: contentType) {
        case .form:
            post.params = redactor.items(data, isForm: true).map { .init(name: $0.name, value: $0.value) }
        case .multipart(let boundary):
            guard let form = MultipartText(data, boundary: boundary) else { break }
            // Fields instead of raw bytes, which could not show files.
            if redactor.isEnabled { (post.text, post.comment) = (nil, nil) }
            post.params = form.parts.map { part in
                HTTPArchive.Parameter(
                    name: redactor.name(part.name), value: part.shown(redactor),
                    fileName: part.fileName.map { redactor.isEnabled ? Redactor.mark : $0 },
                    contentType: part.contentType)
            }
        case .json, .other: break
        }
        return post
    }

    /// The recorded body: text, its encoding, and the reason if there is none.
    private func recorded(_ body: HTTPBody, _ contentType: String?) -> (String?, String?, String?) {
        guard let data = body.data else { return (nil, nil, "not recorded: read as a stream") }
        guard !data.isEmpty else { return (nil, nil, nil) }
        guard data.count <= bodies.limit else { return (nil, nil, "not recorded: longer than \(bodies.limit) bytes") }
        guard redactor.isEnabled else {
            let text = String(data: data, encoding: .utf8)
            return (text ?? data.base64EncodedString(), text == nil ? "base64" : nil, nil)
        }
        return bodies.shown(data, contentType: contentType).map { ($0, nil, nil) }
            ?? (nil, nil, "not recorded: its secrets cannot be recognised")
    }

    private func pairs(_ headers: HTTPHeaders) -> [HTTPArchive.Pair] {
        headers.redacted(by: redactor).map { HTTPArchive.Pair(name: $0.name, value: $0.value) }
    }

    /// Reads items of the form `name=value`.
    private func cookies(_ list: [String]) -> [HTTPArchive.Pair] {
        list.compactMap { cookie in
            let parts = String(cookie.trimmingHTTPWhitespace).split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            return HTTPArchive.Pair(name: redactor.name(parts[0]), value: redactor.isEnabled ? Redactor.mark : parts[1])
        }
    }

    /// The address without the port.
    private static func address(_ remote: String) -> String? {
        guard let colon = remote.lastIndex(of: ":") else { return nil }
        return remote[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    }
}

extension HTTPArchive.Timings {
    init(_ metrics: CallMetrics.Exchange) {
        func milliseconds(_ seconds: TimeInterval?) -> Double? {
            seconds.map { $0.isFinite ? ($0 * 1_000_000).rounded() / 1000 : 0 }
        }
        // Without metrics of the transport only the total is known.
        let wait = metrics.firstByte ?? metrics.total
        self.init(
            blocked: milliseconds(metrics.queue), dns: milliseconds(metrics.nameLookup),
            connect: milliseconds(metrics.connect.map { $0 + (metrics.secureConnect ?? 0) }),
            ssl: milliseconds(metrics.secureConnect), send: 0, wait: milliseconds(wait),
            receive: milliseconds(metrics.transfer) ?? 0)
    }
}
