import TestLab
import Testing

@testable import NetTesting

/// A client that we did not write agrees.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")), .requires(.curl))
struct HTTP2CurlTests {
    private static let certificate = Task { try await MockCertificate.make() }

    @Test func agreesOnTheVersion() async throws {
        let certificate = try await Tool.openssl.needed(by: Self.self).certificate.value
        let cases: [(MockHTTPVersions, String, String)] = [
            (.automatic, "--http2", "2"), (.automatic, "--http1.1", "1.1"), (.http2Only, "--http2", "2"),
            (.http2Only, "--http1.1", "0"), (.http1Only, "--http2", "1.1"),
        ]
        for (versions, option, expected) in cases {
            let server = try MockServer(certificate: certificate, httpVersions: versions) { _ in .text("x") }
            let result = try await curl(option, "-o", "/dev/null", "-w", "%{http_version}", server.url.absoluteString)
            #expect(result.output.hasSuffix(expected), "\(versions) \(option): \(result.output)")
            #expect((result.code == 0) == (expected != "0"))
            await server.stop()
        }
    }

    @Test func carriesMuchBothWays() async throws {
        let certificate = try await Tool.openssl.needed(by: Self.self).certificate.value
        let server = try MockServer(certificate: certificate, httpVersions: .automatic) {
            .data($0.body).header("X-Name", "välue")
        }
        let input = pattern(5_000_000)
        let directory = try TemporaryDirectory()
        let file = directory.file("echo")
        let result = try await curl(
            "--http2", "--data-binary", "@-", "-o", file.path, "-w", "%{http_version} %{http_code}",
            server.url("/echo?a=b").absoluteString, input: input)
        #expect(result.output == "2 200")
        #expect(try Data(contentsOf: file) == input)
        #expect(server.requests.map(\.body) == [input] && server.protocolErrors.isEmpty)
    }

    @Test func multiplexes() async throws {
        let certificate = try await Tool.openssl.needed(by: Self.self).certificate.value
        let server = try MockServer(certificate: certificate, httpVersions: .http2Only) {
            .text("\($0.httpVersion) \($0.headers["host"] ?? "") \($0.target)\n").delayed(by: 0.01)
        }
        let urls = (0..<30).map { server.url("/\($0)").absoluteString }
        let result = try await ProcessRunner.run("curl", ["-sSk", "--http2", "--parallel"] + urls)
        let host = "127.0.0.1:\(server.port)"
        #expect(
            Set(result.text.split(separator: "\n").map(String.init)) == Set((0..<30).map { "HTTP/2 \(host) /\($0)" }))
        #expect(server.requestCount == 30)
    }

    @Test func speaksByPriorKnowledge() async throws {
        let server = try MockServer.http2 { .text($0.httpVersion) }
        #expect(try await curl("--http2-prior-knowledge", server.url.absoluteString).output == "HTTP/2")
        // The upgrade of RFC 7540 is gone from RFC 9113.
        #expect(try await curl("--http2", server.url.absoluteString).output == "HTTP/1.1")
        await server.stop()
    }
}
