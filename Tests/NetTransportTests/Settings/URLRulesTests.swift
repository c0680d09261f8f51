import Testing

@testable import NetTransport

/// What a policy says to a URL, before anything is opened.
@Suite struct AddressGuardTests {
    private func isAllowed(_ url: String, _ policy: AddressPolicy) throws -> Bool {
        guard let guardian = try AddressGuard(policy) else { return true }
        do {
            try guardian.check(URL(string: url))
            return true
        } catch let error as TransportError where error.code == .addressNotAllowed {
            #expect(error.phase == .preparing && !error.isTransient && error.networkError == .unknown(nil))
            return false
        }
    }

    @Test func anyPolicyNeedsNoGuard() throws {
        #expect(try AddressGuard(.any) == nil && TransportConfiguration().addressPolicy == .any)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://017700000001/", "http://127.1/",
        "http://127.0.0.1./", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[fe80::1%25eth0]/", "http://0/", "http://a.0x/",
        "http://169.254.169.254/latest/meta-data/", "http://127%2e0.0.1/", "http://1.2.3.4.5/", "http://256.1.1.1/",
        "http://user@10.0.0.1:80/",
    ]) func privateAddressLiteralIsRefused(url: String) throws { #expect(try !isAllowed(url, .publicOnly)) }

    @Test(arguments: [
        "http://1.1.1.1/", "https://example.com/", "http://[2606:4700::1111]:8080/", "http://1x.example/",
        "http://7.example/",
    ]) func publicAddressOrNameIsAllowed(url: String) throws { #expect(try isAllowed(url, .publicOnly)) }

    @Test func allowedAddressesAreExceptions() throws {
        var policy = AddressPolicy.publicOnly
        policy.allowedAddresses = ["127.0.0.0/8", "fd00::/16"]
        for (url, isExpected) in [
            ("http://127.0.0.1/", true), ("http://127.9.9.9/", true), ("http://[::ffff:127.0.0.1]/", true),
            ("http://[fd00::5]/", true), ("http://[fd01::5]/", false), ("http://10.0.0.1/", false),
        ] { #expect(try isAllowed(url, policy) == isExpected, "\(url)") }
    }

    @Test func allowedHostsRefuseOtherHosts() throws {
        var policy = AddressPolicy.any
        policy.allowedHosts = ["Example.com", "93.184.216.34"]
        for (url, isExpected) in [
            ("https://example.com/", true), ("https://API.Example.com:8443/x", true), ("https://example.com./", true),
            ("https://a.b.example.com/", true), ("https://notexample.com/", false),
            ("https://example.com.evil.test/", false), ("https://com/", false), ("https://1.1.1.1/", false),
            ("https://example.com@evil.test/", false), ("https://[::ffff:93.184.216.34]/", true),
            ("https://93.184.216.34/", true), ("https://0x5d.184.216.34/", true), ("https://x.93.184.216.34/", false),
            ("https://exampl%65.com/", true),
        ] { #expect(try isAllowed(url, policy) == isExpected, "\(url)") }
        policy.allowedHosts = []
        #expect(try !isAllowed("https://example.com/", policy))
    }

    @Test func allowedHostsDoNotAllowPrivateAddresses() throws {
        var policy = AddressPolicy.publicOnly
        policy.allowedHosts = ["10.0.0.1", "intern.example"]
        #expect(try !isAllowed("http://10.0.0.1/", policy))
        #expect(try isAllowed("http://intern.example/", policy), "its address is checked later")
    }

    @Test(arguments: ["", "10.0.0.0/33", "intern", "10.0.0.0/8\n"]) func invalidAllowedAddressIsRefused(text: String) {
        var policy = AddressPolicy.any
        policy.allowedAddresses = [text]
        #expect(throws: NetworkError.self) { try AddressGuard(policy) }
    }
}

@Suite struct DevelopmentGuardTests {
    private func make(
        _ servers: TransportConfiguration.DevelopmentServers, proxy: Proxy = .none, isDebugBuild: Bool = true
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

@Suite struct ProxyPlanTests {
    private func plan(
        _ proxy: Proxy = .system, _ environment: [String: String] = [:]
    ) throws -> ProxyPlan? { try ProxyPlan(proxy, environment: environment) }

    private static let exceptions: [(exception: String, bypasses: [String], uses: [String])] = [
        (
            "example.com",
            ["http://example.com/", "https://EXAMPLE.com:8443", "http://a.b.example.com", "http://example.com."],
            ["http://notexample.com", "http://example.com.evil.test", "http://com"]
        ),
        (".example.com", ["http://example.com", "http://a.example.com"], ["http://notexample.com"]),
        ("*.example.com", ["http://a.example.com"], ["http://example.com", "http://aexample.com"]),
        ("*", ["http://example.com", "http://10.0.0.1", "https://[::1]"], []),
        ("example.com:8443", ["https://example.com:8443", "http://a.example.com:8443"], ["https://example.com"]),
        ("example.com:443", ["https://example.com"], ["http://example.com"]),
        ("10.1.2.3", ["http://10.1.2.3", "http://[::ffff:10.1.2.3]"], ["http://10.1.2.4", "http://x10.1.2.3"]),
        ("10.1.2.3:80", ["http://10.1.2.3"], ["https://10.1.2.3"]),
        ("10.0.0.0/8", ["http://10.255.0.1", "https://10.0.0.1:444"], ["http://11.0.0.1", "http://ten.example"]),
        ("fd00::/8", ["http://[fd12::1]"], ["http://[fe80::1]", "http://10.0.0.1"]),
        ("::1", ["http://[::1]:8080"], ["http://[::2]"]), ("[::1]:8080", ["http://[::1]:8080"], ["http://[::1]"]),
    ]

    @Test(arguments: exceptions)
    func noProxyExceptionsBypassTheProxy(_ exception: String, bypasses: [String], uses: [String]) throws {
        for plan in [
            try plan(.socks5(host: "p", port: 1, exceptions: ["unrelated.test", exception])),
            try plan(.system, ["all_proxy": "http://p:1", "no_proxy": "unrelated.test, \(exception)"]),
        ] {
            let plan = try #require(plan)
            for text in bypasses { #expect(plan.server(for: try url(text)) == nil, "\(text)") }
            for text in uses { #expect(plan.server(for: try url(text)) != nil, "\(text)") }
        }
    }

    @Test(arguments: ["", ".", "*.", "a*", "10.0.0.0/33", "example.com/8", "a:b", "a:70000", "a,b", "http://a"])
    func malformedExceptionIsUnsupported(_ text: String) throws {
        #expect(performing: { try plan(.http(host: "p", port: 1, exceptions: [text])) }, throws: isUnsupported)
        // The environment is not the caller's.
        #expect(try plan(.system, ["http_proxy": "p", "no_proxy": text])?.server(for: url("http://x")) != nil)
    }

    @Test func proxyEnvironmentVariablesAreRead() throws {
        func names(_ environment: [String: String]) throws -> [String?] {
            let plan = try self.plan(.system, environment)
            return try ["http://a.test", "https://a.test"].map { plan?.server(for: try url($0))?.name }
        }
        #expect(try plan() == nil && plan(.system, ["http_proxy": "", "NO_PROXY": "x"]) == nil)
        #expect(try plan(.none, ["http_proxy": "http://p"]) == nil)
        // A web server sets HTTP_PROXY from a request's field.
        #expect(try names(["HTTP_PROXY": "http://p"]) == [nil, nil])
        #expect(try names(["http_proxy": "http://p:1"]) == ["http://p:1", nil])
        #expect(try names(["HTTPS_PROXY": "p:1", "https_proxy": "q:2"]) == [nil, "http://q:2"])
        #expect(try names(["ALL_PROXY": "socks5h://p:1", "http_proxy": "q"]) == ["http://q", "socks5h://p:1"])
        #expect(try names(["all_proxy": "https://me:secret@p:1/"]) == ["https://p:1", "https://p:1"])
        #expect(try names(["all_proxy": "p", "NO_PROXY": "a.test"]) == [nil, nil])
        #expect(try names(["all_proxy": "p", "no_proxy": "b.test", "NO_PROXY": "a.test"]) == ["http://p", "http://p"])
    }
}
