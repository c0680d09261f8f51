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
    let context = RequestContext()
    let transport = Instant()
    let next = Next(context: context) { request, body, context in
        try await transport.send(request, body: body, context: context)
    }
    let silent = LoggingInterceptor(level: .none)
    func pass(_ name: String, goal: String = "", through interceptor: any HTTPInterceptor) -> Row {
        Row(name: name, goal: goal, operations: 200_000) { count in
            for _ in 0..<count { _ = try await interceptor.intercept(request, next: next) }
        }
    }
    return [
        Row(name: "redaction of JSON", goal: ">= 200 MB/s", operations: 200, bytes: json.count) { count in
            for _ in 0..<count { logger.log(request: post, body: body) }
            withExtendedLifetime(events) {}
        },
        pass("an interceptor that does nothing", through: Nothing()),
        pass("logging at .none", goal: "< 100 ns beyond that", through: silent),
    ]
}

/// Hands on.
private struct Nothing: HTTPInterceptor {
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { try await next(request) }
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
