import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

@Suite struct PinningPolicyTests {
    private let policy: PinningPolicy

    init() throws {
        policy = try PinningPolicy([
            PinnedHost("example.com", pins: PinningSamples.pins, includesSubdomains: true),
            PinnedHost("*.cdn.example.com", pins: PinningSamples.pins),
            PinnedHost("Api.Example.com.", pins: PinningSamples.pins),
            PinnedHost("*.other.example", pins: PinningSamples.pins),
            PinnedHost("deep.a.b.other.example", pins: PinningSamples.pins, includesSubdomains: true),
            PinnedHost("10.0.0.1", pins: PinningSamples.pins),
            PinnedHost("[::1]", pins: PinningSamples.pins),
        ])
    }

    @Test(
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("www.example.com", "example.com"),
            ("a.b.c.example.com", "example.com"), ("api.example.com", "Api.Example.com."),
            ("x.api.example.com", "example.com"),
            ("x.cdn.example.com", "*.cdn.example.com"), ("cdn.example.com", "example.com"),
            ("x.y.cdn.example.com", "example.com"),
            ("a.other.example", "*.other.example"), ("other.example", nil), ("a.b.other.example", nil),
            ("x.deep.a.b.other.example", "deep.a.b.other.example"), ("badexample.com", nil),
            ("example.com.evil.test", nil),
            ("com", nil), ("10.0.0.1", "10.0.0.1"), ("1.10.0.0.1", nil), ("::1", "[::1]"), ("[::1]", "[::1]"),
            ("", nil),
            (".example.com", nil), ("..", nil),
        ] as [(String, String?)])
    func theClosestEntryCounts(_ host: String, _ expected: String?) {
        #expect(policy.pinnedHost(for: host)?.host == expected)
    }

    @Test func refusesWhatShowsNoPin() async throws {
        let all = try await PinningCertificates.shared
        let chain = CertificateChain(certificates: [all.server.certificate.der, all.intermediate.der])
        for host in ["example.com", "EXAMPLE.COM.", "a.b.example.com", "::1"] {
            let mismatch = #expect(throws: PinMismatch.self) { try policy.evaluate(chain, host: host) }
            #expect(mismatch?.host == host && mismatch?.isEnforced == true && mismatch?.chain == chain)
        }
        try policy.evaluate(chain, host: "unpinned.example")
        #expect(throws: PinningError.invalidHost("bücher.example")) {
            try policy.evaluate(chain, host: "bücher.example")
        }
    }

    @Test func anyCertificateOfTheChainWillDo() async throws {
        let all = try await PinningCertificates.shared
        let (leaf, issuer) = (all.server.certificate.der, all.intermediate.der)
        let chain = CertificateChain(certificates: [leaf, issuer])
        let fitting: [CertificatePin] = [
            .certificate(leaf), .certificate(issuer), .publicKey(of: try X509Certificate(der: leaf)),
            .publicKey(of: try X509Certificate(der: issuer)),
        ]
        for pin in fitting {
            let policy = try PinningPolicy([PinnedHost("a", pins: [PinningSamples.pin(9), pin])])
            try policy.evaluate(chain, host: "a")
            #expect(throws: PinMismatch.self) {
                try policy.evaluate(CertificateChain(certificates: [all.sibling.certificate.der]), host: "a")
            }
            #expect(throws: PinMismatch.self) { try policy.evaluate(CertificateChain(certificates: []), host: "a") }
        }
    }

    @Test func aByteMoreOrLessIsAnotherCertificate() async throws {
        let der = try await PinningCertificates.shared.server.certificate.der
        let policy = try PinningPolicy([PinnedHost("a", pins: [.certificate(der)], backup: .waived)])
        for other in [der + [0], der.dropLast(), Data(der.dropFirst()), Data()] {
            #expect(throws: PinMismatch.self) {
                try policy.evaluate(CertificateChain(certificates: [other]), host: "a")
            }
        }
        var flipped = der
        flipped[flipped.count - 1] ^= 1
        #expect(throws: PinMismatch.self) { try policy.evaluate(CertificateChain(certificates: [flipped]), host: "a") }
        try policy.evaluate(CertificateChain(certificates: [(Data([0]) + der).dropFirst()]), host: "a")
    }

    @Test func expiryTurnsToReportsAtItsVeryMoment() async throws {
        let clock = TestClock()
        let reports = Locked<[PinMismatch]>([])
        let policy = try PinningPolicy(
            [PinnedHost("a", pins: PinningSamples.pins, expires: clock.now.addingTimeInterval(10))], clock: clock
        ) { mismatch in reports.withLock { $0.append(mismatch) } }
        let chain = CertificateChain(certificates: [Data([1, 2, 3])])
        await clock.advance(by: 9)
        #expect(throws: PinMismatch.self) { try policy.evaluate(chain, host: "a") }
        await clock.advance(by: 1)
        try policy.evaluate(chain, host: "a")
        let seen = reports.withLock { $0 }
        #expect(seen.map(\.isEnforced) == [true, false])
        #expect(seen.map(\.date) == [clock.now.addingTimeInterval(-1), clock.now])
        let last = try #require(seen.last)
        #expect(last.presentedPins == [] && last.certificates == [])
        #expect(last.description.contains("nothing that can be read") && last.description.contains("only reported"))
    }

    @Test func aFittingPinIsNotReported() async throws {
        let der = try await PinningCertificates.shared.server.certificate.der
        let reports = Locked(0)
        let policy = try PinningPolicy(
            [PinnedHost("a", pins: [.certificate(der)], enforcement: .reportOnly, backup: .waived)]
        ) { _ in reports.withLock { $0 += 1 } }
        try policy.evaluate(CertificateChain(certificates: [der]), host: "a")
        #expect(reports.withLock { $0 } == 0)
        try policy.evaluate(CertificateChain(certificates: []), host: "a")
        #expect(reports.withLock { $0 } == 1)
    }

    @Test func eachHostOnceAndAtLeastOne() throws {
        #expect(throws: PinningError.noHosts) { try PinningPolicy([]) }
        let (one, other) = (
            try PinnedHost("a.example", pins: PinningSamples.pins),
            try PinnedHost("A.example.", pins: PinningSamples.pins)
        )
        #expect(throws: PinningError.duplicateHost("A.example.")) { try PinningPolicy([one, other]) }
        // A star is another entry than the name itself.
        _ = try PinningPolicy([one, PinnedHost("*.a.example", pins: PinningSamples.pins)])
    }

    @Test func theMismatchNamesWhoWasThere() async throws {
        let all = try await PinningCertificates.shared
        let policy = try PinningPolicy([PinnedHost("a", pins: PinningSamples.pins)])
        let mismatch = #expect(throws: PinMismatch.self) {
            try policy.evaluate(CertificateChain(certificates: [all.server.certificate.der]), host: "a")
        }
        #expect(
            mismatch?.localizedDescription
                == "a showed none of its 2 pins but \(try TrustCase.key(all.server.certificate)) of CN=server, issued by "
                + "CN=intermediate; refused.")
    }
}
