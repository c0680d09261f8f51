import BenchKit
import Networking

/// What it costs to leave secrets out, and what logging costs that is switched off.
func loggingRows() throws -> [Row] {
    guard let url = URL(string: "https://a.example/users/1") else { return [] }
    let request = URLRequest(url: url)
    let json = sampleJSON()
    let body = HTTPBody(json)
    let post = {
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        post.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return post
    }()
    // What `NetworkLogger.log` does with a body, up to the sink.
    let logger = NetworkLogger(sinks: [])
    let events = logger.events(bufferingNewest: 1)
    let transport = Instant()
    func calls(_ name: String, goal: String = "", _ interceptors: [any HTTPInterceptor]) -> Row {
        let client = NetworkClient(transport: transport, callInterceptors: interceptors)
        return Row(name: name, goal: goal, operations: 100_000) { count in
            for _ in 0..<count { _ = try await client.response(for: request) }
        }
    }
    return [
        Row(name: "redaction of JSON", goal: ">= 200 MB/s", operations: 200, bytes: json.count) { count in
            for _ in 0..<count { logger.log(request: post, body: body) }
            withExtendedLifetime(events) {}
        },
        calls("call without logging", []),
        calls("call, logging at .none", goal: "< 100 ns beyond that", [LoggingInterceptor(level: .none)]),
        calls(
            "call, logging at .minimal",
            [LoggingInterceptor(level: .minimal, logger: NetworkLogger(sinks: [ClosureSink { _ in }]))]),
    ]
}

/// About 60 KB, as a service answers: short fields, some of them secret, some text.
private func sampleJSON() -> Data {
    let users = (0..<130).map { number in
        """
        {"id": \(number), "username": "user\(number)", "name": "Leia Organa", "email": "leia\(number)@example.com", \
        "password": "hunter\(number)", "created_at": "2024-05-06T07:08:09Z", "tags": ["a", "b", "c"], \
        "address": {"street": "Main Street \(number)", "city": "Alderaan", "zip": "12345"}, \
        "credentials": {"token": "abcdefghijklmnop\(number)", "scope": ["read", "write"]}, "active": true, "score": 12.5, \
        "notes": "A longer text about this person, with a \\"quote\\" in it and more words"}
        """
    }
    return Data("[\(users.joined(separator: ",\n"))]".utf8)
}
