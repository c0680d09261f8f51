import NetCore
import Security
import TestLab
import Testing

/// The stand-ins of what pinning code of other libraries asks.
@Suite(.requires(.openssl)) struct SecTrustTests {
    private func certificates() async throws -> (leaf: SecCertificate, root: SecCertificate) {
        let material = try await TestCertificates.shared
        return (
            try #require(SecCertificateCreateWithData(nil, material.server.certificate.der as CFData)),
            try #require(SecCertificateCreateWithData(nil, material.ca.der as CFData))
        )
    }

    @Test func policyDecidesWhetherTheHostIsChecked() async throws {
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

    @Test func certificateHasAPublicKey() async throws {
        let (leaf, root) = try await certificates()
        let key = try #require(SecCertificateCopyKey(leaf))
        #expect(key == SecCertificateCopyKey(leaf) && key != SecCertificateCopyKey(root))
        let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        // A point that is not compressed, or a sequence of two numbers.
        #expect(bytes.first == 0x04 || bytes.first == 0x30)
    }
}
