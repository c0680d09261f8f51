public import Configuration
import Foundation
import NetCache
public import NetClient
import NetCore
import NetLogging

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension NetworkClient.Configuration {
    /// Reads a configuration. A key that no provider has keeps the value of `base`.
    ///
    /// ```swift
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    /// let client = NetworkClient(configuration: try await .init(reading: config.scoped(to: "http.client")))
    /// ```
    ///
    /// The README of the package lists all keys, with types, units, ranges and defaults. A misspelt key is not noticed: a reader cannot tell
    /// which keys a provider has. An `accessReporter` of the `ConfigReader` shows which were found.
    ///
    /// - Parameters:
    ///   - config: a reader, scoped to the section of the client.
    ///   - base: the configuration to start from.
    /// - Throws: ``ConfigurationError`` for the first value that cannot be used.
    public init(
        reading config: ConfigReader, over base: NetworkClient.Configuration = NetworkClient.Configuration()
    ) async throws(ConfigurationError) {
        self = base
        let reader = SettingReader(config: config)
        try await readRequests(reader)
        try await readResilience(reader)
        try await readTransport(reader)
    }

    private mutating func readRequests(_ reader: SettingReader) async throws(ConfigurationError) {
        if let text = try await reader.string("baseURL", "an http or https URL with a host", where: \.isHTTPURL) {
            baseURL = URL(string: text)
        }
        if let value = try await reader.string(
            "userAgent", "text in ASCII without control characters", where: \.isFieldText)
        {
            userAgent = value
        }
        if let value = try await reader.int("maximumBodySize", in: 1...Int.max) { maximumBodySize = value }
        if let value = try await reader.seconds("timeout.idle") { timeoutInterval = value }
        if let value = try await reader.int("redirect.limit", in: 0...1_000) {
            // A limit of 0 would make each redirect an error.
            redirectPolicy = value == 0 ? .doNotFollow : redirectPolicy.limited(to: value)
        }
        let level = try await reader.choice(
            "log.level", ["none": LoggingInterceptor.Level.none, "minimal": .minimal, "verbose": .verbose])
        if let level, level != .none { callInterceptors.append(LoggingInterceptor(level: level)) }

        let entries = try await reader.int("cache.maximumEntries", in: 1...Int.max)
        if let bytes = try await reader.int("cache.maximumBytes", in: 0...Int.max) {
            cache = bytes == 0 ? nil : ResponseCache(maxEntries: entries ?? 1_000, maxBytes: bytes)
        } else if entries != nil {
            throw ConfigurationError("cache.maximumBytes", "set, because cache.maximumEntries is")
        }
    }

    private mutating func readResilience(_ reader: SettingReader) async throws(ConfigurationError) {
        let baseDelay = try await reader.seconds("retry.baseDelay")
        let maximumDelay = try await reader.seconds("retry.maximumDelay")
        let maximumRetryAfter = try await reader.seconds("retry.maximumRetryAfter")
        let addsKey = try await reader.bool("retry.addsIdempotencyKey")
        if let retries = try await reader.int("retry.maximum", in: 0...100) {
            guard retries > 0 else {
                retryPolicy = .none
                return try await readLimits(reader)
            }
            retryPolicy = RetryPolicy(
                maxRetries: retries, delay: .exponential(base: baseDelay ?? 0.3, maximum: maximumDelay ?? 120))
        }
        if let maximumRetryAfter { retryPolicy.maximumRetryAfter = maximumRetryAfter }
        if let addsKey { retryPolicy.addsIdempotencyKey = addsKey }
        try await readLimits(reader)
    }

    private mutating func readLimits(_ reader: SettingReader) async throws(ConfigurationError) {
        if let value = try await reader.seconds("timeout.total") { resilience.totalTimeout = value }
        let reset = try await reader.seconds("circuitBreaker.resetTimeout")
        if let failures = try await reader.int("circuitBreaker.failureThreshold", in: 0...1_000_000) {
            resilience.circuitBreaker =
                failures == 0 ? nil : CircuitBreaker(failureThreshold: failures, resetTimeout: reset ?? 60)
        }
        if let requests = try await reader.int("limit.requestsPerSecond", in: 0...1_000_000) {
            resilience.rateLimiter = requests == 0 ? nil : RateLimiter(requests: requests)
        }
        if let requests = try await reader.int("limit.concurrentRequestsPerHost", in: 0...1_000_000) {
            resilience.concurrencyLimiter = requests == 0 ? nil : ConcurrencyLimiter(maxConcurrentPerHost: requests)
        }
    }

    private mutating func readTransport(_ reader: SettingReader) async throws(ConfigurationError) {
        var changes: [(inout TransportConfiguration) -> Void] = []
        if let value = try await reader.seconds("timeout.connect") { changes.append { $0.timeouts.connect = value } }
        if let value = try await reader.int("connection.maximumPerHost", in: 1...100_000) {
            changes.append { $0.limits.connectionsPerHost = value }
        }
        if let value = try await reader.int("connection.maximumIdle", in: 0...100_000) {
            changes.append { $0.limits.idleConnections = value }
        }
        if let value = try await reader.int("connection.maximumExchanges", in: 1...1_000_000) {
            changes.append { $0.limits.concurrentExchanges = value }
        }
        let versions = try await reader.choice(
            "httpVersion",
            ["automatic": TransportConfiguration.HTTPVersions.automatic, "1.1": .http1Only, "2": .http2PriorKnowledge])
        if let versions { changes.append { $0.httpVersions = versions } }
        let cookies = try await reader.choice(
            "cookies", ["shared": TransportConfiguration.CookieStorage.shared, "memory": .memory, "off": .off])
        if let cookies { changes.append { $0.cookies = cookies } }
        if let proxy = try await reader.proxy() { changes.append { $0.proxy = proxy } }
        if let authorities = try await reader.pem("tls.authorities", "CERTIFICATE") {
            changes.append { $0.certificateAuthorities = .only(pem: authorities) }
        }
        if let certificate = try await reader.clientCertificate() {
            changes.append { $0.clientCertificate = certificate }
        }
        let version = try await reader.choice(
            "tls.minimumVersion", ["1.2": TransportConfiguration.TLSVersion.v1_2, "1.3": .v1_3])
        if let version { changes.append { $0.minimumTLSVersion = version } }

        // Setting the value would replace a transport that was set for the platform.
        guard !changes.isEmpty else { return }
        for change in changes { change(&transportConfiguration) }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SettingReader {
    private enum ProxyKind { case system, direct, http, https, socks5 }

    fileprivate func proxy() async throws(ConfigurationError) -> TransportConfiguration.Proxy? {
        let kind = try await choice(
            "proxy.kind",
            ["system": ProxyKind.system, "none": .direct, "http": .http, "https": .https, "socks5": .socks5])
        let allowedHost = "a host name or address, because proxy.kind is http, https or socks5"
        let host = try await string("proxy.host", "a host name or address")
        let port = try await int("proxy.port", in: 1...65_535)
        let username = try await string("proxy.username", "text")
        let password = try await string("proxy.password", "text", isSecret: true)
        let exceptions = try await strings("proxy.exceptions", "a list of hosts, addresses and ranges") ?? []
        switch kind {
        case nil where host == nil: return nil
        case nil: throw ConfigurationError("proxy.kind", "http, https or socks5, because proxy.host is set")
        case .system: return .system
        case .direct: return TransportConfiguration.Proxy.none
        case .http, .https, .socks5: break
        }
        guard let host else { throw ConfigurationError("proxy.host", allowedHost) }
        guard let port else {
            throw ConfigurationError("proxy.port", "a whole number from 1 to 65535, because proxy.host is set")
        }
        switch kind {
        case .https:
            return .https(host: host, port: port, username: username, password: password, exceptions: exceptions)
        case .socks5:
            return .socks5(host: host, port: port, username: username, password: password, exceptions: exceptions)
        default:
            return .http(host: host, port: port, username: username, password: password, exceptions: exceptions)
        }
    }

    fileprivate func clientCertificate() async throws(ConfigurationError) -> TransportConfiguration.ClientCertificate? {
        let certificate = try await pem("tls.certificate", "CERTIFICATE")
        let key = try await pem("tls.key", "PRIVATE KEY")
        let password = try await string("tls.keyPassword", "text", isSecret: true)
        switch (certificate, key) {
        case (let certificate?, let key?): return .pem(certificate: certificate, key: key, password: password)
        case (nil, nil): return nil
        case (nil, _): throw ConfigurationError("tls.certificate", "set, because tls.key is")
        case (_, nil): throw ConfigurationError("tls.key", "set, because tls.certificate is")
        }
    }
}

extension RedirectPolicy {
    fileprivate func limited(to limit: Int) -> RedirectPolicy {
        var policy = self
        policy.limit = limit
        return policy
    }
}

extension String {
    fileprivate var isHTTPURL: Bool {
        guard let url = URL(string: self), let scheme = url.scheme?.lowercased() else { return false }
        return ["http", "https"].contains(scheme) && url.host?.isEmpty == false
    }

    /// Whether it can be the value of a field. Empty text is, and sends no field.
    fileprivate var isFieldText: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
