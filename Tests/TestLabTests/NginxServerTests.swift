import NetCore
import Testing

@testable import TestLab

/// Every check goes through the `curl` command, so that nothing of ours can be wrong on both sides.
@Suite(.requires(.nginx, .curl)) struct NginxServerTests {
    /// Runs curl, which writes the head and the body of the response.
    private func curl(_ url: String, _ options: String...) async throws -> ProcessResult {
        let certificates = try await TestCertificates.shared
        return try await ProcessRunner.run(
            "curl", ["--silent", "--show-error", "--include", "--cacert", certificates.ca.url.path] + options + [url])
    }

    /// The value of a field in the head that curl wrote.
    private func field(_ name: String, in response: ProcessResult) -> String? {
        response.text.components(separatedBy: "\r\n")
            .first { $0.lowercased().hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    /// The bytes behind the head.
    private func body(of response: ProcessResult) throws -> Data {
        let head = try #require(response.output.range(of: Data("\r\n\r\n".utf8)))
        return response.output[head.upperBound...]
    }

    @Test func servesOnAllPorts() async throws {
        let server = try await NginxServer()
        let client = try await TestCertificates.shared.client
        for (url, expected) in [
            (server.httpURL, "HTTP/1.1 200"), (server.httpsURL, "HTTP/1.1 200"), (server.http2URL, "HTTP/2 200"),
            (server.mutualTLSURL, "HTTP/1.1 200"),
        ] {
            let response = try await curl(
                "\(url)/small", "--cert", client.certificate.url.path, "--key", client.keyURL.path)
            #expect(response.text.hasPrefix(expected), "\(url): \(response.errorText)")
            #expect(try body(of: response).count == 200)
        }
        let socket = try await curl("http://localhost/64k", "--unix-socket", server.unixSocketPath)
        #expect(try body(of: socket).count == 64 * 1024)
        #expect(try await server.accessLog(containing: "/64k").count == 1)
        #expect(try await server.accessLog(containing: "HTTP/2.0 200 200 https").count == 1)
        #expect(!server.errorLog.contains("[error]"))
    }

    @Test func serves127001AndIPv6() async throws {
        let server = try await NginxServer()
        let port = try #require(server.httpsURL.port)
        #expect(try await curl("https://127.0.0.1:\(port)/small").text.hasPrefix("HTTP/1.1 200"))
        if server.listensOnIPv6 {
            #expect(try await curl("https://[::1]:\(port)/small").text.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func servesWrittenFilesAndRanges() async throws {
        let server = try await NginxServer()
        try server.write("deep/greeting.json", Data(#""hello""#.utf8))
        let greeting = try await curl("\(server.httpURL)/deep/greeting.json")
        #expect(field("content-type", in: greeting) == "application/json")
        #expect(try body(of: greeting) == Data(#""hello""#.utf8))
        try server.writeSparse("big", 5_000_000_000)
        let part = try await curl("\(server.httpURL)/big", "--range", "4999999990-")
        #expect(part.text.hasPrefix("HTTP/1.1 206"))
        #expect(field("content-range", in: part) == "bytes 4999999990-4999999999/5000000000")
        #expect(try body(of: part) == Data(count: 10))
    }

    @Test func storesUploads() async throws {
        let server = try await NginxServer()
        let created = try await curl("\(server.httpURL)/upload/a/b", "--request", "PUT", "--data", "content")
        #expect(created.text.hasPrefix("HTTP/1.1 201"))
        #expect(try server.read("upload/a/b") == Data("content".utf8))
        #expect(try await curl("\(server.httpURL)/sink", "--data", "x").text.hasPrefix("HTTP/1.1 204"))
    }

    @Test func compresses() async throws {
        let server = try await NginxServer()
        let response = try await curl("\(server.httpURL)/gzip/small", "--header", "Accept-Encoding: gzip")
        #expect(field("content-encoding", in: response) == "gzip")
        #expect(field("transfer-encoding", in: response) == "chunked")
        #expect(try body(of: response).count < 200)
        #expect(field("content-encoding", in: try await curl("\(server.httpURL)/gzip/small")) == nil)
    }

    @Test func redirects() async throws {
        let server = try await NginxServer()
        for status in [301, 302, 303, 307, 308] {
            let relative = try await curl("\(server.httpURL)/redirect/\(status)/small?a=b")
            #expect(relative.text.hasPrefix("HTTP/1.1 \(status)"))
            #expect(field("location", in: relative) == "/small?a=b")
            let absolute = try await curl("\(server.httpURL)/redirect-to/\(status)?\(server.httpsURL)/echo?x=y")
            #expect(absolute.text.hasPrefix("HTTP/1.1 \(status)"))
            #expect(field("location", in: absolute) == "\(server.httpsURL)/echo?x=y")
        }
        #expect(field("location", in: try await curl("\(server.httpURL)/redirect-loop")) == "/redirect-loop")
    }

    @Test func answersWithStatusCodes() async throws {
        let server = try await NginxServer()
        for status in NginxServer.statusCodes {
            #expect(try await curl("\(server.httpURL)/status/\(status)").text.hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test func echoesFields() async throws {
        let server = try await NginxServer()
        let response = try await curl(
            "\(server.httpsURL)/echo?a=b", "--header", "X-Test: one: two", "--user", "me:secret", "--request", "REPORT")
        let fields = NginxServer.echoed(try body(of: response))
        #expect((fields["method"], fields["target"], fields["x-test"]) == ("REPORT", "/echo?a=b", "one: two"))
        #expect((fields["authorization"], fields["tls-version"]) == ("Basic bWU6c2VjcmV0", "TLSv1.3"))
        #expect((fields["tls-server-name"], fields["request-number"]) == ("localhost", "1"))
        #expect(fields["cookie"]?.isEmpty == true)
    }

    @Test func protectsPrivateFiles() async throws {
        let server = try await NginxServer()
        let refused = try await curl("\(server.httpURL)/private/small")
        #expect(refused.text.hasPrefix("HTTP/1.1 401"))
        #expect(field("www-authenticate", in: refused) == #"Basic realm="test lab""#)
        let allowed = try await curl("\(server.httpURL)/private/small", "--user", "user:password")
        #expect(allowed.text.hasPrefix("HTTP/1.1 200"))
    }

    /// The codes are curl's: 60 is "the certificate cannot be trusted", also for a name that does not match.
    @Test(
        arguments: zip(
            NginxServer.Certificate.allCases, [nil, "unable to get local issuer", "expired", "subject name"]))
    func showsTheChosenCertificate(_ certificate: NginxServer.Certificate, complaint: String?) async throws {
        let server = try await NginxServer(certificate: certificate)
        for url in [server.httpsURL, server.http2URL] {
            let response = try await curl("\(url)/small")
            if let complaint {
                #expect(response.termination == .exited(60))
                #expect(response.errorText.contains(complaint), "\(response.errorText)")
            } else {
                #expect(response.termination == .exited(0))
            }
        }
    }

    @Test func speaksTheChosenTLSVersionsOnly() async throws {
        let old = try await NginxServer(tlsVersions: [.v1_1])
        let relaxed = ["--tlsv1.0", "--ciphers", "DEFAULT:@SECLEVEL=0"]
        #expect(try await curl("\(old.httpsURL)/small").termination != .exited(0))
        let echo = try await curl("\(old.httpsURL)/echo", relaxed[0], relaxed[1], relaxed[2])
        #expect(NginxServer.echoed(try body(of: echo))["tls-version"] == "TLSv1.1")
        let new = try await NginxServer(tlsVersions: [.v1_3])
        #expect(try await curl("\(new.httpsURL)/small", "--tls-max", "1.2").termination != .exited(0))
        #expect(try await curl("\(new.httpsURL)/small").termination == .exited(0))
    }

    @Test func verifiesClients() async throws {
        let server = try await NginxServer()
        let certificates = try await TestCertificates.shared
        let echo = "\(server.mutualTLSURL)/echo"
        #expect(try await curl(echo).text.hasPrefix("HTTP/1.1 400"))
        let stranger = certificates.otherClient
        let refused = try await curl(echo, "--cert", stranger.certificate.url.path, "--key", stranger.keyURL.path)
        #expect(refused.text.hasPrefix("HTTP/1.1 400"))
        let bundle = "\(certificates.clientPKCS12.path):\(certificates.clientPKCS12Password)"
        let allowed = try await curl(echo, "--cert-type", "P12", "--cert", bundle)
        #expect(NginxServer.echoed(try body(of: allowed))["client-verification"] == "SUCCESS")
        #expect(NginxServer.echoed(try body(of: allowed))["client-subject"] == "CN=Test Client")
        let lenient = try await NginxServer(clientVerification: .optional)
        let anonymous = try await curl("\(lenient.mutualTLSURL)/echo")
        #expect(NginxServer.echoed(try body(of: anonymous))["client-verification"] == "NONE")
    }

    @Test func triesOtherPortsIfOneIsTaken() async throws {
        let certificates = try await TestCertificates.shared
        let configuration = NginxConfiguration(
            identity: certificates.server, clientAuthority: certificates.ca, tlsVersions: [.v1_3],
            clientVerification: .required)
        let taken = try TakenPort()
        var attempts = 0
        let server = try await NginxServer(configuration) {
            attempts += 1
            return attempts == 1 ? try freePorts(4) + [taken.port] : try freePorts(5)
        }
        #expect(attempts > 1 && server.mutualTLSURL.port != Int(taken.port))
        #expect(try await curl("\(server.httpsURL)/small").termination == .exited(0))
    }

    @Test func saysWhyItDidNotStart() async throws {
        let certificates = try await TestCertificates.shared
        let configuration = NginxConfiguration(
            identity: certificates.server, clientAuthority: certificates.ca, tlsVersions: [],
            clientVerification: .required)
        let error = await #expect(throws: LabError.self) { try await NginxServer(configuration) { try freePorts(5) } }
        #expect(error?.description.contains("ssl_protocols") == true, "\(String(describing: error))")
    }

    @Test func endsWithItsOwnerAndOnDemand() async throws {
        let server = try await NginxServer()
        let url = "\(server.httpURL)/small"
        server.stop()
        server.stop()
        #expect(try await curl(url).termination == .exited(7))
        var owned: NginxServer? = try await NginxServer()
        let second = try #require(owned).httpURL
        #expect(try await curl("\(second)/small").termination == .exited(0))
        owned = nil
        #expect(try await curl("\(second)/small").termination == .exited(7))
    }
}
