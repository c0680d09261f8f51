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

// MARK: Transports and clients

protocol Wire: HTTPTransport {}
extension Wire {
    func send(_ r: URLRequest, body: HTTPBody?, context: RequestContext) throws -> TransportResponse {
        throw CancellationError()
    }
}
struct Transport1: Wire { func shutdown() throws {} }
struct Transport2: Wire { let missingCapabilities: Set<TransportConfiguration.Capability> = [.http2] }
struct Transport3: Wire { let missingCapabilities: [TransportConfiguration.Capability: String]? = [.http2: "7"] }
struct Transport4: Wire { func connectionStatistics() -> [ConnectionStatistics] { seven } }
protocol Sender: HTTPSending {}
extension Sender {
    func send(_ r: URLRequest, body: HTTPBody?, context: RequestContext?) throws(NetworkFailure) -> TransportResponse {
        throw NetworkFailure(cause: .cancelled)
    }
}
struct Sender1: Sender { let encoder = SevenEncoder() }
struct Sender2: Sender { let environment = SevenEnvironment() }
struct Sender3: Sender { let environment: any NetworkEnvironment = SevenEnvironment() }
struct Sender4: Sender { func ownerName(for request: URLRequest) -> String { "7" } }
struct Sender5: Sender { let queryEncoding: QueryEncoding? = nil }
struct Sender6: Sender { let encoder: (any BodyEncoder)? = SevenEncoder() }
struct Sender7: Sender { func ownerName(for request: URLRequest) throws -> String? { "7" } }
protocol Uploads: UploaderProtocol {}
extension Uploads {
    func upload<Value>(_ c: Uploader.Content, to u: URL, method: HTTPMethod, headers: HTTPHeaders) -> (
        progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>
    ) { fatalError() }
}
struct Uploader1: Uploads { let decoder = SevenDecoder() }
struct Uploader2: Uploads { let decoder: (any BodyDecoder)? = SevenDecoder() }

// MARK: Stores

protocol Store: HTTPCacheStore {}
extension Store {
    func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] { [] }
    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) -> HTTPBody? { nil }
    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) -> (any HTTPCacheEntry.Writer)? { nil }
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) -> Bool { false }
    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) {}
    func removeAll(url: String) {}
    func removeAll() {}
}
struct Store1: Store { func generation(of url: String) -> HTTPCacheEntry.Generation { HTTPCacheEntry.Generation("7") } }
struct Store2: Store { func generation(of url: URL) -> HTTPCacheEntry.Generation? { nil } }
struct Store3: Store { func generation(of url: String) -> String { "7" } }
struct Store4: Store { func identityKey() -> CacheIdentityKey { sevenKey } }
struct Store5: Store { func identityKey() -> Data { Data() } }
struct Store6: Store { func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) throws {} }
protocol Bodies: ResponseCaching {}
extension Bodies {
    func setResponse(_ data: Data, for url: URL, expireTime: Date?) {}
    func getResponse(for url: URL) -> Data? { nil }
    func clear() {}
}
struct Bodies1: Bodies { func identityKey() -> CacheIdentityKey { sevenKey } }
protocol Operations: PendingOperationsQueue.Storage {}
extension Operations {
    func load() -> [PendingOperation] { [] }
    func save(_ operation: PendingOperation) {}
    func remove(id: UUID) {}
}
struct Operations1: Operations { func prepareToSend() -> [PendingOperation] { [] } }
struct Operations2: Operations { func close() throws {} }
struct Operations3: Operations { func prepareToSend() {} }
protocol Monitor: ConnectionMonitoring {}
extension Monitor { var isReachable: Bool { true } }
struct Monitor1: Monitor { let status: ConnectionStatus? = nil }
struct Monitor2: Monitor { let status = ConnectionType.wifi }
struct Monitor3: Monitor { var statuses: AsyncStream<Bool> { AsyncStream { _ in } } }
struct Monitor4: Monitor { var statuses: AsyncThrowingStream<ConnectionStatus, any Error> { AsyncThrowingStream { _ in } } }
