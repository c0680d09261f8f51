#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// Which of the certificates that a server sent prove its own. `NetSecurityTests/TLSLab` does it over real connections.
    @Suite(.requires(.openssl)) struct CurlChainTests {
        @Test func chainKeepsOnlyCertificatesThatProveTheLeaf() async throws {
            let all = try await PinningCertificates.shared
            let (leaf, intermediate, root) = (all.server.certificate.der, all.intermediate.der, all.root.der)
            let others = [
                all.impostor.der, all.sibling.certificate.der, all.upstart.der, all.selfSigned.certificate.der,
            ]
            #expect(TLSContext.proving([]) == [] && TLSContext.proving([leaf]) == [leaf])
            #expect(TLSContext.proving([leaf, intermediate, root]) == [leaf, intermediate, root])
            #expect(TLSContext.proving([leaf, root, intermediate]) == [leaf, root, intermediate])
            #expect(TLSContext.proving([leaf] + others + [intermediate]) == [leaf, intermediate])
            #expect(TLSContext.proving([leaf, leaf]) == [leaf])
            // Nothing leads to the root.
            #expect(TLSContext.proving([leaf, root]) == [leaf])
            for stranger in [all.forged, all.usurped, all.expired, all.notYetValid, all.selfSigned] {
                let der = stranger.certificate.der
                #expect(TLSContext.proving([der, all.sibling.certificate.der, intermediate, root]) == [der])
            }
        }

        @Test func malformedCertificatesAreDropped() async throws {
            let all = try await PinningCertificates.shared
            let (leaf, intermediate) = (all.server.certificate.der, all.intermediate.der)
            for garbage in [Data(), Data([0x30]), Data(count: 1000), leaf.dropLast()] {
                #expect(TLSContext.proving([leaf, garbage, intermediate]) == [leaf])
                #expect(TLSContext.proving([garbage, intermediate]) == [garbage])
            }
            // More than anybody sends.
            #expect(TLSContext.proving([leaf] + Array(repeating: intermediate, count: 20)) == [leaf])
        }
    }
#endif
