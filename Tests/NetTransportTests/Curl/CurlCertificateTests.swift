#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// The system's certificate authorities, and which certificates that a server sent prove its own. `NetSecurityTests/TLSLab` does the latter
    /// over real connections.
    @Suite(.serialized, .timeLimit(.minutes(2)), .requires(.openssl)) struct CurlCertificateTests {
        @Test(.ownProcess) func sslCertFileReplacesTheSystemsAuthorities() async throws {
            await #expect(processExitsWith: .success) {
                let (certificate, folder) = (try await MockCertificate.make(), try TemporaryDirectory())
                try certificate.authority.write(to: folder.file("authority.pem"))
                setenv("SSL_CERT_FILE", folder.file("authority.pem").path, 1)
                let server = try MockServer(certificate: certificate) { _ in .ok }
                #expect(try await CurlTransport().fetch(server.url("/")).status == 200)
            }
        }

        @Test(.ownProcess) func missingAuthoritiesFileIsNamedInTheError() async throws {
            await #expect(processExitsWith: .success) {
                setenv("SSL_CERT_FILE", "/none/authorities.pem", 1)
                let certificate = try await MockCertificate.make()
                let server = try MockServer(certificate: certificate) { _ in .ok }
                let error = try await failure { try await NetworkClient().data(for: URLRequest(url: server.url("/"))) }
                #expect(error.transportError?.code == .certificateAuthoritiesUnreadable)
                #expect(error.errorType == "certificate_authorities_unreadable")
                for text in ["Install ca-certificates", "/none/authorities.pem"] { #expect("\(error)".contains(text)) }
            }
        }

        @Test func chainKeepsOnlyCertificatesThatProveTheLeaf() async throws {
            let all = try await PinningCertificates.shared
            let (leaf, intermediate, root) = (all.server.certificate.der, all.intermediate.der, all.root.der)
            let rest = [all.impostor.der, all.sibling.certificate.der, all.upstart.der, all.selfSigned.certificate.der]
            #expect(TLSContext.proving([]) == [] && TLSContext.proving([leaf]) == [leaf])
            #expect(TLSContext.proving([leaf, intermediate, root]) == [leaf, intermediate, root])
            #expect(TLSContext.proving([leaf, root, intermediate]) == [leaf, root, intermediate])
            #expect(TLSContext.proving([leaf] + rest + [intermediate]) == [leaf, intermediate])
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
