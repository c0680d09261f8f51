#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// The system's certificate authorities, and the variables of OpenSSL that replace them.
    @Suite(.serialized, .timeLimit(.minutes(2)), .requires(.openssl)) struct CurlAuthoritiesTests {
        @Test(.ownProcess) func sslCertFileReplacesTheSystemsAuthorities() async throws {
            await #expect(processExitsWith: .success) {
                let certificate = try await MockCertificate.make()
                let folder = try TemporaryDirectory()
                let file = folder.url.appendingPathComponent("authority.pem")
                try certificate.authority.write(to: file)
                setenv("SSL_CERT_FILE", file.path, 1)
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
                #expect("\(error)".contains("Install ca-certificates"), "\(error)")
                #expect("\(error)".contains("/none/authorities.pem"), "\(error)")
            }
        }
    }
#endif
