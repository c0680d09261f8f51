import NetTesting
import NetTransfer
import TestLab
import Testing

struct Receipt: Codable, Hashable, Sendable { let id: String }

struct Drop: Endpoint {
    var path = "/files"
    var method = HTTPMethod.post
    var headers: [String: String] = [:]
    var options = RequestOptions()
    typealias Response = Receipt
}

struct Site: NetworkEnvironment { let baseURL: URL }

extension AsyncStream<TransferProgress> {
    var last: TransferProgress? { get async { await reduce(into: nil) { $0 = $1 } } }
}

extension AsyncStream<Data> {
    static func of(_ chunks: [Data]) -> Self {
        Self { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }
}

/// Returns a transfer that ends with a value when its gate is opened.
func gated<Value: Sendable>(_ value: Value) -> (TransferTask<Value>, opener: AsyncStream<Void>.Continuation) {
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let task = TransferTask {
        for await _ in gate { break }
        return value
    }
    return (task, opener)
}

extension MockServer {
    static func receiving(keepingBodiesUpTo limit: Int = 64 << 20) throws -> MockServer {
        try MockServer(keepingBodiesUpTo: limit) { _ in .json(Receipt(id: "7")) }
    }
}

extension NetworkClient {
    convenience init(_ server: MockServer, retryPolicy: RetryPolicy = .none, clock: any NetworkClock = .system) {
        self.init(environment: Site(baseURL: server.url), retryPolicy: retryPolicy, clock: clock)
    }
}

extension TemporaryDirectory {
    func file(_ name: String, bytes count: Int) throws -> URL {
        let url = file(name)
        try pattern(count).write(to: url)
        return url
    }
}

func neverGoesBack(_ states: [TransferProgress]) -> Bool {
    zip(states, states.dropFirst()).allSatisfy { $0.bytesCompleted <= $1.bytesCompleted }
}
