import NetTesting
import TestLab
import Testing

@testable import NetSecurity

@Suite(.requires(.openssl)) struct PinningPolicyTests {
    private let policy: PinningPolicy

    init() throws {
        policy = try PinningPolicy([
            PinningPolicy.Host("example.com", pins: PinningSamples.pins, includesSubdomains: true),
            PinningPolicy.Host("*.cdn.example.com", pins: PinningSamples.pins),
            PinningPolicy.Host("Api.Example.com.", pins: PinningSamples.pins),
            PinningPolicy.Host("*.other.example", pins: PinningSamples.pins),
            PinningPolicy.Host("deep.a.b.other.example", pins: PinningSamples.pins, includesSubdomains: true),
            PinningPolicy.Host("10.0.0.1", pins: PinningSamples.pins),
            PinningPolicy.Host("[::1]", pins: PinningSamples.pins),
        ])
    }

    @Test(arguments: [
        ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("www.example.com", "example.com"),
        ("a.b.c.example.com", "example.com"), ("api.example.com", "Api.Example.com."),
        ("x.api.example.com", "example.com"), ("x.cdn.example.com", "*.cdn.example.com"),
        ("cdn.example.com", "example.com"), ("x.y.cdn.example.com", "example.com"),
        ("a.other.example", "*.other.example"), ("other.example", nil), ("a.b.other.example", nil),
        ("x.deep.a.b.other.example", "deep.a.b.other.example"), ("badexample.com", nil), ("com", nil), ("", nil),
        ("example.com.evil.test", nil), ("10.0.0.1", "10.0.0.1"), ("1.10.0.0.1", nil), ("::1", "[::1]"),
        ("[::1]", "[::1]"), (".example.com", nil), ("..", nil),
    ]) func mostSpecificHostWins(_ host: String, _ expected: String?) {
        #expect(policy.pinnedHost(for: host)?.host == expected)
    }

    /// A URL may spell an address in many ways, and each leads to the same server.
    @Test(arguments: [
        ("127.0.0.1", "127.1"), ("127.0.0.1", "127.0.1"), ("127.0.0.1", "2130706433"), ("127.0.0.1", "0x7f000001"),
        ("127.0.0.1", "0X7F.0.0.1"), ("127.0.0.1", "0177.0.0.1"), ("127.0.0.1", "017700000001"),
        ("127.0.0.1", "127.0.0.1."), ("127.0.0.1", "[::ffff:127.0.0.1]"), ("127.0.0.1", "::FFFF:7f00:1"),
        ("127.0.0.1", "%31%32%37.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
        ("::ffff:7f00:1", "127.0.0.1"), ("[::1]", "[::0001]"), ("[::1]", "0:0:0:0:0:0:0:1"), ("[::1]", "::0.0.0.1"),
        ("[::1]", "[::1%25lo]"), ("[::1]", "::1%lo"), ("[0:0::0001]", "::1"), ("fe80::a", "[FE80::A%25eth0]"),
        ("fe80::a%eth0", "fe80::a"), ("api.example.com", "%61pi.example.com"), ("api.example.com", "API.example.com."),
    ]) func everySpellingOfAHostIsPinned(pinned: String, asked: String) throws {
        let policy = try PinningPolicy([PinningPolicy.Host(pinned, pins: PinningSamples.pins)])
        #expect(policy.pinnedHost(for: asked)?.host == pinned)
        #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(chain(), host: asked) }
        #expect(throws: PinningError.duplicateHost(asked), "the same host twice") {
            try PinningPolicy([pinned, asked].map { try PinningPolicy.Host($0, pins: PinningSamples.pins) })
        }
    }

    @Test func otherAddressesAreNotPinned() throws {
        let policy = try PinningPolicy([
            PinningPolicy.Host("127.0.0.1", pins: PinningSamples.pins, includesSubdomains: true),
            PinningPolicy.Host("::1", pins: PinningSamples.pins),
        ])
        for host in ["127.0.0.2", "127.2", "::2", "[::ffff:127.0.0.2]", "::"] {
            #expect(policy.pinnedHost(for: host) == nil, "\(host)")
        }
        #expect(throws: PinningError.self, "it may be pinned") {
            try policy.evaluate(chain(), host: "b%C3%BCcher.example")
        }
    }

    private func chain(_ certificates: Data...) -> CertificateChain { CertificateChain(certificates: certificates) }

    @Test func chainWithoutAPinIsRefused() async throws {
        let all = try await PinningCertificates.shared
        let chain = chain(all.server.certificate.der, all.intermediate.der)
        for host in ["example.com", "EXAMPLE.COM.", "a.b.example.com", "::1"] {
            let mismatch = #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(chain, host: host) }
            #expect(mismatch?.host == host && mismatch?.isEnforced == true && mismatch?.chain == chain)
        }
        try policy.evaluate(chain, host: "unpinned.example")
        #expect(throws: PinningError.invalidHost("bücher.example")) {
            try policy.evaluate(chain, host: "bücher.example")
        }
    }

    @Test func anyCertificateOfTheChainMayBePinned() async throws {
        let all = try await PinningCertificates.shared
        let (leaf, issuer) = (all.server.certificate.der, all.intermediate.der)
        for pin: PinningPolicy.Pin in [
            .certificate(leaf), .certificate(issuer), try .publicKey(ofCertificate: leaf),
            try .publicKey(ofCertificate: issuer),
        ] {
            let policy = try PinningPolicy([PinningPolicy.Host("a", pins: [PinningSamples.pin(9), pin])])
            try policy.evaluate(chain(leaf, issuer), host: "a")
            for other in [chain(all.sibling.certificate.der), chain()] {
                #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(other, host: "a") }
            }
        }
    }

    @Test func certificatePinComparesEveryByte() async throws {
        let der = try await PinningCertificates.shared.server.certificate.der
        let policy = try PinningPolicy([PinningPolicy.Host("a", pins: [.certificate(der)], backup: .waived)])
        var flipped = der
        flipped[flipped.count - 1] ^= 1
        for other in [der + [0], der.dropLast(), Data(der.dropFirst()), Data(), flipped] {
            #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(chain(other), host: "a") }
        }
        try policy.evaluate(chain((Data([0]) + der).dropFirst()), host: "a")
    }

    @Test func expiredPinsOnlyReportFromTheirExpirationOn() async throws {
        let (clock, reports) = (TestClock(), Locked<[PinningPolicy.Mismatch]>([]))
        let policy = try PinningPolicy(
            [PinningPolicy.Host("a", pins: PinningSamples.pins, expires: clock.now.addingTimeInterval(10))],
            clock: clock
        ) { mismatch in reports.withLock { $0.append(mismatch) } }
        let chain = chain(Data([1, 2, 3]))
        await clock.advance(by: 9)
        #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(chain, host: "a") }
        await clock.advance(by: 1)
        try policy.evaluate(chain, host: "a")
        let seen = reports.withLock { $0 }
        #expect(seen.map(\.isEnforced) == [true, false])
        #expect(seen.map(\.date) == [clock.now.addingTimeInterval(-1), clock.now])
        let last = try #require(seen.last)
        #expect(last.presentedPins == [] && last.subjects == [])
        #expect(last.description.contains("nothing that can be read") && last.description.contains("only reported"))
    }

    @Test func matchingPinIsNotReported() async throws {
        let (der, reports) = try await (PinningCertificates.shared.server.certificate.der, Locked(0))
        let policy = try PinningPolicy(
            [PinningPolicy.Host("a", pins: [.certificate(der)], enforcement: .reportOnly, backup: .waived)]
        ) { _ in reports.withLock { $0 += 1 } }
        try policy.evaluate(chain(der), host: "a")
        #expect(reports.withLock { $0 } == 0)
        try policy.evaluate(chain(), host: "a")
        #expect(reports.withLock { $0 } == 1)
    }

    @Test func wildcardAndNameAreNoDuplicates() throws {
        _ = try PinningPolicy(["a.example", "*.a.example"].map { try .init($0, pins: PinningSamples.pins) })
    }

    @Test func mismatchDescriptionNamesThePresentedCertificate() async throws {
        let all = try await PinningCertificates.shared
        let policy = try PinningPolicy([PinningPolicy.Host("a", pins: PinningSamples.pins)])
        let (leaf, issuer) = (all.server.certificate, all.intermediate)
        func mismatch(_ chain: CertificateChain) -> PinningPolicy.Mismatch? {
            #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(chain, host: "a") }
        }
        let both = mismatch(chain(leaf.der, issuer.der))
        #expect(try both?.presentedPins == [TrustCase.key(leaf), TrustCase.key(issuer)])
        #expect(both?.subjects == ["CN=server", "CN=intermediate"])
        #expect(
            mismatch(chain(leaf.der))?.localizedDescription
                == "a showed none of its 2 pins but \(try TrustCase.key(leaf)) of CN=server, issued by "
                + "CN=intermediate; refused.")
    }
}
