import Testing

@testable import NetTransport

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

    @Test func proxyKindsHaveTheirNamesAndResolution() throws {
        func server(_ proxy: Proxy) throws -> ProxyPlan.Server? { try plan(proxy)?.server(for: url("https://a.test")) }
        let secure = try server(.https(host: "::1", port: 3, username: "me", password: "secret"))
        #expect(secure?.name == "https://[::1]:3" && secure?.isTLS == true && secure?.resolvesNames == true)
        let socks = try server(.socks5(host: "p", port: 1080, username: "me", password: "secret"))
        #expect(socks?.name == "socks5h://p:1080" && socks?.isTLS == false && socks?.resolvesNames == true)
        let local = try server(.socks5(host: "p", port: 1080, resolvesNamesLocally: true))
        #expect(local?.name == "socks5://p:1080" && local?.resolvesNames == false)
    }
}
