import Testing

@testable import NetTransport

/// What a policy says to a URL, before anything is opened.
@Suite struct AddressGuardTests {
    private func isAllowed(_ url: String, _ change: (inout TransportConfiguration.AddressPolicy) -> Void) throws -> Bool
    {
        var policy = TransportConfiguration.AddressPolicy.any
        change(&policy)
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
        #expect(try AddressGuard(.any) == nil)
        #expect(TransportConfiguration().addressPolicy == .any)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://017700000001/", "http://127.1/",
        "http://127.0.0.1./", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/", "http://[fe80::1%25eth0]/", "http://169.254.169.254/latest/meta-data/",
        "http://0/", "http://127%2e0.0.1/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://a.0x/",
        "http://user@10.0.0.1:80/",
    ])
    func privateAddressLiteralIsRefused(url: String) throws { #expect(try !isAllowed(url) { $0 = .publicOnly }) }

    @Test(arguments: [
        "http://1.1.1.1/", "https://example.com/", "http://[2606:4700::1111]:8080/", "http://1x.example/",
        "http://7.example/",
    ])
    func publicAddressOrNameIsAllowed(url: String) throws { #expect(try isAllowed(url) { $0 = .publicOnly }) }

    @Test func allowedAddressesAreExceptions() throws {
        for (url, isExpected) in [
            ("http://127.0.0.1/", true), ("http://127.9.9.9/", true), ("http://[::ffff:127.0.0.1]/", true),
            ("http://[fd00::5]/", true), ("http://[fd01::5]/", false), ("http://10.0.0.1/", false),
        ] {
            #expect(
                try isAllowed(url) {
                    $0 = .publicOnly
                    $0.allowedAddresses = ["127.0.0.0/8", "fd00::/16"]
                } == isExpected, "\(url)")
        }
    }

    @Test func allowedHostsRefuseOtherHosts() throws {
        for (url, isExpected) in [
            ("https://example.com/", true), ("https://API.Example.com:8443/x", true), ("https://example.com./", true),
            ("https://a.b.example.com/", true), ("https://notexample.com/", false),
            ("https://example.com.evil.test/", false),
            ("https://com/", false), ("https://example.com@evil.test/", false), ("https://1.1.1.1/", false),
            ("https://93.184.216.34/", true), ("https://0x5d.184.216.34/", true), ("https://x.93.184.216.34/", false),
            ("https://[::ffff:93.184.216.34]/", true), ("https://exampl%65.com/", true),
        ] {
            #expect(try isAllowed(url) { $0.allowedHosts = ["Example.com", "93.184.216.34"] } == isExpected, "\(url)")
        }
        #expect(try !isAllowed("https://example.com/") { $0.allowedHosts = [] })
    }

    @Test func allowedHostsDoNotAllowPrivateAddresses() throws {
        let change: (inout TransportConfiguration.AddressPolicy) -> Void = {
            $0 = .publicOnly
            $0.allowedHosts = ["10.0.0.1", "intern.example"]
        }
        #expect(try !isAllowed("http://10.0.0.1/", change))
        #expect(try isAllowed("http://intern.example/", change), "its address is checked later")
    }

    @Test(arguments: ["", "10.0.0.0/33", "intern", "10.0.0.0/8\n"])
    func malformedAllowedAddressIsRefused(text: String) {
        var policy = TransportConfiguration.AddressPolicy.any
        policy.allowedAddresses = [text]
        #expect(throws: NetworkError.self) { try AddressGuard(policy) }
    }
}
