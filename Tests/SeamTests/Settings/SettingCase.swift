import NetTesting
import Networking

/// How one setting of a client shows.
struct SettingCase: Sendable {
    typealias Change = @Sendable (inout NetworkClient.Configuration, SettingLab) -> Void

    /// As the property is called.
    let name: String
    /// What the setting needs to show, in the client with and the one without it.
    var base: Change = { _, _ in }
    /// Sets it.
    let change: Change
    /// What is sent to see it.
    var play: @Sendable (SettingCaller) async -> Void = { await $0.send() }
    /// Whether what was seen shows the setting; nil if it has to differ from what is seen without it.
    var shows: (@Sendable ([String]) -> Bool)?

    static let all: [SettingCase] = requests + owners + pipeline + transport + chance

    private static let twice: @Sendable (SettingCaller) async -> Void = { caller in
        await caller.send()
        await caller.send()
    }

    private static let requests: [SettingCase] = [
        SettingCase(name: "environment", change: { $0.environment = LabEnvironment(baseURL: $1.server.url) }),
        SettingCase(
            name: "encoder", change: { configuration, _ in configuration.encoder = WordEncoder() },
            play: { await $0.send(method: .post, body: "Ada") }),
        SettingCase(
            name: "queryEncoding", change: { configuration, _ in configuration.queryEncoding = .alamofire },
            play: { await $0.send(query: ["on": true, "at": Date(timeIntervalSinceReferenceDate: 0.5)]) }),
        SettingCase(name: "decoder", change: { configuration, _ in configuration.decoder = WordDecoder() }),
        SettingCase(
            name: "timeoutInterval", change: { configuration, _ in configuration.timeoutInterval = 0.2 },
            play: { await $0.send("/slow") }),
        SettingCase(
            name: "cachePolicy", base: { configuration, _ in configuration.cache = ResponseCache() },
            change: { configuration, _ in configuration.cachePolicy = .reloadIgnoringLocalCacheData }, play: twice),
        SettingCase(name: "maximumBodySize", change: { configuration, _ in configuration.maximumBodySize = 4 }),
        SettingCase(
            name: "requestCompression", change: { configuration, _ in configuration.requestCompression = .gzip },
            play: { await $0.send(method: .post, body: String(repeating: "Ada", count: 1000)) }),
        SettingCase(name: "userAgent", change: { configuration, _ in configuration.userAgent = "Seam/1" }),
    ]

    private static let owners: [SettingCase] = [
        SettingCase(
            name: "authenticationProvider",
            change: { configuration, _ in configuration.authenticationProvider = FixedProvider(token: "one") }),
        SettingCase(
            name: "partition",
            base: { configuration, _ in
                let tokens = Counter()
                configuration.cache = ResponseCache()
                configuration.interceptors = [AuthInterceptor(tokenProvider: { "token-\(tokens.next())" })]
            },
            change: { configuration, _ in configuration.partition = { "ada" } }, play: twice),
        SettingCase(
            name: "harmlessFields", change: { configuration, _ in configuration.harmlessFields = ["X-Screen"] },
            play: { await $0.send("/elsewhere", headers: ["X-Screen": "home"]) }),
        SettingCase(
            name: "identifyingFields", base: { configuration, _ in configuration.cache = ResponseCache() },
            change: { configuration, _ in configuration.identifyingFields = ["X-Screen"] },
            play: { caller in
                await caller.send(headers: ["X-Screen": "home"])
                await caller.send(headers: ["X-Screen": "search"])
            }),
        SettingCase(
            name: "sharedFields", base: { configuration, _ in configuration.cache = ResponseCache() },
            change: { configuration, _ in configuration.sharedFields = ["X-Team-*"] },
            play: { caller in
                await caller.send(headers: ["X-Team-Color": "red"])
                await caller.send(headers: ["X-Team-Color": "blue"])
            }),
    ]

    private static let pipeline: [SettingCase] = [
        SettingCase(
            name: "callInterceptors",
            change: { configuration, _ in configuration.callInterceptors = [Marker(field: "X-Call")] }),
        SettingCase(
            name: "interceptors",
            change: { configuration, _ in configuration.interceptors = [Marker(field: "X-Attempt")] }),
        SettingCase(
            name: "redirectPolicy", change: { configuration, _ in configuration.redirectPolicy = .doNotFollow },
            play: { await $0.send("/redirect") }),
        SettingCase(
            name: "retryPolicy",
            change: { configuration, _ in configuration.retryPolicy = RetryPolicy(maxRetries: 1, delay: .immediate) },
            play: { await $0.send("/flaky") }),
        SettingCase(
            name: "resilience",
            change: { configuration, _ in
                configuration.resilience.circuitBreaker = CircuitBreaker(failureThreshold: 1, resetTimeout: 600)
            },
            play: { caller in
                await caller.send("/flaky")
                await caller.send("/flaky")
            }),
        SettingCase(name: "cache", change: { configuration, _ in configuration.cache = ResponseCache() }, play: twice),
        SettingCase(
            name: "connectionMonitor",
            base: { configuration, lab in
                configuration.transport = StubTransport { request, _, _ in
                    lab.note("sent \(request.url?.absoluteString ?? "")")
                    return TransportResponse(status: 200, url: nil, body: HTTPBody(#"{"text":"stub"}"#))
                }
            },
            change: { configuration, _ in configuration.connectionMonitor = MockConnectionMonitor(isReachable: false) },
            // This machine itself is always reached.
            play: { await $0.send(host: "https://service.example") }),
    ]

    private static let transport: [SettingCase] = [
        SettingCase(
            name: "transportConfiguration",
            change: { configuration, _ in configuration.transportConfiguration.additionalHeaders = ["X-Additional": "1"]
            }),
        SettingCase(name: "transport", change: { configuration, _ in configuration.transport = MarkingTransport() }),
        SettingCase(
            name: "cookies",
            change: { configuration, _ in
                let store = CookieStore()
                store.set(Cookie(name: "sid", value: "1", domain: "127.0.0.1"))
                configuration.cookies = store
            }),
        // Set by what reads a `URLSessionConfiguration`.
        SettingCase(
            name: "refusal",
            change: { configuration, _ in
                let session = URLSessionConfiguration.default
                session.connectionProxyDictionary = ["ProxyAutoConfigEnable": 1]
                configuration.setTransport(mapping: session)
            }),
        // A derived client shares its parent's connections, unless it has other settings for them.
        SettingCase(
            name: "transportRevision", change: { _, _ in },
            play: { caller in
                await caller.send()
                await caller.derived { $0.timeoutInterval = 20 }.send()
                caller.lab.note("connections: \(caller.lab.server.connectionCount)")
                await caller.derived { $0.transportConfiguration = TransportConfiguration() }.send()
                caller.lab.note("connections: \(caller.lab.server.connectionCount)")
            },
            shows: { $0.filter { $0.hasPrefix("connections") } == ["connections: 1", "connections: 2"] }),
        // It shares what is known of the credentials, unless it has others.
        SettingCase(
            name: "authenticationRevision",
            change: { configuration, _ in configuration.authenticationProvider = FixedProvider(token: "one") },
            play: { caller in
                await caller.derived { $0.timeoutInterval = 20 }.send()
                await caller.derived { $0.authenticationProvider = FixedProvider(token: "two") }.send()
            },
            shows: { seen in
                let sent = seen.filter { $0.hasPrefix("GET") }
                return sent.count == 2 && sent[0].contains("Bearer one") && sent[1].contains("Bearer two")
            }),
    ]

    private static let chance: [SettingCase] = [
        SettingCase(
            name: "clock",
            base: { configuration, _ in configuration.retryPolicy = RetryPolicy(maxRetries: 1, delay: .fixed(0.05)) },
            change: { configuration, lab in configuration.clock = NotingClock(lab: lab) },
            play: { await $0.send("/flaky") }),
        SettingCase(
            name: "random",
            base: { configuration, lab in
                configuration.retryPolicy = RetryPolicy(maxRetries: 1, delay: .fullJitter(base: 100))
                configuration.clock = NotingClock(lab: lab)
            },
            change: { configuration, _ in configuration.random = { 0.25 } },
            play: { await $0.send("/flaky") }),
    ]
}

// MARK: - What is set

private final class Counter: Sendable {
    private let value = Locked(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

private struct LabEnvironment: NetworkEnvironment {
    let baseURL: URL
    let defaultHeaders = ["X-Environment": "lab"]
}

private struct WordEncoder: BodyEncoder {
    let contentType = "text/x-word"

    func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("word".utf8) }
}

private struct WordDecoder: BodyDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: Data(#"{"text":"word"}"#.utf8))
    }
}

private struct FixedProvider: AuthenticationProvider {
    let token: String

    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }

    func reauthenticate() async throws {}
}

private struct Marker: HTTPInterceptor {
    let field: String

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.setValue("1", forHTTPHeaderField: field)
        return try await next(request)
    }
}

private struct MarkingTransport: HTTPTransport {
    let base = PlatformTransport()

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        var request = request
        request.setValue("1", forHTTPHeaderField: "X-Transport")
        return try await base.send(request, body: body, context: context)
    }
}

/// Does not sleep, and notes for how long it did not.
private struct NotingClock: NetworkClock {
    let lab: SettingLab

    var now: Date { SystemClock().now }
    var uptime: TimeInterval { SystemClock().uptime }

    func sleep(for seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        lab.note("slept \(seconds)")
    }
}
