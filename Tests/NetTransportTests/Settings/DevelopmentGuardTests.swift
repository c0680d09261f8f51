import Testing

@testable import NetTransport

@Suite struct DevelopmentGuardTests {
    private func make(
        _ servers: TransportConfiguration.DevelopmentServers, proxy: Proxy = .none,
        isDebugBuild: Bool = true
    ) throws -> DevelopmentGuard? {
        try DevelopmentGuard(servers, proxies: ProxyPlan(proxy, environment: [:]), isDebugBuild: isDebugBuild)
    }

    private func accepts(_ rules: DevelopmentGuard?, _ text: String) throws -> Bool {
        try rules?.accepts(url(text)) ?? false
    }

    @Test func loopbackAndNamedHostsAreAccepted() throws {
        let rules = try make(.selfSigned(hosts: ["Dev.Example", "192.168.1.5"]))
        for url in [
            "https://localhost", "https://LOCALHOST:8443", "https://api.localhost", "https://localhost.",
            "https://127.0.0.1", "https://127.9.9.9", "https://[::1]:4", "https://dev.example", "https://DEV.example.",
            "https://192.168.1.5:9",
        ] { #expect(try accepts(rules, url), "\(url)") }
        for url in [
            "http://localhost", "https://a.dev.example", "https://dev.example.com", "https://localhost.example",
            "https://notlocalhost", "https://127.0.0.1.example", "https://128.0.0.1", "https://192.168.1.6",
            "https://[::2]",
        ] { #expect(try !accepts(rules, url), "\(url)") }
        #expect(try make(.none) == nil)
    }

    /// Behind a proxy, `localhost` is another machine.
    @Test func localhostBehindAProxyIsNotAccepted() throws {
        let servers = TransportConfiguration.DevelopmentServers.selfSigned(hosts: ["dev.example"])
        let rules = try make(servers, proxy: .socks5(host: "p", port: 1, exceptions: ["127.0.0.1"]))
        #expect(try !accepts(rules, "https://localhost") && accepts(rules, "https://127.0.0.1"))
        #expect(try accepts(rules, "https://dev.example"))
    }

    @Test(arguments: ["", "*", "*.example", "a/b", "https://a.example", "a.example:443", "a b", "user@a"])
    func malformedHostIsUnsupported(_ host: String) throws {
        expectUnsupported("is not a host") { try make(.selfSigned(hosts: [host])) }
    }

    @Test func releaseBuildIsUnsupported() throws {
        expectUnsupported("allowsReleaseBuilds") { try make(.selfSigned(), isDebugBuild: false) }
        #expect(try make(.selfSigned(allowsReleaseBuilds: true), isDebugBuild: false) != nil)
        #expect(try make(.none, isDebugBuild: false) == nil)
    }

    private func expectUnsupported(_ text: String, _ body: () throws -> DevelopmentGuard?) {
        let error = #expect(throws: NetworkError.self) { try body() }
        #expect(error.map(isUnsupported) == true && "\(error as Any)".contains(text), "\(error as Any)")
    }
}
