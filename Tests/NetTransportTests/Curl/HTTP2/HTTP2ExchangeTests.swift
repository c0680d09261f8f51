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

        // MARK: Large, slow and refused bodies

        /// Bodies of each kind. Most are larger than the window of the stream.
        @Test(arguments: [
            (1, 3_000), (7, 3_000), (100, 200_000), (1_000, 0), (1_000, 1), (1_000, 65_535), (1_000, 65_536),
            (1_000, 1_000_000), (16_384, 200_000), (65_535, 10_000), (65_535, 200_000),
        ]) func bodyOfEachKindArrivesThroughTheWindow(_ window: Int, size: Int) async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(window: window))
            let (data, folder) = (MockResponse.generatedBytes(count: size), try TemporaryDirectory())
            try data.write(to: folder.file("body"))
            let halves = [HTTPBody(data.prefix(size / 2)), HTTPBody(data.dropFirst(size / 2))]
            let joined = HTTPBody(source: .data(Data()), length: Int64(size), isReplayable: true, pieces: halves)
            let bodies: [(body: HTTPBody, isDeclared: Bool)] = [
                (HTTPBody(data), true), (try HTTPBody(file: folder.file("body")), true),
                (HTTPBody(stream: dataStream(data.pieces(of: 30_000))), false),
                (HTTPBody(stream: dataStream([data])), false),
                (HTTPBody(stream: dataStream(data.pieces(of: 30_000)), length: Int64(size)), true), (joined, true),
            ]
            // Pieces of a body are not empty.
            for (number, (body, isDeclared)) in bodies.prefix(size == 0 ? 5 : 6).enumerated() {
                #expect(try await lab.transport.fetch(lab.server.url("/\(number)"), "PUT", body: body).status == 200)
                let seen = try #require(lab.server.requests.last)
                #expect(seen.body == data && seen.isBodyComplete, "\(number)")
                let length = seen.headers["Content-Length"]
                #expect(length == (isDeclared ? "\(size)" : size == 0 ? length : nil), "\(number)")
            }
            #expect(lab.server.http2Connections.count == 1 && lab.server.http2Connections[0].resets == [])
        }

        @Test(arguments: [30_000, 70_000, 200_000]) func largeRequestHeadIsSent(_ size: Int) async throws {
            let headers = ["X-Large": String(repeating: "x", count: size)]
            #expect(try await transport.fetch(lab.server.url, headers: headers).status == 200)
            #expect(lab.server.requests.last?.headers["X-Large"]?.utf8.count == size)
        }

        @Test(arguments: ["a ", "a\t", "\ta", " a", "a  "]) func headerValueIsTrimmed(_ value: String) async throws {
            _ = try await transport.fetch(lab.server.url, headers: ["X-Space": value])
            #expect(lab.server.requests.last?.headers["X-Space"] == "a")
        }

        /// A refusal behind `Expect: 100-continue` whose own body is slow.
        @Test func bodyIsNotSentAfterRefusedExpectation() async throws {
            lab.server.on("/", .bytes(count: 1000).status(413).throttled(bytesPerSecond: 500).beforeRequestBody())
            // After a second without an answer the body is sent, and a busy server may take as long.
            for attempt in 1...5 {
                let sent = Locked(Int64(0))
                var context = RequestContext()
                context.progress = { progress in sent.withLock { $0 = max($0, progress.bytesSent) } }
                let response = try await transport.response(
                    lab.server.url, "PUT", headers: ["Expect": "100-continue"], body: HTTPBody(Data(count: 10_000)),
                    context: context)
                #expect(response.status == 413)
                let wait = try #require(response.metrics.firstByte) - #require(response.metrics.requestStart)
                if attempt < 5, wait >= 0.9 { continue }
                #expect(sent.withLock { $0 } == 0)
                return
            }
        }

        @Test(.requires(.nginx), arguments: [100, 100_000, 3_000_000], [Int64?.none, 0])
        func uploadToNginxArrivesWhole(count: Int, declared: Int64?) async throws {
            let (nginx, transport) = (try await NginxServer(), try await CurlTransport.trusting())
            let data = pattern(count)
            let stream = HTTPBody(
                stream: dataStream(data.pieces(of: 70_000)), length: declared.map { _ in Int64(count) })
            for (name, body) in ["data": HTTPBody(data), "stream": stream] {
                let path = "upload/\(name)-\(count)-\(declared != nil)"
                let url = nginx.http2URL.appendingPathComponent(path)
                #expect([201, 204].contains(try await transport.fetch(url, "PUT", body: body).status))
                #expect(try nginx.read(path) == data)
            }
        }
    }

    /// HTTP/2 without negotiation: over plain connections, and as the only version over TLS.
    @Suite(.timeLimit(.minutes(3))) struct HTTP2PriorKnowledgeTests {
        private func transport(_ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.httpVersions, $0.proxy) = (.http2PriorKnowledge, .none) }
        }

        @Test func concurrentRequestsShareAPlainConnection() async throws {
            let server = try MockServer(httpVersions: .http2Only) { .text("\($0.bodyLength)") }
            let transport = transport()
            _ = try await atOnce(100) { index in
                let body = HTTPBody(Data(count: index * 500))
                let answer = try await transport.fetch(server.url("/a?b=\(index)"), "PUT", body: body)
                #expect(answer.body == Data("\(index * 500)".utf8))
            }
            #expect(server.connectionCount == 1 && server.requests.allSatisfy { $0.stream != nil })
            #expect(server.requests.first?.headers["Host"] ?? "127.0.0.1:\(server.port)" == "127.0.0.1:\(server.port)")
            #expect(server.protocolErrors.isEmpty)
        }

        @Test(.requires(.nginx)) func nginxAcceptsPriorKnowledge() async throws {
            let (nginx, transport) = (try await NginxServer(), transport())
            for _ in 0..<2 {
                let answer = try await transport.fetch(nginx.plainHTTP2URL.appendingPathComponent("echo")).body
                let fields = NginxServer.echoed(answer)
                #expect(fields["protocol"] == "HTTP/2.0" && fields["scheme"] == "http")
            }
            let (data, upload) = (pattern(3_000_000), nginx.plainHTTP2URL.appendingPathComponent("upload/a"))
            #expect(try await transport.fetch(upload, "PUT", body: HTTPBody(data)).status == 201)
            #expect(try nginx.read("upload/a") == data)
            // The same over TLS.
            let authority = try await TestCertificates.shared.ca.pem
            let secure = self.transport { $0.certificateAuthorities = .only(pem: authority) }
            let answer = try await secure.fetch(nginx.http2URL.appendingPathComponent("echo"))
            #expect(NginxServer.echoed(answer.body)["protocol"] == "HTTP/2.0")
            let url = small(nginx.httpsURL)
            #expect(try await secure.expectFailure(.protocolError, .tlsHandshakeFailed, of: url)?.isUnprocessed == true)
            // nginx does not speak it on this port.
            try await transport.expectFailure(.protocolError, of: nginx.httpURL)
            #expect(!nginx.accessLog.contains { $0.contains("HTTP/1.1") })
        }

        @Test(
            arguments: [
                (nil, [.protocolError]), (.close(.beforeRequest), [.connectionLost, .connectionReset]),
                (.reset(.beforeRequest), [.connectionLost, .connectionReset]), (.stall(.beforeRequest), [.idleTimeout]),
            ] as [(MockFault?, [TransportError.Code])])
        func serverWithoutHTTP2IsAnError(_ fault: MockFault?, _ codes: [TransportError.Code]) async throws {
            let server = try MockServer { _ in .text("x") }
            if let fault { server.enqueue(.fault(fault)) }
            let idle: TimeInterval = codes == [.idleTimeout] ? 0.3 : 30
            let error = try await transport { $0.timeouts.idle = idle }.failure(server.url) as? TransportError
            #expect(error.map { codes.contains($0.code) } == true, "\(String(describing: error))")
            #expect(server.requests.isEmpty)
        }

        @Test func http11RequiredDoesNotDowngrade() async throws {
            let server = try MockServer(httpVersions: .automatic) { _ in .text("x") }
            server.enqueue(.ok.fault(http2: .reset(.http11Required), at: .beforeHead))
            let transport = transport()
            try await transport.expectFailure(.http11Required, of: server.url)
            #expect(try await transport.fetch(server.url).status == 200)
            #expect(server.requests.allSatisfy { $0.stream != nil })
        }

        @Test func unixSocketUsesPriorKnowledge() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("socket").path
            let server = try MockServer(unixSocketPath: path, httpVersions: .http2Only) { _ in .text("x") }
            let transport = transport { $0.unixSocketPath = path }
            for _ in 0..<3 { #expect(try await transport.fetch(url("http://service.local/path")).status == 200) }
            #expect(server.connectionCount == 1)
        }

        @Test(.requires(.tinyproxy)) func proxyTunnelsPriorKnowledge() async throws {
            let proxy = try await ProxyServer()
            let server = try MockServer(httpVersions: .http2Only) { _ in .text("x") }
            let transport = transport { $0.proxy = .http(host: "127.0.0.1", port: proxy.url.port ?? 0) }
            #expect(try await transport.fetch(server.url).status == 200 && server.requests.first?.target == "/")
        }
    }
#endif
