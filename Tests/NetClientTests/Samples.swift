/// A response of a status, with a body.
func answer(_ status: Int = 200, _ body: String = "", headers: HTTPHeaders = HTTPHeaders()) -> TransportResponse {
    TransportResponse(status: status, headers: headers, url: nil, body: HTTPBody(body))
}

func url(_ text: String = "https://a.example/") throws -> URL { try #require(URL(string: text)) }

func request(
    _ text: String = "https://a.example/", _ method: HTTPMethod = .get, headers: [String: String] = [:]
) throws -> URLRequest {
    var request = URLRequest(url: try url(text))
    request.httpMethod = method.rawValue
    request.allHTTPHeaderFields = headers
    return request
}

/// A connection that was lost after the request was sent.
let lostConnection = TransportError(.connectionLost, phase: .waiting, message: "lost", isUnprocessed: false)

let refusedConnection = TransportError(.connectionRefused, phase: .connecting, message: "refused")

struct PluginError: Error, Equatable { var name = "" }

/// Adds its name to a header on the way out, and to another on the way back.
struct Tracer: HTTPInterceptor {
    let name: String

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        let trace = (request.value(forHTTPHeaderField: "X-Out") ?? "") + name
        request.setValue(trace, forHTTPHeaderField: "X-Out")
        var response = try await next(request)
        response.headers["X-Back"] = (response.headers["X-Back"] ?? "") + name
        return response
    }
}

/// A hook of seed 000 from closures.
struct Hook: RequestInterceptor {
    var adapting: @Sendable (inout URLRequest) async throws -> Void = { _ in }
    var retrying: @Sendable (URLRequest, NetworkError, Int) async throws -> RetryResult = { _, _, _ in .doNotRetry }

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        try await adapting(&request)
        return request
    }

    func retry(_ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int) async throws -> RetryResult {
        try await retrying(request, error, currentRetryCount)
    }
}

extension StubTransport {
    /// The values of a header field in the requests so far.
    func sent(_ field: String) -> [String?] { exchanges.map { $0.request.value(forHTTPHeaderField: field) } }
}

/// Calls a closure with each request, which may change it, before it goes on.
struct Before: HTTPInterceptor {
    let change: @Sendable (inout URLRequest, Next) async throws -> Void

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        try await change(&request, next)
        return try await next(request)
    }
}

/// A cache that answers from a closure.
struct StubCache: HTTPCaching {
    let answer: @Sendable (URLRequest, Next) async throws -> TransportResponse

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await answer(request, next)
    }
    func invalidate(for request: URLRequest) async {}
    func invalidateAll() async {}
}

/// A provider that adds nothing.
struct IdleProvider: AuthenticationProvider {
    var partition: String?

    func authenticate(_ request: inout URLRequest) async throws {}
    func reauthenticate() async throws {}
}

extension RequestContext {
    static func with(_ change: (inout RequestContext) -> Void) -> RequestContext {
        var context = RequestContext()
        change(&context)
        return context
    }
}

extension TestClock {
    /// The context of a call with this clock.
    func context(_ priority: RequestContext.Priority = .normal, deadline: TimeInterval? = nil) -> RequestContext {
        .with {
            $0.clock = self
            $0.priority = priority
            $0.deadline = deadline
        }
    }

    /// Moves the clock when so many tasks sleep.
    func advance(by seconds: TimeInterval, whenSleeping count: Int) async throws {
        try await waitForSleepers(count: count)
        await advance(by: seconds)
    }
}

extension PlainPipeline {
    /// Starts a call, and returns when `count`, the number of sent and waiting requests, has grown.
    func start(
        _ path: String, _ context: RequestContext?, count: (URL) -> Int
    ) async throws -> Task<TransportResponse, any Error> {
        let request = try request("https://a.example\(path)")
        let url = try url()
        let before = count(url)
        let task = Task { try await response(for: request, context: context) as TransportResponse }
        try await waitUntil("\(path) is sent or waits") { count(url) > before ? () : nil }
        return task
    }
}

extension URLRequest {
    /// The header fields without those that every client adds.
    var ownFields: [String: String] {
        (allHTTPHeaderFields ?? [:]).filter { name, value in
            name != "User-Agent" && !(name == "Accept" && value == "*/*")
        }
    }
}

struct Person: Codable, Hashable, Sendable { let id, name: String }

struct Lab: NetworkEnvironment {
    let baseURL: URL
    var defaultHeaders: [String: String] { ["Accept": "application/json"] }
    var timeout: TimeInterval { 30 }
}

struct GetPerson: Endpoint {
    let id: String
    var path: String { "/people/\(id)" }
    var method: HTTPMethod { .get }
    typealias Response = Person
}

struct DeletePerson: Endpoint {
    let id: String
    var path: String { "/people/\(id)" }
    var method: HTTPMethod { .delete }
    typealias Response = EmptyResponse
}

struct LabAPI: APIClient {
    let baseURL: URL
    let client: NetworkClient
}

let leia = Person(id: "1", name: "Leia")

/// A response with Leia.
let found = answer(200, #"{"id":"1","name":"Leia"}"#)

/// Answers everything with Leia.
func people() -> StubTransport { StubTransport { _, _, _ in found } }

func lab() throws -> Lab { Lab(baseURL: try url("https://a.example/v1")) }
