public import NetCore

/// Keeps what was sent and received, to look at it afterwards: as a HAR file for browsers and proxies, or as a page with a waterfall.
///
/// ```swift
/// let recorder = TrafficRecorder()
/// let client = NetworkClient(callInterceptors: [recorder])
/// // … later:
/// try recorder.archive.write(to: folder.appendingPathComponent("traffic.har"))
/// try recorder.waterfall().write(to: folder.appendingPathComponent("traffic.html"))
/// ```
///
/// Secrets are left out when something is recorded, and so are in neither memory nor file: see ``SanitizationConfig``. It keeps the last calls only.
/// It belongs among `callInterceptors:`, where it sees all attempts and redirects of a call. Bodies that are in memory and not long are recorded;
/// streams are not.
public final class TrafficRecorder: HTTPInterceptor {
    private struct Recorded {
        let metrics: CallMetrics
        let entries: [HTTPArchive.Entry]
    }

    private let sanitization: SanitizationConfig
    private let bodyLimit: Int
    private let observers: [any MetricsObserver]
    private let recorded: Locked<Ring<Recorded>>

    /// A recorder.
    ///
    /// - Parameters:
    ///   - sanitization: what is left out.
    ///   - maximumCallCount: how many calls are kept; then the oldest go. 500 unless set, at least 1.
    ///   - maximumBodySize: bytes of a body that is recorded; longer ones are left out. 64 KiB unless set.
    ///   - observers: told of each call's metrics besides.
    public init(
        sanitization: SanitizationConfig = .default, maximumCallCount: Int = 500, maximumBodySize: Int = 64 << 10,
        observers: [any MetricsObserver] = []
    ) {
        self.sanitization = sanitization
        bodyLimit = max(0, maximumBodySize)
        self.observers = observers
        recorded = Locked(Ring(capacity: maximumCallCount))
    }

    /// Sends the request on, and records. Changes neither request nor response nor error.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await CallTrace.follow(request, next) { [self] call in record(call) }
    }

    /// The metrics of the calls that are kept, in the order in which they ended.
    public var calls: [CallMetrics] { recorded.withLock { $0.all.map(\.metrics) } }

    /// What is kept, as a HAR file.
    public var archive: HTTPArchive {
        let entries = recorded.withLock { $0.all.flatMap(\.entries) }
        return HTTPArchive(entries: entries.sorted { $0.startedDateTime < $1.startedDateTime })
    }

    /// What is kept, as a page.
    public func waterfall(title: String = "Network traffic") -> Waterfall { Waterfall(archive, title: title) }

    /// Forgets all.
    public func reset() { recorded.withLock { _ = $0.takeAll() } }

    private func record(_ call: CallRecord) {
        let redactor = sanitization.redactor
        let metrics = call.metrics(redactor)
        let entries = ArchiveBuilder(redactor: redactor, bodyLimit: bodyLimit).entries(for: call)
        recorded.withLock { _ = $0.append(Recorded(metrics: metrics, entries: entries)) }
        for observer in observers { observer.record(metrics) }
    }
}

/// Makes entries of a HAR file of what was recorded, without what its redactor leaves out.
struct ArchiveBuilder {
    let redactor: Redactor
    let bodies: BodyText

    init(redactor: Redactor, bodyLimit: Int) {
        self.redactor = redactor
        bodies = BodyText(redactor: redactor, limit: bodyLimit)
    }

    /// An entry for each exchange; of a call that a cache answered, one for the call.
    func entries(for call: CallRecord) -> [HTTPArchive.Entry] {
        let cacheState = (try? call.result.get()).flatMap { CallMetrics.CacheState($0) }.map(\.description)
        guard !call.exchanges.isEmpty else {
            guard case .success(let response) = call.result else { return [] }
            var entry = HTTPArchive.Entry(
                startedDateTime: call.date, request: request(call.request, body: nil, version: response.version),
                response: self.response(response),
                timings: HTTPArchive.Timings(
                    wait: (call.headEnd - call.start) * 1000, receive: (call.end - call.headEnd) * 1000))
            entry.requestID = call.id.description
            entry.attempt = 0
            entry.cacheState = cacheState
            return [entry]
        }
        return call.exchanges.enumerated().map { offset, exchange in
            var entry = self.entry(for: exchange, of: call)
            entry.retryReason = call.retries.last { $0.attempt + 1 == exchange.attempt }.map(\.description)
            // What the cache did became known at the end.
            if offset == call.exchanges.count - 1 { entry.cacheState = cacheState }
            return entry
        }
    }

    private func entry(for exchange: ExchangeRecord, of call: CallRecord) -> HTTPArchive.Entry {
        let metrics = CallMetrics.Exchange(exchange, callStart: call.start, end: call.end, redactor: redactor)
        let version = exchange.response?.version
        var entry = HTTPArchive.Entry(
            startedDateTime: exchange.date.addingTimeInterval(-max(0, exchange.start - exchange.ready)),
            request: request(exchange.request, body: exchange.body, version: version ?? .http1_1),
            response: exchange.response.map(response) ?? HTTPArchive.Response(status: 0, httpVersion: ""),
            timings: HTTPArchive.Timings(metrics), serverIPAddress: metrics.remoteAddress.flatMap(Self.address))
        entry.requestID = call.id.description
        entry.attempt = exchange.attempt
        entry.error = exchange.error.map { MessageText(redactor: redactor).error($0) }
        return entry
    }

    // MARK: Messages

    private func request(_ request: URLRequest, body: HTTPBody?, version: HTTPVersion) -> HTTPArchive.Request {
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let url = request.url?.absoluteString ?? ""
        let query = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let body = body ?? request.httpBody.map { HTTPBody($0) }
        return HTTPArchive.Request(
            method: request.httpMethod ?? "GET", url: redactor.validURL(String(url.prefix { $0 != "#" })),
            httpVersion: version.rawValue, headers: pairs(headers), queryString: items(String(query)),
            cookies: headers["Cookie"].map { cookies($0.split(separator: ";").map(String.init)) } ?? [],
            postData: body.flatMap { $0.length == 0 ? nil : postData($0, contentType: headers["Content-Type"]) },
            bodySize: body.map { $0.length ?? -1 } ?? 0)
    }

    private func response(_ response: TransportResponse) -> HTTPArchive.Response {
        let type = response.headers["Content-Type"]
        return HTTPArchive.Response(
            status: response.status, httpVersion: response.version.rawValue, headers: pairs(response.headers),
            cookies: cookies(response.headers.values(for: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }),
            content: content(response.body, contentType: type),
            redirectURL: response.headers["Location"].map { redactor.validURL($0) } ?? "",
            bodySize: response.metricsBox == nil ? response.body.length ?? -1 : response.metrics.bytesReceived)
    }

    private func content(_ body: HTTPBody, contentType: String?) -> HTTPArchive.Content {
        var content = HTTPArchive.Content(size: body.length ?? -1, mimeType: contentType ?? "x-unknown")
        (content.text, content.encoding, content.comment) = recorded(body, contentType: contentType)
        return content
    }

    private func postData(_ body: HTTPBody, contentType: String?) -> HTTPArchive.PostData {
        let type = contentType ?? "application/octet-stream"
        var post = HTTPArchive.PostData(mimeType: type)
        (post.text, post.encoding, post.comment) = recorded(body, contentType: contentType)
        guard let data = body.data, data.count <= bodies.limit else { return post }
        switch BodyText.Kind(data, contentType: contentType) {
        case .form:
            post.params = redactor.formItems(data).map { HTTPArchive.Parameter(name: $0.name, value: $0.value) }
        case .multipart(let boundary):
            guard let form = MultipartText(data, boundary: boundary) else { break }
            // As a form, and not as the bytes of one: those would say nothing of files.
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

    /// What is kept of a body: text, its encoding, and why there is none.
    private func recorded(_ body: HTTPBody, contentType: String?) -> (
        text: String?, encoding: String?, comment: String?
    ) {
        guard let data = body.data else { return (nil, nil, "not recorded: read as a stream") }
        guard !data.isEmpty else { return (nil, nil, nil) }
        guard data.count <= bodies.limit else { return (nil, nil, "not recorded: longer than \(bodies.limit) bytes") }
        guard redactor.isEnabled else {
            return String(data: data, encoding: .utf8).map { ($0, nil, nil) } ?? (
                data.base64EncodedString(), "base64", nil
            )
        }
        return bodies.shown(data, contentType: contentType).map { ($0, nil, nil) }
            ?? (nil, nil, "not recorded: nobody can say what in it is secret")
    }

    // MARK: Lists

    private func pairs(_ headers: HTTPHeaders) -> [HTTPArchive.Pair] {
        headers.redacted(by: redactor).map { HTTPArchive.Pair(name: $0.name, value: $0.value) }
    }

    private func items(_ query: String) -> [HTTPArchive.Pair] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0).removingPercentEncoding ?? String($0) }
            // A value without a name.
            guard parts.count == 2 else {
                return HTTPArchive.Pair(name: redactor.isEnabled ? Redactor.mark : parts[0], value: "")
            }
            return HTTPArchive.Pair(
                name: redactor.name(parts[0]), value: redactor.queryValue(parts[1], named: parts[0]))
        }
    }

    /// `name=value` each.
    private func cookies(_ list: [String]) -> [HTTPArchive.Pair] {
        list.compactMap { cookie in
            let parts = String(cookie.trimmingHTTPWhitespace).split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            return HTTPArchive.Pair(
                name: redactor.name(parts[0]), value: redactor.isEnabled ? Redactor.mark : parts[1])
        }
    }

    /// Without the port.
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
        // Without metrics of the transport all that is known is how long it took.
        let wait = metrics.firstByte ?? metrics.total
        self.init(
            blocked: milliseconds(metrics.queue), dns: milliseconds(metrics.nameLookup),
            connect: milliseconds(metrics.connect.map { $0 + (metrics.secureConnect ?? 0) }),
            ssl: milliseconds(metrics.secureConnect), send: 0, wait: milliseconds(wait),
            receive: milliseconds(metrics.transfer) ?? 0)
    }
}
