#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Requests as HTTP/2 writes them, and answers that come at odd times.
    @Suite(.timeLimit(.minutes(2)), .requires(.openssl)) struct HTTP2ExchangeTests {
        private let lab: HTTP2Lab
        private var transport: CurlTransport { lab.transport }

        init() async throws { lab = try await HTTP2Lab(versions: .http2Only) }

        @Test func connectionSpecificHeadersAreDropped() async throws {
            let url = try url(lab.server.url.absoluteString + "?a=%20b#c")
            let fields = [
                "Connection": "close", "Keep-Alive": "1", "TE": "gzip", "X-Upper": "V", "Host": "other.example:1",
                "Content-Length": "999", "Transfer-Encoding": "chunked", "X-Empty": "",
            ]
            _ = try await transport.fetch(url, "POST", headers: fields)
            let seen = try #require(lab.server.requests.first)
            #expect(seen.httpVersion == "HTTP/2" && seen.target == "/?a=%20b")
            #expect(seen.headers["Host"] == "other.example:1" && seen.headers["content-length"] == "0")
            #expect(seen.headers["x-upper"] == "V" && seen.headers["x-empty"] == "" && seen.headers["accept"] == "*/*")
            let dropped = ["Connection", "Keep-Alive", "TE", "Transfer-Encoding", "Expect"]
            #expect(dropped.filter { seen.headers.contains(name: $0) } == [])
        }

        @Test(arguments: ["/", "/a/../b", "/%2e", "/x?y=1&z"]) func pathIsSentUnchanged(_ target: String) async throws {
            _ = try await transport.fetch(url(lab.server.url.absoluteString + target))
            #expect(lab.server.requests.first?.target == target)
            #expect(lab.server.requests.first?.headers["Host"] == "127.0.0.1:\(lab.server.port)")
        }

        /// A server that refuses an upload says so at once: what is left of it is not sent, and the connection lives on.
        @Test func earlyResponseEndsTheUpload() async throws {
            lab.server.on("/refused", .status(413).beforeRequestBody())
            let endless = AsyncStream<Data> { Data(repeating: 1, count: 10_000) }
            let body = HTTPBody(stream: endless)
            #expect(try await transport.fetch(lab.server.url("/refused"), "POST", body: body).status == 413)
            #expect(try await transport.fetch(lab.server.url("/")).status == 200 && lab.server.connectionCount == 1)
        }

        @Test(arguments: [true, false]) func callersExpectContinueIsSent(_ sendsContinue: Bool) async throws {
            let lab = try await HTTP2Lab(versions: .http2Only, sendsContinue: sendsContinue)
            let response = try await lab.transport.fetch(
                lab.server.url, "POST", headers: ["Expect": "100-continue"], body: HTTPBody("body"))
            let seen = try #require(lab.server.requests.first)
            #expect(response.status == 200 && seen.bodyText == "body" && seen.headers["Expect"] == "100-continue")
        }

        /// A large body asks for no permission by itself: over HTTP/2 it can be broken off.
        @Test func largeBodySendsNoExpect() async throws {
            let body = HTTPBody(stream: dataStream([Data(count: 2 << 20)]))
            _ = try await transport.fetch(lab.server.url, "POST", body: body)
            let seen = try #require(lab.server.requests.first)
            #expect(seen.headers["Expect"] == nil && seen.body.count == 2 << 20)
        }

        @Test(arguments: [204, 304, 205]) func responsesWithoutBodyKeepTheConnection(_ status: Int) async throws {
            lab.server.on("/", MockResponse.status(status))
            for _ in 0..<3 {
                let response = try await transport.fetch(lab.server.url)
                #expect(response.status == status && response.body.isEmpty)
            }
            #expect(try await transport.fetch(lab.server.url("/x"), "HEAD").body.isEmpty)
            #expect(lab.server.connectionCount == 1)
        }

        @Test(arguments: [MockHTTPVersions.http1Only, .http2Only])
        func interimResponsesAndTrailersAreNotHeaders(_ versions: MockHTTPVersions) async throws {
            let lab = try await HTTP2Lab(versions: versions) { _ in
                .text("ok").framed(.chunked).preceded(by: 103, headers: ["Link": "</x>"]).trailers(["X-Trailer": "1"])
            }
            for streamed in [false, true] {
                let response = try await lab.transport.fetch(lab.server.url, streamed: streamed)
                #expect(response.status == 200 && response.body == Data("ok".utf8))
                #expect(response.headers["Link"] == nil && response.headers["X-Trailer"] == nil)
            }
        }

        @Test func metricsBelongToEachExchange() async throws {
            lab.server.on("/", .text("ok").delayed(by: 0.02))
            for isFirst in [true, false] {
                let response = try await transport.stream(lab.server.url)
                _ = try await response.body.collect(upTo: 100)
                let metrics = response.metrics
                #expect(metrics.isReusedConnection == !isFirst && (metrics.secureConnect != nil) == isFirst)
                #expect(metrics.remoteAddress == "127.0.0.1:\(lab.server.port)" && metrics.bytesReceived == 2)
                let first = try #require(metrics.firstByte)
                #expect(try #require(metrics.requestStart) < first && first <= #require(metrics.total))
            }
        }
    }
#endif
