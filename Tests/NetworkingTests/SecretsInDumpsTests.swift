import NetTesting
import Networking
import TestLab
import Testing

/// What holds settings, requests or responses shows no secret when it is printed or dumped, also after it was used.
@Suite struct SecretsInDumpsTests {
    private static let secret = "s3cr3tVa1ue"

    private struct Login: Codable, Sendable { var password = SecretsInDumpsTests.secret }

    private struct Home: NetworkEnvironment {
        let baseURL: URL
        var defaultHeaders: [String: String] { ["X-Session": token] }
        private let token = SecretsInDumpsTests.secret
        init(baseURL: URL) { self.baseURL = baseURL }
    }

    private struct Signing: HTTPInterceptor {
        let token = SecretsInDumpsTests.secret

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { try await next(request) }
    }

    private struct Tokens: AuthenticationProvider {
        let token = SecretsInDumpsTests.secret

        func authenticate(_ request: inout URLRequest) async throws {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }

        func reauthenticate() async throws {}
    }

    private let url: URL
    private let headers: HTTPHeaders = ["Authorization": "Bearer \(secret)", "X-Session": "\(secret)"]

    init() throws { url = try #require(URL(string: "https://leia:\(Self.secret)@a.example/p?token=\(Self.secret)")) }

    private var request: URLRequest {
        var request = URLRequest(url: url)
        (request.allHTTPHeaderFields, request.httpBody) = (headers.dictionary, Data(Self.secret.utf8))
        return request
    }

    private var options: RequestOptions {
        var options = RequestOptions()
        options.interceptors = [Signing()]
        return options
    }

    /// A client that has secrets in each of its settings, after a request whose response has some.
    private func client() async throws -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        (configuration.environment, configuration.authenticationProvider) = (Home(baseURL: url), Tokens())
        configuration.callInterceptors = [TrafficRecorder(), LoggingInterceptor(logger: NetworkLogger(sinks: []))]
        configuration.interceptors = [Signing(), AuthInterceptor.bearer(Self.secret)]
        configuration.cache = ResponseCache()
        configuration.transportConfiguration.additionalHeaders = headers
        configuration.transportConfiguration.proxy = .http(
            host: "proxy.example", port: 8080, username: "leia", password: Self.secret)
        configuration.cookies = CookieStore()
        configuration.transport = StubTransport { request, _, _ in
            TransportResponse(
                status: 200, headers: ["Set-Cookie": "a=\(Self.secret)", "Cache-Control": "max-age=60"],
                url: request.url, body: HTTPBody(Self.secret))
        }
        let client = NetworkClient(configuration: configuration)
        _ = try await client.data(for: request)
        return client
    }

    private func check(_ values: Any..., location: SourceLocation = #_sourceLocation) {
        for value in values {
            let texts = textsShowing(Self.secret, of: value).map { $0.prefix(2_000) }
            #expect(texts == [], "\(type(of: value))", sourceLocation: location)
        }
    }

    @Test func clientsAndTheirSettings() async throws {
        let client = try await client()
        let configuration = client.configuration
        check(
            client, configuration, configuration.transportConfiguration, configuration.cookies as Any,
            configuration.cache as Any, configuration.interceptors[1], configuration.callInterceptors,
            configuration.transport as Any, client.with { $0.retryPolicy = .default },
            NetworkConfiguration(baseURL: url, authProvider: Tokens()))
        await client.shutdown()
    }

    @Test func callsThatAreNotSent() async throws {
        let client = try await client()
        let networking = Networking(client: client)
        let chain: RequestChain = networking.request(url: url, method: .post, body: Login(), headers: headers)
        let builder = client.builder(for: Request<Login>(path: "/x", body: Login(), headers: headers))
            .header("X-Session", Self.secret)
        check(networking, options, chain, builder)
        chain.cancel()
        await client.shutdown()
    }

    @Test func transferObjects() async throws {
        let client = try await client()
        let form = MultipartFormData()
        form.append(value: Self.secret, name: "password")
        check(Downloader(client: client), Uploader(client: client), form)
        check(MultipartFormData.Part(HTTPBody(Self.secret), headers: headers))
        await client.shutdown()
    }

    @Test func storedResponses() async throws {
        let memory = NetworkCache()
        memory.setResponse(Data(Self.secret.utf8), for: url, expireTime: nil)
        let data = DataCache()
        await data.set(Data(Self.secret.utf8), for: "key")
        check(memory, data, HTTPCacheKey(url: url.absoluteString, owner: Self.secret))
        check(
            HTTPCacheEntry(
                id: "1", status: 200, headers: headers, responseURL: url, requestHeaders: headers, requestTime: Date(),
                responseTime: Date()))
    }
}
