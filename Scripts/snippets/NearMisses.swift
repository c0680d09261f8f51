// Conformances that are almost right, one a line, for Scripts/check-near-misses. Each must be refused by the compiler, or have an effect: a
// "7" in what the client sends or waits for.
import Networking

struct Seven: Encodable, Sendable { var value = 7 }

// MARK: Endpoint

struct Body1: Endpoint { let path = "/x", method = HTTPMethod.post; var body: Seven { Seven() } }
struct Body2: Endpoint { let path = "/x", method = HTTPMethod.post; var body: Seven? { Seven() } }
struct Body3: Endpoint { let path = "/x", method = HTTPMethod.post; let body = ["value": "7"] }
struct Body4: Endpoint { let path = "/x", method = HTTPMethod.post; var body: any Encodable & Sendable { Seven() } }
struct Body5: Endpoint { let path = "/x", method = HTTPMethod.post; var body: [String: Any] { ["value": 7] } }
struct Body6: Endpoint { let path = "/x", method = HTTPMethod.post; var body: HTTPBody { HTTPBody("7") } }
struct Body7: Endpoint { let path = "/x", method = HTTPMethod.post; var body: (any Encodable)? { Seven() } }
struct Headers1: Endpoint { let path = "/x"; let headers: HTTPHeaders = ["X-Value": "7"] }
struct Headers2: Endpoint { let path = "/x"; let headers: [String: String]? = ["X-Value": "7"] }
struct Headers3: Endpoint { let path = "/x"; let headers = [HTTPHeader(name: "X-Value", value: "7")] }
struct Headers4: Endpoint { let path = "/x"; let headers = ["X-Value": 7] }
struct Query1: Endpoint { let path = "/x"; let queryParameters = ["value": 7] }
struct Query2: Endpoint { let path = "/x"; let queryParameters: [String: String]? = ["value": "7"] }
struct Query3: Endpoint { let path = "/x"; let queryParameters: [String: any Encodable & Sendable] = ["value": 7] }
struct Query4: Endpoint { let path = "/x"; let queryParameters = [URLQueryItem(name: "value", value: "7")] }
struct Query5: Endpoint { let path = "/x"; let queryParameters: [String: String?] = ["value": "7"] }
struct Query6: Endpoint { let path = "/x"; var queryParameters: [String: Any] { ["value": 7] } }
struct Items1: Endpoint { let path = "/x"; let queryItems = [URLQueryItem(name: "value", value: "7")] }
struct Items2: Endpoint { let path = "/x"; let queryItems = ["value": "7"] }
struct Method1: Endpoint { let path = "/x"; let method = "POST" }
struct Method2: Endpoint { let path = "/x"; let method: HTTPMethod? = .post }
struct Base1: Endpoint { let path = "/x"; let baseURL = "https://7.example.com" }
struct Base2: Endpoint { let path = "/x"; let baseURL = URL(string: "https://7.example.com")! }
struct Type1: Endpoint { let path = "/x"; let contentType = "text/csv" }
struct Type2: Endpoint { let path = "/x"; let contentType: RequestContentType? = .json }
struct Components1: Endpoint { let path = "/x"; let pathComponents = ["7"] }
struct Components2: Endpoint { let path = "/x"; let pathComponents: Set = ["7"] }
struct Options1: Endpoint { let path = "/x"; let options: RequestOptions? = RequestOptions() }
struct Allows1: Endpoint { let path = "/x"; let allowsBodyOnGet: Bool? = true }
struct Polling1: LongPollingEndpoint { let path = "/x"; let pollingTimeout = 7 }
struct Polling2: LongPollingEndpoint { let path = "/x"; let pollingTimeout: TimeInterval? = 7 }
struct Polling3: LongPollingEndpoint { let path = "/x"; let retryInterval = 7 }
struct Polling4: LongPollingEndpoint { let path = "/x"; func shouldContinuePolling(after response: String) -> Bool { false } }
struct Extended1: Endpoint { let path = "/x" }
extension Extended1 { var method: String { "POST" } }
protocol AppEndpoint: Endpoint {}
extension AppEndpoint { var headers: HTTPHeaders { ["X-Value": "7"] } }
struct Extended2: AppEndpoint { let path = "/x" }

// MARK: NetworkEnvironment

struct Environment1: NetworkEnvironment { let baseURL = home; let defaultHeaders: HTTPHeaders = ["X-Value": "7"] }
struct Environment2: NetworkEnvironment { let baseURL = home; let defaultHeaders: [String: String]? = ["X-Value": "7"] }
struct Environment3: NetworkEnvironment { let baseURL = home; let timeout = 7 }
struct Environment4: NetworkEnvironment { let baseURL = home; let timeout: TimeInterval? = 7 }

// MARK: Interceptors

struct Adapt1: RequestInterceptor { func adapt(_ request: URLRequest) -> URLRequest? { request } }
struct Adapt2: RequestInterceptor { func adapt(_ request: URL) -> URLRequest { URLRequest(url: request) } }
struct Adapt3: RequestInterceptor { func adapt(request: URLRequest) -> URLRequest { request } }
struct Adapt4 {}
extension Adapt4: RequestInterceptor { func adapt(_ request: inout URLRequest) {} }
struct Retry1: RequestInterceptor { func retry(_ r: URLRequest, dueTo e: NetworkFailure, currentRetryCount: Int) -> RetryResult { .retry } }
struct Retry2: RequestInterceptor { func retry(_ r: URLRequest, dueTo e: NetworkError, currentRetryCount: Int) -> Bool { true } }
struct Intercept1: Interceptor { func intercept(response: URLResponse, data: Data) -> Data { Data() } }
struct Intercept2: Interceptor { func intercept(response: HTTPURLResponse, data: Data) -> Data? { nil } }
struct Intercept3: Interceptor { func intercept(request: URLRequest) -> URLRequest? { nil } }
struct Intercept4: Interceptor { func intercept(_ request: URLRequest) -> URLRequest { request } }

// MARK: Credentials

protocol Bearer: AuthenticationProvider {}
extension Bearer {
    func authenticate(_ request: inout URLRequest) {}
    func reauthenticate() {}
}
struct Provider1: Bearer { let partition = "7" }
struct Provider2: Bearer { let partition = UUID() }
struct Provider3: Bearer { func needsReauthentication(at now: Date) throws -> Bool { true } }
struct Provider4: Bearer { func covers(_ url: URL) throws -> Bool { false } }
protocol Tokens: TokenProvider {}
extension Tokens {
    func validToken() -> String { "" }
    func refreshToken() -> String { "" }
}
struct Tokens1: Tokens { func currentToken() -> String { "7" } }
struct Tokens2: Tokens { func currentToken() throws -> String? { "7" } }
struct Tokens3: Tokens { func currentToken() -> Data? { nil } }
