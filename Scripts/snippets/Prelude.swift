// The names that snippets in README.md, Docs/ and doc comments take for granted. Compiled beside them by
// Scripts/check-snippets, which runs those of README.md and Docs/ against `snippetServer`.
import NetTesting
import Networking

// MARK: README.md and Docs/

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

/// What is decoded off the main actor: from streams, on queues, in background work.
nonisolated struct Product: Codable, Sendable {
    let id: Int
    let title: String
}

let networking = Networking()
nonisolated let token = "token"
let url = snippetServer.server.url("/users/1")
let usersURL = snippetServer.server.url("/users")
/// The SHA-256 of what is at `url`.
let digest = "fb896b39fde10984706b0ac44f927f32550b288000ff965b7e0b6f19494dc5bf"
let request = URLRequest(url: url)
let client = NetworkClient(environment: AppEnvironment.development)

/// A file in a folder that is there for the snippet alone.
let fileURL: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("report.txt")
        try Data("report".utf8).write(to: file)
        return file
    } catch {
        fail("no file: \(error)")
    }
}()

actor TokenStore {
    private(set) var current = ""

    func refresh() async throws { current = "fresh" }
}

nonisolated func process(_ chunk: Data) {}

// What a snippet does when something went wrong. Nothing does, so it is a mistake in the snippet.
func handle(_ error: NetworkError) { fail("it handled \(error)") }
func showOfflineBanner() { fail("it showed the banner for offline") }
func signIn() { fail("it has its user sign in") }

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

    func shouldContinuePolling(after response: [String]) -> Bool { !response.contains("disconnect") }
}

enum Shop: Endpoint {
    case items, search(query: String, page: Int)
    var path: String { "" }
}

enum AppEnvironment: NetworkEnvironment {
    case development
    var baseURL: URL { snippetServer.server.url }
}

// MARK: Doc comments

struct Forecast: Decodable, Sendable {}

let configuration = TransportConfiguration()
let error: NetworkError = .timeout
let file = FileHandle.standardOutput
nonisolated let response = TransportResponse(status: 200, url: nil)
let session = URLSession.shared
let user = User(id: 1, name: "Leia")

struct MyTransport: HTTPTransport {
    let configuration: TransportConfiguration
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        response
    }
}

let myPins: any ServerTrustPolicy = neverMade()

actor TokenManager {
    static let shared = TokenManager()
    let accessToken = "token"

    func refreshToken() async throws {}
}

struct BackoffInterceptor: RequestInterceptor {}

nonisolated final class Counter: Sendable {
    func increment() {}
}

var next: Next {
    get { Next { _, _, _ in response } }
    set {}
}

var progress: AsyncStream<TransferProgress> { AsyncStream { $0.finish() } }

let server = snippetServer.server
let pins: [PinningPolicy.Pin] = []
let endOfLife = Date()
let pinningPolicy: PinningPolicy = neverMade()
let pinningDelegate: PinningURLSessionDelegate = neverMade()
let oauth: OAuthClient = neverMade()
let sessions: InMemorySessionProvider = {
    let sessions = InMemorySessionProvider()
    sessions.setSession(Session(userID: "42", accessToken: "access"))
    return sessions
}()
let step = OAuthClient.WebStep.loopback { _ in }
let folder = fileURL.deletingLastPathComponent()
let key = Data()
let secret = Data()
let myObserver: any NetworkEventObserver = neverMade()

/// For what cannot be made without an error, in doc comments, which are not run.
private func neverMade<Value>() -> Value { fail("this name of the Prelude is for doc comments") }

/// Stands for swift-log.
nonisolated enum Logging {
    struct Logger: Sendable {
        enum Level: Sendable { case error, info }

        init(label: String) {}
        func log(level: Level, _ message: String) {}
    }
}

// MARK: Other packages

/// Stands for swift-crypto's and CryptoKit's HMAC, by the `openssl` of the tests.
nonisolated enum HMAC<Hash> {
    static func authenticationCode(for data: Data, using key: SymmetricKey) -> Data {
        let (openssl, input, output) = (Process(), Pipe(), Pipe())
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let hexadecimal = key.data.map { String(format: "%02x", $0) }.joined()
        openssl.arguments =
            ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hexadecimal)", "-binary"]
        (openssl.standardInput, openssl.standardOutput) = (input, output)
        do { try openssl.run() } catch { fail("openssl does not run: \(error)") }
        input.fileHandleForWriting.write(data)
        input.fileHandleForWriting.closeFile()
        return output.fileHandleForReading.readDataToEndOfFile()
    }
}

nonisolated struct SymmetricKey: Sendable { let data: Data }
nonisolated enum SHA256 {}
