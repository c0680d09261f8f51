import NetTesting
import Networking

/// How one setting of a client shows.
struct SettingCase: Sendable {
    typealias Change = @Sendable (inout NetworkClient.Configuration) -> Void
    typealias LabChange = @Sendable (inout NetworkClient.Configuration, SettingLab) -> Void
    typealias Play = @Sendable (SettingCaller) async -> Void

    /// As the property is called.
    let name: String
    /// What the setting needs to show, in the client with and the one without it.
    var base: LabChange = { _, _ in }
    let change: LabChange
    /// What is sent to see it.
    var play: Play = { await $0.send() }
    /// Whether what was seen shows the setting; nil if it has to differ from what is seen without it.
    var shows: (@Sendable ([String]) -> Bool)?

    static let all: [SettingCase] = requests + owners + pipeline + transport + chance

    private static let twice: Play = { for _ in 0..<2 { await $0.send() } }
    private static let flaky: Play = { await $0.send("/flaky") }
    private static let caching: Change = { $0.cache = ResponseCache() }

    private static let requests: [SettingCase] = [
        SettingCase(name: "environment", change: { $0.environment = LabEnvironment(baseURL: $1.server.url) }),
        SettingCase("encoder", { $0.encoder = WordEncoder() }, play: { await $0.send(method: .post, body: "Ada") }),
        SettingCase(
            "queryEncoding", { $0.queryEncoding = .alamofire },
            play: { await $0.send(query: ["on": true, "at": Date(timeIntervalSinceReferenceDate: 0.5)]) }),
        SettingCase("decoder", { $0.decoder = LoudDecoder() }),
        SettingCase(
            "timeoutInterval", { $0.timeoutInterval = 0.2 }, play: { await $0.send("/slow") },
            shows: { $0.count == 1 && $0[0].hasPrefix("failed: timeout") }),
        SettingCase("cachePolicy", base: caching, { $0.cachePolicy = .reloadIgnoringLocalCacheData }, play: twice),
        SettingCase("maximumBodySize", { $0.maximumBodySize = 4 }),
        SettingCase(
            "requestCompression", { $0.requestCompression = .gzip },
            play: { await $0.send(method: .post, body: String(repeating: "Ada", count: 1000)) }),
        SettingCase("userAgent", { $0.userAgent = "Seam/1" }),
    ]

    private static let owners: [SettingCase] = [
        SettingCase("authenticationProvider", { $0.authenticationProvider = FixedProvider(token: "one") }),
        SettingCase(
            "partition",
            base: {
                let tokens = Locked(UInt64(0))
                $0.cache = ResponseCache()
                $0.interceptors = [AuthInterceptor(tokenProvider: { "token-\(tokens.next())" })]
            }, { $0.partition = { "ada" } }, play: twice),
        SettingCase(
            "harmlessFields", { $0.harmlessFields = ["X-Screen"] },
            play: { await $0.send("/elsewhere", headers: ["X-Screen": "home"]) }),
        SettingCase(
            "identifyingFields", base: caching, { $0.identifyingFields = ["X-Screen"] },
            play: { for screen in ["home", "search"] { await $0.send(headers: ["X-Screen": screen]) } }),
        SettingCase(
            "sharedFields", base: caching, { $0.sharedFields = ["X-Team-*"] },
            play: { for color in ["red", "blue"] { await $0.send(headers: ["X-Team-Color": color]) } }),
    ]

    private static let pipeline: [SettingCase] = [
        SettingCase("callInterceptors", { $0.callInterceptors = [FieldMiddleware(field: "X-Call") { "1" }] }),
        SettingCase("interceptors", { $0.interceptors = [FieldMiddleware(field: "X-Attempt") { "1" }] }),
        SettingCase("redirectPolicy", { $0.redirectPolicy = .doNotFollow }, play: { await $0.send("/redirect") }),
        SettingCase("retryPolicy", { $0.retryPolicy = RetryPolicy(maxRetries: 1, delay: .immediate) }, play: flaky),
        SettingCase(
            "resilience", { $0.resilience.circuitBreaker = CircuitBreaker(failureThreshold: 1, resetTimeout: 600) },
            play: { for _ in 0..<2 { await $0.send("/flaky") } }), SettingCase("cache", caching, play: twice),
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
        SettingCase("transportConfiguration", { $0.transportConfiguration.additionalHeaders = ["X-Additional": "1"] }),
        SettingCase("transport", { $0.transport = MarkingTransport() }),
        SettingCase(
            "cookies",
            {
                let store = CookieStore()
                store.set(Cookie(name: "sid", value: "1", domain: "127.0.0.1"))
                $0.cookies = store
            }),
        // Set by what reads a `URLSessionConfiguration`.
        SettingCase(
            "refusal",
            {
                let session = URLSessionConfiguration.default
                session.connectionProxyDictionary = ["ProxyAutoConfigEnable": 1]
                $0.setTransport(mapping: session)
            }),
        // A derived client shares its parent's connections, unless it has other settings for them.
        SettingCase(
            "transportRevision", { _ in },
            play: { caller in
                await caller.send()
                await caller.derived { $0.timeoutInterval = 20 }.send()
                caller.lab.note("connections: \(caller.lab.server.connectionCount)")
                await caller.derived { $0.transportConfiguration = TransportConfiguration() }.send()
                caller.lab.note("connections: \(caller.lab.server.connectionCount)")
            }, shows: { $0.filter { $0.hasPrefix("connections") } == ["connections: 1", "connections: 2"] }),
        // It shares what is known of the credentials, unless it has others.
        SettingCase(
            "authenticationRevision", { $0.authenticationProvider = FixedProvider(token: "one") },
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
            change: { $0.clock = NotingClock(lab: $1) }, play: flaky),
        SettingCase(
            name: "random",
            base: {
                $0.retryPolicy = RetryPolicy(maxRetries: 1, delay: .fullJitter(base: 100))
                $0.clock = NotingClock(lab: $1)
            }, change: { configuration, _ in configuration.random = { 0.25 } }, play: flaky),
    ]
}

extension SettingCase {
    private init(
        _ name: String, base: @escaping Change = { _ in }, _ change: @escaping Change,
        play: @escaping Play = { await $0.send() }, shows: (@Sendable ([String]) -> Bool)? = nil
    ) {
        self.init(
            name: name, base: { configuration, _ in base(&configuration) },
            change: { configuration, _ in change(&configuration) }, play: play, shows: shows)
    }
}

// MARK: - What is set

struct LabEnvironment: NetworkEnvironment {
    let baseURL: URL
    var defaultHeaders = ["X-Environment": "lab"]
}

private struct WordEncoder: BodyEncoder {
    let contentType = "text/x-word"
    func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("word".utf8) }
}

struct LoudDecoder: BodyDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let text = String(decoding: data, as: UTF8.self).replacingOccurrences(of: "hello", with: "HELLO")
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

struct FixedProvider: AuthenticationProvider {
    let token: String
    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
    func reauthenticate() async throws {}
}

private struct MarkingTransport: HTTPTransport {
    let base = PlatformTransport()
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        try await base.send(request.setting("X-Transport", "1"), body: body, context: context)
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
