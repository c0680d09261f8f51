import NetTesting
import Testing

/// RFC 9110, sections 13 and 14.
struct MockResourceTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    private let resource = MockResource(
        Data("0123456789".utf8), contentType: "text/plain", etag: "\"v1\"",
        lastModified: Date(timeIntervalSince1970: 1_000_000_000))
    // 9 September 2001
    private static let exactly = "Sun, 09 Sep 2001 01:46:40 GMT"
    private static let before = "Sun, 09 Sep 2001 01:46:39 GMT"
    private static let after = "Sun, 09 Sep 2001 01:46:41 GMT"

    private func ask(_ line: String, _ headers: [String]) async throws -> RawConnection.Response {
        server.on("/", resource)
        return try await server.answer(to: line, headers: headers, toHead: line.hasPrefix("HEAD"))
    }

    @Test(arguments: [
        ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=2-5", 206, "2345", "bytes 2-5/10"),
        ("bytes=8-100", 206, "89", "bytes 8-9/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
        ("bytes=-3", 206, "789", "bytes 7-9/10"), ("bytes=-30", 206, "0123456789", "bytes 0-9/10"),
        ("Bytes = 1-1", 206, "1", "bytes 1-1/10"), ("bytes=3-99999999999999999999", 206, "3456789", "bytes 3-9/10"),
        ("bytes=99999999999999999999-", 416, "", "bytes */10"), ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=-0", 416, "", "bytes */10"), ("bytes=5-2", 200, "0123456789", nil), ("bytes=-", 200, "0123456789", nil),
        ("bytes=a-b", 200, "0123456789", nil), ("bytes=1-2-3", 200, "0123456789", nil),
        ("lines=1-2", 200, "0123456789", nil), ("bytes=", 200, "0123456789", nil),
    ]) func ranges(_ range: String, _ status: Int, _ body: String, _ contentRange: String?) async throws {
        let response = try await ask("GET /", ["Range: \(range)"])
        #expect((response.status, response.text, response["Content-Range"]) == (status, body, contentRange))
        #expect((response["ETag"], response["Last-Modified"]) == ("\"v1\"", Self.exactly))
        #expect(response["Accept-Ranges"] == "bytes")
    }

    @Test func severalRanges() async throws {
        let response = try await ask("GET /", ["Range: bytes=0-1, 20-30, -2"])
        #expect(response.status == 206)
        let type = try #require(response["Content-Type"])
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        let parts = response.text.components(separatedBy: "--\(boundary)")
        #expect(parts.count == 4)
        #expect(parts[1] == "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n")
        #expect(parts[2].hasSuffix("Content-Range: bytes 8-9/10\r\n\r\n89\r\n") && parts[3] == "--\r\n")
    }

    @Test(arguments: [
        (["If-Range: \"v1\""], 206), (["If-Range: \"v2\""], 200), (["If-Range: W/\"v1\""], 200),
        (["If-Range: \(exactly)"], 206), (["If-Range: \(before)"], 200), (["If-Range: \(after)"], 200),
        (["If-Range: nonsense"], 200), (["If-None-Match: \"v1\""], 304), (["If-None-Match: W/\"v1\""], 304),
        (["If-None-Match: \"a\", \"v1\""], 304), (["If-None-Match: *"], 304), (["If-None-Match: \"v2\""], 206),
        (["If-Match: \"v1\""], 206), (["If-Match: *"], 206), (["If-Match: \"v2\""], 412), (["If-Match: W/\"v1\""], 412),
        (["If-Modified-Since: \(exactly)"], 304), (["If-Modified-Since: \(before)"], 206),
        (["If-Unmodified-Since: \(exactly)"], 206), (["If-Unmodified-Since: \(before)"], 412),
        // A tag counts for more than a time.
        (["If-None-Match: \"v2\"", "If-Modified-Since: \(exactly)"], 206),
        (["If-Match: \"v1\"", "If-Unmodified-Since: \(before)"], 206), (["If-Modified-Since: nonsense"], 206),
    ]) func conditions(_ headers: [String], _ status: Int) async throws {
        let response = try await ask("GET /", headers + ["Range: bytes=0-3"])
        #expect(response.status == status)
        #expect(response.text == (status == 206 ? "0123" : status == 200 ? "0123456789" : ""))
        #expect(response["ETag"] == "\"v1\"")
    }

    @Test func weakETagDisablesRanges() async throws {
        var weak = resource
        weak.etag = "W/\"v1\""
        server.on("/", weak)
        let statuses = try await server.talk { connection in
            try ["If-Range: W/\"v1\"", "If-Match: W/\"v1\"", "If-None-Match: W/\"v1\""].map {
                try connection.exchange("GET /", headers: ["Range: bytes=0-1", $0]).status
            }
        }
        #expect(statuses == [200, 412, 304])
    }

    @Test func otherMethods() async throws {
        let head = try await ask("HEAD /", ["Range: bytes=0-1"])
        #expect((head.status, head["Content-Length"]) == (200, "10"))
        let post = try await ask("POST /", [])
        #expect((post.status, post["Allow"]) == (405, "GET, HEAD"))
    }

    @Test func emptyFileHasNoRanges() async throws {
        server.on("/", MockResource(Data()))
        let statuses = try await server.talk { connection in
            try ["bytes=0-", "bytes=-5"].map { try connection.exchange("GET /", headers: ["Range: \($0)"]).status }
        }
        #expect(statuses == [416, 416])
    }
}
