import Configuration
import Foundation
import NetCache
import NetClient
import NetCore
import NetLogging
import NetTesting
import NetworkingConfiguration
import Testing

@Suite struct ConfigReaderTests {
    private func read(
        _ values: [AbsoluteConfigKey: ConfigValue], reporter: (any AccessReporter)? = nil
    ) async throws -> NetworkClient.Configuration {
        try await NetworkClient.Configuration(
            reading: ConfigReader(provider: InMemoryProvider(values: values), accessReporter: reporter))
    }

    @Test func keepsDefaults() async throws {
        var base = NetworkClient.Configuration()
        base.userAgent = "base"
        base.timeoutInterval = 7
        let config = ConfigReader(provider: InMemoryProvider(values: ["timeout.idle": 8]))
        let configuration = try await NetworkClient.Configuration(reading: config, over: base)
        #expect(configuration.userAgent == "base")
        #expect(configuration.timeoutInterval == 8)
        #expect(configuration.baseURL == nil)
        #expect(configuration.cache == nil)
        #expect(configuration.retryPolicy.maxRetries == 0)
        #expect(configuration.transportConfiguration.timeouts == TransportConfiguration().timeouts)
        #expect(configuration.transportConfiguration.limits == TransportConfiguration().limits)
        #expect(configuration.transportConfiguration.proxy == .system)
    }

    @Test func readsRequestsAndResilience() async throws {
        let configuration = try await read([
            "baseURL": "https://api.example.com/v1", "userAgent": "app/1", "maximumBodySize": 1_000,
            "log.level": "verbose",
            "timeout.idle": 2.5, "timeout.total": 90, "redirect.limit": 3, "retry.maximum": 4, "retry.baseDelay": 0.5,
            "retry.maximumDelay": 9, "retry.maximumRetryAfter": 5, "retry.addsIdempotencyKey": true,
            "circuitBreaker.failureThreshold": 6, "circuitBreaker.resetTimeout": 11, "limit.requestsPerSecond": 12,
            "limit.concurrentRequestsPerHost": 13, "cache.maximumBytes": 14_000, "cache.maximumEntries": 15,
        ])
        #expect(configuration.baseURL?.absoluteString == "https://api.example.com/v1")
        #expect(configuration.userAgent == "app/1")
        #expect(configuration.maximumBodySize == 1_000)
        #expect(configuration.callInterceptors.contains { $0 is LoggingInterceptor })
        #expect(configuration.timeoutInterval == 2.5)
        #expect(configuration.resilience.totalTimeout == 90)
        #expect(configuration.redirectPolicy.limit == 3)
        #expect(configuration.retryPolicy.maxRetries == 4)
        #expect(configuration.retryPolicy.delay == .exponential(base: 0.5, maximum: 9))
        #expect(configuration.retryPolicy.maximumRetryAfter == 5)
        #expect(configuration.retryPolicy.addsIdempotencyKey)
        #expect(configuration.resilience.circuitBreaker?.failureThreshold == 6)
        #expect(configuration.resilience.circuitBreaker?.resetTimeout == 11)
        let url = try #require(configuration.baseURL)
        #expect(configuration.resilience.rateLimiter?.availableCount(for: url) == 12)
        #expect(configuration.resilience.concurrencyLimiter?.maxConcurrentPerHost == 13)
        #expect(configuration.cache is ResponseCache)
    }

    @Test func readsTheTransport() async throws {
        let configuration = try await read([
            "timeout.connect": 4, "connection.maximumPerHost": 5, "connection.maximumIdle": 0,
            "connection.maximumExchanges": 7,
            "httpVersion": "1.1", "cookies": "off", "tls.minimumVersion": "1.3", "proxy.kind": "socks5",
            "proxy.host": "proxy.example", "proxy.port": 1_080, "proxy.username": "u", "proxy.password": "p",
            "proxy.exceptions": .init(.stringArray(["*.internal", "10.0.0.0/8"]), isSecret: false),
        ]).transportConfiguration
        #expect(configuration.timeouts.connect == 4)
        #expect(configuration.limits.connectionsPerHost == 5)
        #expect(configuration.limits.idleConnections == 0)
        #expect(configuration.limits.concurrentExchanges == 7)
        #expect(configuration.httpVersions == .http1Only)
        #expect(configuration.cookies == .off)
        #expect(configuration.minimumTLSVersion == .v1_3)
        let exceptions = ["*.internal", "10.0.0.0/8"]
        #expect(
            configuration.proxy
                == .socks5(host: "proxy.example", port: 1_080, username: "u", password: "p", exceptions: exceptions))
    }

    @Test func zeroSwitchesOff() async throws {
        var base = NetworkClient.Configuration()
        base.resilience = .recommended
        base.retryPolicy = .default
        base.cache = ResponseCache()
        let config = ConfigReader(
            provider: InMemoryProvider(values: [
                "retry.maximum": 0, "circuitBreaker.failureThreshold": 0, "cache.maximumBytes": 0, "redirect.limit": 0,
            ]))
        let configuration = try await NetworkClient.Configuration(reading: config, over: base)
        #expect(configuration.retryPolicy.maxRetries == 0)
        #expect(configuration.resilience.circuitBreaker == nil)
        #expect(configuration.cache == nil)
        #expect(configuration.redirectPolicy.decide != nil)
    }

    @Test func readsEnvironmentVariables() async throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "HTTP_CLIENT_BASE_URL": "http://a.example", "HTTP_CLIENT_TIMEOUT_CONNECT": "1.5",
            "HTTP_CLIENT_RETRY_MAXIMUM": "2",
            "HTTP_CLIENT_RETRY_ADDS_IDEMPOTENCY_KEY": "true", "HTTP_CLIENT_PROXY_KIND": "http",
            "HTTP_CLIENT_PROXY_HOST": "p",
            "HTTP_CLIENT_PROXY_PORT": "3128", "HTTP_CLIENT_PROXY_EXCEPTIONS": "a,b.example",
        ])
        let configuration = try await NetworkClient.Configuration(
            reading: ConfigReader(provider: provider).scoped(to: "http.client"))
        #expect(configuration.baseURL?.absoluteString == "http://a.example")
        #expect(configuration.transportConfiguration.timeouts.connect == 1.5)
        #expect(configuration.retryPolicy.maxRetries == 2)
        #expect(configuration.retryPolicy.addsIdempotencyKey)
        #expect(
            configuration.transportConfiguration.proxy == .http(host: "p", port: 3_128, exceptions: ["a", "b.example"]))
    }

    @Test(arguments: [
        ("BASE_URL", "ftp://example.com", "baseURL"), ("BASE_URL", "/path", "baseURL"), ("BASE_URL", "", "baseURL"),
        ("USER_AGENT", "a\r\nX: y", "userAgent"), ("USER_AGENT", "é", "userAgent"),
        ("MAXIMUM_BODY_SIZE", "0", "maximumBodySize"),
        ("MAXIMUM_BODY_SIZE", "64 MiB", "maximumBodySize"), ("COOKIES", "on", "cookies"),
        ("HTTP_VERSION", "3", "httpVersion"),
        ("LOG_LEVEL", "debug", "log.level"), ("TIMEOUT_CONNECT", "5s", "timeout.connect"),
        ("TIMEOUT_CONNECT", "0", "timeout.connect"),
        ("TIMEOUT_IDLE", "-1", "timeout.idle"), ("TIMEOUT_TOTAL", "nan", "timeout.total"),
        ("TIMEOUT_TOTAL", "inf", "timeout.total"),
        ("REDIRECT_LIMIT", "1001", "redirect.limit"), ("RETRY_MAXIMUM", "101", "retry.maximum"),
        ("RETRY_MAXIMUM", "-1", "retry.maximum"),
        ("RETRY_BASE_DELAY", "x", "retry.baseDelay"),
        ("RETRY_ADDS_IDEMPOTENCY_KEY", "maybe", "retry.addsIdempotencyKey"),
        ("CIRCUIT_BREAKER_FAILURE_THRESHOLD", "-5", "circuitBreaker.failureThreshold"),
        ("LIMIT_REQUESTS_PER_SECOND", "1.5", "limit.requestsPerSecond"),
        ("CACHE_MAXIMUM_ENTRIES", "7", "cache.maximumBytes"),
        ("CONNECTION_MAXIMUM_PER_HOST", "0", "connection.maximumPerHost"), ("PROXY_KIND", "ftp", "proxy.kind"),
        ("PROXY_KIND", "http", "proxy.host"), ("PROXY_HOST", "p.example", "proxy.kind"),
        ("PROXY_PORT", "65536", "proxy.port"),
        ("TLS_MINIMUM_VERSION", "1.1", "tls.minimumVersion"),
        ("TLS_AUTHORITIES", "/nonexistent.pem", "tls.authorities"),
        ("TLS_KEY", "/nonexistent.pem", "tls.key"), ("TLS_CERTIFICATE", "/etc/hostname", "tls.certificate"),
        ("PROXY_PASSWORD", "", "proxy.password"),
    ])
    func refusesAWrongValue(variable: String, value: String, key: String) async {
        let config = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [variable: value]))
        let error = await #expect(throws: ConfigurationError.self) {
            try await NetworkClient.Configuration(reading: config)
        }
        #expect(error?.key == key)
        #expect(error.map { $0.description.contains(key) && $0.description.contains($0.allowed) } == true)
    }

    @Test func refusesAnotherType() async {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(["timeout.connect": "secret-value"])
        }
        #expect(error?.key == "timeout.connect")
        #expect(error?.underlyingError != nil)
        #expect(error.map { "\($0)\($0.localizedDescription)".contains("secret-value") } == false)
    }

    @Test func readsCertificates() async throws {
        let certificate = try await MockCertificate.make()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ data: Data) throws -> ConfigValue {
            let url = folder.appendingPathComponent(name)
            try data.write(to: url)
            return ConfigValue(.string(url.path), isSecret: false)
        }
        let authorities = try file("authorities.pem", certificate.authority)
        let leaf = try file("certificate.pem", certificate.certificate)
        let key = try file("key.pem", certificate.privateKey)
        let transport = try await read([
            "tls.authorities": authorities, "tls.certificate": leaf, "tls.key": key, "tls.keyPassword": "x",
        ]).transportConfiguration
        #expect(transport.certificateAuthorities == .only(pem: certificate.authority))
        let expected = TransportConfiguration.ClientCertificate.pem(
            certificate: certificate.certificate, key: certificate.privateKey, password: "x")
        #expect(transport.clientCertificate == expected)
        for (values, name) in [
            (["tls.certificate": leaf], "tls.key"), (["tls.key": key], "tls.certificate"),
            (["tls.key": leaf], "tls.key"),
        ]
            as [([AbsoluteConfigKey: ConfigValue], String)]
        {
            let error = await #expect(throws: ConfigurationError.self) { try await read(values) }
            #expect(error?.key == name)
        }
    }

    /// README lists the keys that are read, and no others. Both secrets are read as secrets.
    @Test func readmeListsTheKeys() async throws {
        final class Recorder: AccessReporter, @unchecked Sendable {
            // Unchecked: the lock protects the list.
            private let lock = NSLock()
            private var list: [AccessEvent] = []
            var events: [AccessEvent] { lock.withLock { list } }
            func report(_ event: AccessEvent) { lock.withLock { list.append(event) } }
        }
        let recorder = Recorder()
        _ = try await read(
            [
                "proxy.kind": "http", "proxy.host": "h", "proxy.port": 1, "proxy.password": "p", "tls.keyPassword": "q",
                "cache.maximumBytes": 1,
            ], reporter: recorder)
        let readme = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../README.md"),
            encoding: .utf8)
        let listed = try #require(readme.components(separatedBy: "## Keys").last).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(Set(listed) == Set(recorder.events.map(\.metadata.key.description)))
        let secrets = recorder.events.filter { (try? $0.result.get())?.isSecret == true }.map(
            \.metadata.key.description)
        #expect(Set(secrets) == ["proxy.password", "tls.keyPassword"])
    }

    @Test func configuresAClient() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .ok)
        let configuration = try await read(["userAgent": "configured/1", "retry.maximum": 1, "retry.baseDelay": 0.001])
        let client = NetworkClient(configuration: configuration)
        #expect(try await client.send(URLRequest(url: server.url)).status == 200)
        #expect(server.requests.map { $0.headers["User-Agent"] } == ["configured/1", "configured/1"])
        await server.stop()
    }
}
