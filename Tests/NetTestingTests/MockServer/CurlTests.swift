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
}
