import NetTesting
import TestLab
import Testing

/// A client that we did not write is satisfied, too.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")), .requires(.curl)) struct CurlTests {
    @Test func getsOverOneConnection() async throws {
        let server = try MockServer { .text($0.target + "\n") }
        let result = try await curl(server.url("/a").absoluteString, server.url("/b?c=d").absoluteString)
        #expect((result.output, server.connectionCount) == ("/a\n/b?c=d\n", 1))
    }

    @Test func uploadsWithExpectAndInChunks() async throws {
        let server = try MockServer { .text("\($0.bodyLength) \($0.headers["Transfer-Encoding"] ?? "plain")") }
        let input = Data(repeating: 0x61, count: 2_000_000)
        let chunked = try await curl("-T", "-", server.url("/up").absoluteString, input: input)
        #expect(chunked.output == "2000000 chunked")
        let plain = try await curl(
            "--data-binary", "@-", "-H", "Expect: 100-continue", server.url("/up").absoluteString, input: input)
        #expect((plain.output, server.requests.map(\.body)) == ("2000000 plain", [input, input]))
    }

    /// The exit codes are curl's own: each fault is seen as what it is.
    @Test(arguments: [
        (MockFault.close(.beforeResponse), 52), (.close(.inBody), 18), (.reset(.inBody), 56),
        (.reset(.beforeResponse), 56), (.truncatedBody, 18), (.truncatedChunkedBody, 18), (.badChunkSize, 56),
        (.corruptGzip, 61), (.garbageStatusLine, 1), (.endlessHeaders, 56),
    ]) func seesTheFault(_ fault: MockFault, _ code: Int) async throws {
        let server = try MockServer { _ in .fault(fault) }
        server.enqueue(.fault(fault))
        #expect(try await Int(curl("--compressed", "-o", "/dev/null", server.url.absoluteString).code) == code)
        await server.stop()
    }

    // MARK: HTTP/2

    @Test func agreesOnTheVersion() async throws {
        let certificate = try await MockCertificate.shared
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
        let certificate = try await MockCertificate.shared
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
        let certificate = try await MockCertificate.shared
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
