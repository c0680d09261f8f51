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

nonisolated final class Counter: Sendable {
    func increment() {}
}

var next: Next {
    get { Next { _, _, _ in response } }
    set {}
}

var progress: AsyncStream<TransferProgress> { AsyncStream { $0.finish() } }

let server = snippetServer.server
let pins: [CertificatePin] = []
let endOfLife = Date()
let pinningPolicy: PinningPolicy = neverMade()
let pinningDelegate: PinningURLSessionDelegate = neverMade()
let oauth: OAuthClient = neverMade()
let sessions: InMemorySessionProvider = {
    let sessions = InMemorySessionProvider()
    sessions.setSession(Session(userID: "42", accessToken: "access"))
    return sessions
}()
let step = OAuthWebStep.loopback { _ in }
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

/// `HMAC<SHA256>` stands for swift-crypto's and CryptoKit's (RFC 2104, FIPS 180-4).
nonisolated enum HMAC<Hash> {
    static func authenticationCode(for data: Data, using key: SymmetricKey) -> [UInt8] {
        let block = (key.bytes.count > 64 ? SHA256.hash(key.bytes) : key.bytes) + [UInt8](repeating: 0, count: 64)
        let inner = SHA256.hash(block.prefix(64).map { $0 ^ 0x36 } + data)
        return SHA256.hash(block.prefix(64).map { $0 ^ 0x5c } + inner)
    }
}

nonisolated struct SymmetricKey: Sendable {
    let bytes: [UInt8]

    init(data: Data) { bytes = Array(data) }
}

nonisolated enum SHA256 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
        let constants = primes.map { UInt32(truncatingIfNeeded: Int(cbrt(Double($0)) * 0x1p32)) }
        var hash = primes.prefix(8).map { UInt32(truncatingIfNeeded: Int(Double($0).squareRoot() * 0x1p32)) }
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let padded = message + padding + withUnsafeBytes(of: UInt64(message.count * 8).bigEndian, Array.init)
        for block in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { word in padded[(block + word * 4)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
            for word in 16..<64 {
                let (old, new) = (words[word - 15], words[word - 2])
                let first = turned(old, 7) ^ turned(old, 18) ^ old >> 3
                words.append(words[word - 16] &+ first &+ words[word - 7] &+ (turned(new, 17) ^ turned(new, 19) ^ new >> 10))
            }
            var (a, e) = (Array(hash[0..<4]), Array(hash[4..<8]))
            for round in 0..<64 {
                let choice = e[0] & e[1] ^ ~e[0] & e[2]
                let majority = a[0] & a[1] ^ a[0] & a[2] ^ a[1] & a[2]
                let sum = e[3] &+ (turned(e[0], 6) ^ turned(e[0], 11) ^ turned(e[0], 25)) &+ choice &+ constants[round] &+ words[round]
                let other = (turned(a[0], 2) ^ turned(a[0], 13) ^ turned(a[0], 22)) &+ majority
                e = [a[3] &+ sum] + e.prefix(3)
                a = [sum &+ other] + a.prefix(3)
            }
            hash = zip(hash, a + e).map { $0 &+ $1 }
        }
        return hash.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
    }

    private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
}
