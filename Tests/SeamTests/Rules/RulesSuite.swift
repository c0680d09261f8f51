import NetTesting
import Networking
import Testing

/// A suite with clients whose transport numbers the requests, so that a test sees which responses came from the cache.
protocol RulesSuite { var clock: TestClock { get } }

extension RulesSuite {
    /// A transport whose body is the number of the request, fresh for a day. `before` adds fields, also `Location`.
    func counting(
        _ fields: HTTPHeaders = [:], status: Int = 200,
        before: @escaping @Sendable (URLRequest, Int) async throws -> HTTPHeaders = { _, _ in [:] }
    ) -> StubTransport {
        let count = Locked(UInt64(0))
        return StubTransport { request, _, _ in
            let number = Int(count.next())
            var headers: HTTPHeaders = ["Cache-Control": "max-age=86400"]
            headers.add(contentsOf: fields)
            headers.add(contentsOf: try await before(request, number))
            return TransportResponse(
                status: headers["Location"] == nil ? status : 302, headers: headers, url: request.url,
                body: HTTPBody("\(number)"))
        }
    }

    func client(
        _ transport: StubTransport, diskCache folder: URL? = nil,
        _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        configuration.transport = transport
        let disk = folder.map { DiskCache(directory: $0, clock: clock) }
        configuration.cache = ResponseCache(store: disk ?? NetworkCache(clock: clock, purgeInterval: 0))
        configuration.clock = clock
        change(&configuration)
        return NetworkClient(configuration: configuration)
    }

    /// - Parameter address: the URL, or the path of the server that all these tests have.
    func request(
        _ address: String = "/", method: String = "GET", fields: [String: String] = [:]
    ) throws -> URLRequest {
        let server = URL(string: "https://a.example")
        var request = URLRequest(url: try #require(URL(string: address, relativeTo: server)?.absoluteURL))
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        return request
    }

    func get(
        _ client: NetworkClient, _ address: String = "/", method: String = "GET", fields: [String: String] = [:],
        body: String? = nil, policy: URLRequest.CachePolicy = .useProtocolCachePolicy, partition: String? = nil,
        observers: [any NetworkEventObserver] = []
    ) async throws -> TransportResponse {
        var request = try request(address, method: method, fields: fields)
        request.httpBody = body.map { Data($0.utf8) }
        request.cachePolicy = policy
        var context = RequestContext(clock: clock)
        (context.partition, context.observers) = (partition, observers)
        return try await client.response(for: request, context: context)
    }

    func text(_ response: TransportResponse) async throws -> String {
        String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self)
    }

    func text(
        _ client: NetworkClient, _ address: String = "/", partition: String? = nil, fields: [String: String] = [:]
    ) async throws -> String {
        try await text(get(client, address, fields: fields, partition: partition))
    }
}

/// Middleware that sets one field.
struct FieldMiddleware: HTTPInterceptor {
    let field: String
    let value: @Sendable () -> String?
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await next(request.setting(field, value()))
    }
}

/// Has a token after a moment, as from a keychain.
struct LateToken: TokenProvider {
    func validToken() async throws -> String { "late" }
    func refreshToken() async throws -> String { "late" }
}

extension StubTransport {
    func sent(_ field: String) -> [String?] { exchanges.map { $0.request.value(forHTTPHeaderField: field) } }
}

extension URLRequest {
    func setting(_ field: String, _ value: String?) -> URLRequest {
        var copy = self
        copy.setValue(value, forHTTPHeaderField: field)
        return copy
    }
}
