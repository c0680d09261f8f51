// The names that snippets in README.md, Docs/ and doc comments take for granted. Compiled beside them by
// Scripts/check-snippets, never run.
import NetTesting
import Networking

// MARK: README.md and Docs/

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

struct Product: Codable, Sendable {
    let id: Int
    let title: String
}

let networking = Networking()
let token = "token"
let url = URL(fileURLWithPath: "/")

actor TokenStore {
    private(set) var current = ""

    func refresh() async throws { current = "fresh" }
}

func process(_ chunk: Data) {}
func handle(_ error: NetworkError) {}
func show(_ value: some Any) {}
func showOfflineBanner() {}
func signIn() {}

struct GetUserEndpoint: Endpoint {
    let id: String
    var path: String { "/users/\(id)" }
    typealias Response = User
}

struct UploadEndpoint: Endpoint {
    var path: String { "/files/upload" }
    var method: HTTPMethod { .post }
    typealias Response = User
}

struct MessagesEndpoint: LongPollingEndpoint {
    var path: String { "/messages/poll" }
    typealias Response = [String]
}

enum Shop: Endpoint {
    case items, search(query: String, page: Int)
    var path: String { "" }
}

enum AppEnvironment: NetworkEnvironment {
    case development
    var baseURL: URL { url }
}

// MARK: Doc comments

struct Forecast: Decodable, Sendable {}

let client = NetworkClient()
let configuration = TransportConfiguration()
let error = NetworkError.timeout
let file = FileHandle.standardOutput
let request = URLRequest(url: url)
let response = TransportResponse(status: 200, url: url)
let session = URLSession.shared
let user = User(id: 1, name: "Leia")

struct MyTransport: HTTPTransport {
    let configuration: TransportConfiguration

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        response
    }
}

struct MyPins: ServerTrustPolicy {
    func evaluate(_ chain: CertificateChain, host: String) throws {}
}

let myPins = MyPins()

actor TokenManager {
    static let shared = TokenManager()
    let accessToken = "token"

    func refreshToken() async throws {}
}

struct BackoffInterceptor: RequestInterceptor {}

final class Counter: Sendable {
    func increment() {}
}

var next: Next {
    get { Next { _, _, _ in response } }
    set {}
}

var progress: AsyncStream<TransferProgress> { AsyncStream { $0.finish() } }

let server: MockServer = neverMade()
let pins: [CertificatePin] = []
let endOfLife = Date()
let pinningPolicy: PinningPolicy = neverMade()
let pinningDelegate: PinningURLSessionDelegate = neverMade()
let oauth: OAuthClient = neverMade()
let sessions = InMemorySessionProvider()
let step = LoopbackWebStep { _ in }
let folder = url
let key = Data()
let secret = Data()
let myObserver: any NetworkEventObserver = neverMade()

/// For what cannot be made without an error: nothing here is run.
private func neverMade<Value>() -> Value { fatalError("Snippets are compiled, not run.") }

/// Stands for swift-log.
enum Logging {
    struct Logger: Sendable {
        enum Level: Sendable { case error, info }

        init(label: String) {}
        func log(level: Level, _ message: String) {}
    }
}
