import Foundation
import NetCore
import Testing

@testable import NetClient

@Suite struct URLSessionTransportTests {
    let transport = URLSessionTransport()

    private func collected(_ limit: Int = 1 << 20) -> RequestContext {
        var context = RequestContext()
        context.delivery = .collected(limit: limit)
        return context
    }

    @Test func aCollectedResponseHasHeadAndBody() async throws {
        let server = try RawServer.answering { _, _ in reply("hello", "X-Name: value", "Set-Cookie: a=1", "Set-Cookie: b=2") }
        let response = try await transport.send(server.request("/a?b=c"), body: nil, context: collected())
        #expect(response.status == 200)
        #expect(response.body.data == Data("hello".utf8))
        #expect(response.headers["x-name"] == "value")
        #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(response.url?.path == "/a")
        let metrics = response.metrics
        let total = try #require(metrics.total)
        let first = try #require(metrics.firstByte)
        #expect(first <= total)
        #expect(metrics.bytesReceived == 5)
        #expect(server.requests.withLock { $0[0].hasPrefix("GET /a?b=c HTTP/1.1\r\n") })
    }

    @Test func aStreamedResponseShowsItsHeadBeforeItsBody() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            gate.wait()
            connection.write("01234")
            gate.wait()
            connection.write("56789")
        }
        let response = try await transport.send(server.request("/"), body: nil, context: RequestContext())
        #expect(response.status == 200)
        #expect(response.body.length == 10)
        #expect(response.metrics.total == nil)
        gate.signal()
        var chunks: [String] = []
        for try await chunk in response.body {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            if chunks.count == 1 { gate.signal() }
        }
        #expect(chunks == ["01234", "56789"])
        #expect(response.metrics.total != nil)
    }

    @Test func aBodyThatIsDroppedEndsItsTransfer() async throws {
        let closed = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
            connection.waitForClose()
            closed.continuation.finish()
        }
        do {
            let response = try await transport.send(server.request("/"), body: nil, context: RequestContext())
            #expect(response.status == 200)
        }
        for await _ in closed.stream {}
    }

    @Test(arguments: [false, true]) func theLimitIsKept(isChunked: Bool) async throws {
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.write(
                isChunked
                    ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n56789a\r\n"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n")
            connection.waitForClose()
        }
        await #expect(throws: NetworkError.responseTooLarge(limit: 10)) {
            _ = try await transport.send(server.request("/"), body: nil, context: collected(10))
        }
    }

    @Test func theLimitItselfIsAllowed() async throws {
        let server = try RawServer.answering { _, _ in reply("0123456789") }
        let response = try await transport.send(server.request("/"), body: nil, context: collected(10))
        #expect(response.body.data?.count == 10)
    }

    @Test func redirectsAreGivenToTheCaller() async throws {
        let server = try RawServer.answering { head, _ in
            head.hasPrefix("GET /from") ? reply("moved", status: 302, "Location: /to") : reply("followed")
        }
        for context in [collected(), RequestContext()] {
            let response = try await transport.send(server.request("/from"), body: nil, context: context)
            #expect(response.status == 302)
            #expect(response.headers["Location"] == "/to")
            #expect(try await response.body.collect(upTo: 100) == Data("moved".utf8))
        }
        #expect(server.requests.withLock { $0.count } == 2)
    }

    @Test func aRedirectWithoutLocationIsAResponse() async throws {
        let server = try RawServer.answering { _, _ in reply("lost on Linux", status: 302) }
        for context in [collected(), RequestContext()] {
            let response = try await transport.send(server.request("/"), body: nil, context: context)
            #expect(response.status == 302)
        }
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "Bearer", "Basic"])
    func challengesAreGivenToTheCaller(challenge: String) async throws {
        let server = try RawServer.answering { _, _ in reply("who?", status: 401, "WWW-Authenticate: \(challenge)") }
        for context in [collected(), RequestContext()] {
            let response = try await transport.send(server.request("/"), body: nil, context: context)
            #expect(response.status == 401)
            #expect(response.headers["WWW-Authenticate"] == challenge)
            #expect(try await response.body.collect(upTo: 100) == Data("who?".utf8))
        }
    }

    @Test func interimResponsesAreNotTheResponse() async throws {
        let server = try RawServer.answering { _, _ in
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + reply("real")
        }
        let response = try await transport.send(server.request("/"), body: nil, context: RequestContext())
        #expect(response.status == 200)
        #expect(try await response.body.collect(upTo: 100) == Data("real".utf8))
    }

    @Test(arguments: [204, 304]) func responsesWithoutBody(status: Int) async throws {
        let server = try RawServer.answering { _, _ in "HTTP/1.1 \(status) X\r\n\r\n" }
        let response = try await transport.send(server.request("/"), body: nil, context: RequestContext())
        #expect(response.status == status)
        #expect(try await response.body.collect(upTo: 0).isEmpty)
    }

    @Test func headHasALengthAndNoBody() async throws {
        let server = try RawServer.answering { _, _ in "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" }
        let response = try await transport.send(server.request("/", method: "HEAD"), body: nil, context: collected(10))
        #expect(response.headers["Content-Length"] == "99")
        #expect(response.body.data?.isEmpty == true)
    }

    @Test func connectionsAreUsedAgain() async throws {
        let connections = Locked(0)
        let server = try RawServer { connection in
            connections.withLock { $0 += 1 }
            while connection.readRequest() != nil { connection.write(reply("x")) }
        }
        for _ in 0..<20 {
            _ = try await transport.send(server.request("/"), body: nil, context: collected())
        }
        #expect(connections.withLock { $0 } == 1)
    }

    @Test func noMoreConnectionsThanAllowed() async throws {
        let open = Locked((now: 0, most: 0))
        let server = try RawServer { connection in
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            while connection.readRequest() != nil {
                usleep(5_000)
                connection.write(reply("x"))
            }
            open.withLock { $0.now -= 1 }
        }
        var configuration = TransportConfiguration()
        configuration.limits.connectionsPerHost = 2
        let transport = URLSessionTransport(configuration: configuration)
        let request = try server.request("/")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 {
                group.addTask { try await transport.send(request, body: nil, context: RequestContext()).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(open.withLock { $0.most } == 2)
    }

    @Test func aGzipBodyIsDecodedUpToItsLimit() async throws {
        // 100,000 zeros by `gzip -9n`.
        let bomb = try #require(
            Data(
                base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB4GwPs2NHwoIYBAA=="))
        _ = bomb
    }
}
