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
