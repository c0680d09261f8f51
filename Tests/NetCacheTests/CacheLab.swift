import NetTesting

@testable import NetCache

/// A ``ResponseCache`` between a caller and a scripted origin. Its clock starts on 14 November 2023, 22:13:20 UTC.
final class CacheLab: Sendable {
    let clock = TestClock()
    let cache: ResponseCache
    let origin = ScriptedOrigin()

    init(store: (any HTTPCacheStore)? = nil, rules: CacheRules = CacheRules()) {
        cache = ResponseCache(store: store ?? NetworkCache(clock: clock), rules: rules)
    }

    struct Reply {
        let status: Int
        let headers: HTTPHeaders
        let text: String
        var cacheStatus: String? { headers["Cache-Status"] }
    }

    @discardableResult
    func send(
        _ path: String = "/a", method: String = "GET", _ headers: [String: String] = [:], body: HTTPBody? = nil,
        partition: String? = nil, policy: CachePolicy? = nil, loading: URLRequest.CachePolicy = .useProtocolCachePolicy,
        reading: Bool = true
    ) async throws -> Reply {
        let response = try await response(
            path, method: method, headers, body: body, partition: partition, policy: policy, loading: loading,
            delivery: reading ? .collected(limit: 1 << 20) : .streamed)
        let data = reading ? try await response.body.collect(upTo: 1 << 20) : Data()
        return Reply(status: response.status, headers: response.headers, text: String(decoding: data, as: UTF8.self))
    }

    @discardableResult
    func store(
        _ headers: HTTPHeaders = ["Cache-Control": "max-age=60"], _ text: String? = nil, at path: String = "/a",
        to fields: [String: String] = [:], loading: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> Reply { try await exchange(200, headers, text, at: path, to: fields, loading: loading) }

    /// Lets the origin answer like this, and sends a request.
    @discardableResult
    func exchange(
        _ status: Int = 200, _ headers: HTTPHeaders = [:], _ text: String? = nil, chunk: Int? = 4,
        at path: String = "/a", method: String = "GET", to fields: [String: String] = [:], policy: CachePolicy? = nil,
        loading: URLRequest.CachePolicy = .useProtocolCachePolicy, reading: Bool = true
    ) async throws -> Reply {
        origin.give(status, headers, text, chunk: chunk)
        return try await send(path, method: method, fields, policy: policy, loading: loading, reading: reading)
    }

    func response(
        _ path: String = "/a", method: String = "GET", _ headers: [String: String] = [:], body: HTTPBody? = nil,
        partition: String? = nil, policy: CachePolicy? = nil,
        loading: URLRequest.CachePolicy = .useProtocolCachePolicy, delivery: RequestContext.Delivery = .streamed
    ) async throws -> TransportResponse {
        var context = RequestContext(clock: clock)
        (context.partition, context.cachePolicy, context.delivery) = (partition, policy, delivery)
        let next = Next(body: body, context: context) { [origin] in try await origin.answer($0, context: $2) }
        return try await cache.intercept(Self.request(path, method: method, headers, loading: loading), next: next)
    }

    func next(_ context: RequestContext, interceptors: [any HTTPInterceptor] = []) -> Next {
        let transport = StubTransport { [origin] in try await origin.answer($0, context: $2) }
        return Next(
            chain: InterceptorChain(interceptors: interceptors, transport: transport), body: nil, context: context)
    }

    static func request(
        _ path: String, method: String = "GET", _ headers: [String: String] = [:],
        loading: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://example.com\(path)") ?? URL(fileURLWithPath: "/"))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.cachePolicy = loading
        return request
    }

    /// The date of so many seconds from now, as a field's value.
    func date(_ seconds: TimeInterval = 0) -> String { HTTPDate.string(from: clock.now.addingTimeInterval(seconds)) }
}

/// Returns its answers in order, repeats the last one, and records the requests.
final class ScriptedOrigin: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: HTTPHeaders = [:]
        var text: String?
        var error: (any Error)?
        /// The body comes in pieces of that many bytes; nil for all at once, in memory.
        var chunk: Int? = 4
        var breaksAfter: Int?
        var before: (@Sendable (URLRequest) async throws -> Void)?
    }

    private struct State {
        var answers: [Answer] = [Answer()]
        var requests: [URLRequest] = []
        var contexts: [RequestContext] = []
    }

    private let state = Locked(State())
    var requests: [URLRequest] { state.withLock { $0.requests } }
    var contexts: [RequestContext] { state.withLock { $0.contexts } }
    var count: Int { requests.count }
    func header(_ name: String) -> String? { requests.last?.value(forHTTPHeaderField: name) }

    /// Without a text the body tells the number of the request: "1", "2" …
    func give(
        _ status: Int = 200, _ headers: HTTPHeaders = [:], _ text: String? = nil, chunk: Int? = 4,
        breaksAfter: Int? = nil
    ) { give(Answer(status: status, headers: headers, text: text, chunk: chunk, breaksAfter: breaksAfter)) }

    func fail(_ error: any Error) { give(Answer(error: error)) }
    func give(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    func answer(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
        let (answer, number) = state.withLock { state in
            state.requests.append(request)
            state.contexts.append(context)
            let answer = state.answers.first ?? Answer()
            if state.answers.count > 1 { state.answers.removeFirst() }
            return (answer, state.requests.count)
        }
        try await answer.before?(request)
        if let error = answer.error { throw error }
        let hasBody = request.httpMethod != "HEAD" && ![204, 304].contains(answer.status)
        let data = hasBody ? Data((answer.text ?? "\(number)").utf8) : Data()
        var headers = answer.headers
        if headers["Date"] == nil { headers["Date"] = HTTPDate.string(from: context.clock.now) }
        if headers["Date"] == "none" { headers.remove(name: "Date") }
        return TransportResponse(
            status: answer.status, headers: headers, url: request.url, body: Self.body(data, answer: answer))
    }

    private static func body(_ data: Data, answer: Answer) -> HTTPBody {
        guard let size = answer.chunk else { return HTTPBody(data) }
        let rest = Locked((data: data, count: 0))
        return HTTPBody(pulling: {
            try rest.withLock { rest in
                if let limit = answer.breaksAfter, rest.count >= limit {
                    throw TransportError(.truncatedBody, phase: .receivingBody, message: "cut")
                }
                rest.count += 1
                let chunk = rest.data.prefix(size)
                rest.data = rest.data.dropFirst(chunk.count)
                return chunk.isEmpty ? nil : Data(chunk)
            }
        })
    }
}

extension CacheRules {
    init(_ change: (inout CacheRules) -> Void) {
        self.init()
        change(&self)
    }

    static let shared = CacheRules { $0.kind = .shared }
}

extension CacheRequest {
    convenience init?(_ request: URLRequest, partition: String?, body: String?, rules: CacheRules) {
        self.init(
            request, identity: RequestIdentity(of: request, name: partition), prepared: nil, body: body, rules: rules,
            owners: CacheOwners(key: nil))
    }
}

/// A clock that a test advances. A sleep ends only by cancellation.
final class HandClock: NetworkClock {
    private let time = Locked(TimeInterval(1_000_000))
    var now: Date { Date(timeIntervalSince1970: uptime) }
    var uptime: TimeInterval { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(for seconds: TimeInterval) async throws { try await Task.sleep(nanoseconds: .max / 2) }
}
