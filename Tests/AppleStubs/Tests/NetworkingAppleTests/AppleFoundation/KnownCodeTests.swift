import AppleFoundation
import Combine
import NetTesting
import Security
import TestLab
import Testing
import UniformTypeIdentifiers
import os

/// What libraries for Apple's systems call and the SDK does not.
@Suite(.timeLimit(.minutes(5))) struct KnownCodeTests {
    @Test func osSignpostOfALogCompiles() {
        let subsystem = UUID().uuidString
        let log = OSLog(subsystem: subsystem, category: .pointsOfInterest)
        let id = OSSignpostID(log: log)
        os_signpost(.begin, log: log, name: "Load", signpostID: id, "page %d", 1)
        os_signpost(.event, log: log, name: "Load", signpostID: id)
        os_signpost(.end, log: log, name: "Load", signpostID: id)
        os_signpost(.begin, log: .disabled, name: "Load")
        let entries = FakeSignposts.entries(of: subsystem)
        #expect(entries.map(\.kind) == [.begin, .event, .end])
        #expect(Set(entries.map(\.id)) == [id.rawValue] && entries.allSatisfy { $0.category == "PointsOfInterest" })
        #expect(id != .exclusive && id != .invalid)
        Logger(log).log(level: .info, "hello")
        #expect(FakeUnifiedLog.entries(of: subsystem).map(\.shown) == ["hello"])
    }

    @Test func unfairLockCompiles() {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        defer { lock.deallocate() }
        os_unfair_lock_lock(lock)
        #expect(!os_unfair_lock_trylock(lock))
        os_unfair_lock_unlock(lock)
        #expect(os_unfair_lock_trylock(lock))
        os_unfair_lock_unlock(lock)
    }

    @Test func uniformTypesByIdentifier() {
        #expect(UTType("public.png")?.preferredMIMEType == "image/png")
        #expect((UTType("public.png"), UTType("nothing.such")) == (UTType(filenameExtension: "png"), nil))
    }

    @Test func dataTaskPublisherPublishes() async throws {
        let server = try MockServer { request in
            request.path == "/cut" ? .fault(.reset(.beforeResponse)) : .text("hello")
        }
        let session = URLSession(configuration: .ephemeral)
        let values = session.dataTaskPublisher(for: server.url).map { String(decoding: $0.data, as: UTF8.self) }.values
        var texts: [String] = []
        for try await text in values { texts.append(text) }
        #expect(texts == ["hello"])
        await #expect(throws: URLError.self) {
            for try await _ in session.dataTaskPublisher(for: server.url("/cut")).values {}
        }
    }

    // MARK: What pinning code asks

    private func certificates() async throws -> (leaf: SecCertificate, root: SecCertificate) {
        let material = try await TestCertificates.shared
        return (
            try #require(SecCertificateCreateWithData(nil, material.server.certificate.der as CFData)),
            try #require(SecCertificateCreateWithData(nil, material.ca.der as CFData))
        )
    }

    @Test(.requires(.openssl)) func policyDecidesWhetherTheHostIsChecked() async throws {
        let (leaf, root) = try await certificates()
        var trust: SecTrust?
        let status = SecTrustCreateWithCertificates([leaf] as CFArray, SecPolicyCreateBasicX509(), &trust)
        #expect(status == errSecSuccess)
        let made = try #require(trust)
        #expect(SecTrustSetAnchorCertificates(made, [root] as CFArray) == errSecSuccess)
        #expect(SecTrustEvaluateWithError(made, nil) && SecTrustGetCertificateCount(made) == 2)
        #expect(SecTrustSetPolicies(made, SecPolicyCreateSSL(true, "other.example" as CFString)) == errSecSuccess)
        #expect(!SecTrustEvaluateWithError(made, nil) && SecTrustSetPolicies(made, [] as CFArray) == errSecParam)
    }

    @Test(.requires(.openssl)) func certificateHasAPublicKey() async throws {
        let (leaf, root) = try await certificates()
        let key = try #require(SecCertificateCopyKey(leaf))
        #expect(key == SecCertificateCopyKey(leaf) && key != SecCertificateCopyKey(root))
        let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        // A point that is not compressed, or a sequence of two numbers.
        #expect(bytes.first == 0x04 || bytes.first == 0x30)
    }
}
