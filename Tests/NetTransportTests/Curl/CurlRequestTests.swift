#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// What goes out on the wire.
    @Suite(.timeLimit(.minutes(5))) struct CurlRequestTests {
        private let server: MockServer
        private let transport = CurlTransport()

        init() throws { server = try MockServer { _ in .text("ok") } }

        @Test func requestHasNoUnexpectedHeaders() async throws {
            _ = try await transport.fetch(server.url("/a/../b?c=%20d#e"), headers: ["X-Empty": "", "X-A": "b"])
            let request = try await server.takeRequest()
            #expect(request.target == "/a/../b?c=%20d")
            let names = Set(request.headers.map { $0.name.lowercased() })
            #expect(names == ["host", "accept", "accept-encoding", "x-empty", "x-a"])
            #expect(request.headers["X-Empty"] == "")
        }

        @Test func contentLengthAndTransferEncodingAreTheTransports() async throws {
            let fields = ["Content-Length": "3", "Transfer-Encoding": "chunked"]
            _ = try await transport.fetch(server.url, "POST", headers: fields, body: HTTPBody("12345"))
            let request = try await server.takeRequest()
            #expect(request.bodyText == "12345" && request.headers.values(for: "Content-Length") == ["5"])
            #expect(request.headers["Transfer-Encoding"] == nil && request.headers["Content-Type"] == nil)
        }

        @Test func userInfoOfTheURLBecomesBasicAuthorization() async throws {
            let url = try url("us%40er:p%3Ass@127.0.0.1", server)
            _ = try await transport.fetch(url)
            _ = try await transport.fetch(url, headers: ["Authorization": "Bearer t"])
            let expected = "Basic " + Data("us@er:p:ss".utf8).base64EncodedString()
            #expect(try await server.takeRequest().headers["Authorization"] == expected)
            #expect(try await server.takeRequest().headers.values(for: "Authorization") == ["Bearer t"])
        }

        @Test(arguments: [
            ("GET", ["X-A\r\nX-B": "v"]), ("GET", ["": "v"]), ("GET", ["X A": "v"]), ("GET", ["X:A": "v"]),
            ("GET", ["X-A": "v\r\nX-B: w"]), ("GET / HTTP/1.1\r\nX: y", [:]),
        ]) func malformedMethodOrHeaderIsInvalidRequest(_ method: String, headers: [String: String]) async throws {
            await #expect(throws: NetworkError.invalidRequest) {
                _ = try await transport.fetch(server.url("/"), method, headers: headers)
            }
            #expect(server.connectionCount == 0)
        }

        @Test(arguments: [
            "ftp://127.0.0.1/", "file:///etc/passwd", "http:///x", "http://a:99999/", "relative", "http://a:b/",
        ]) func unsupportedURLIsInvalidURL(_ text: String) async throws {
            guard let url = URL(string: text) else { return }
            await #expect(throws: NetworkError.invalidURL) { _ = try await transport.fetch(url) }
        }

        @Test func headWithBodyIsUnsupported() async throws {
            #expect(isUnsupported(try await transport.failure(server.url, "HEAD", body: HTTPBody("x"))))
        }

        @Test func requestsOnOneConnectionDoNotAffectEachOther() async throws {
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try Data(repeating: 7, count: 50_000).write(to: file)
            var alone: [(line: String, headers: HTTPHeaders, body: Data)] = []
            for kind in 0..<10 { alone.append(try await send(kind, file: file, over: CurlTransport())) }
            for _ in 0..<200 {
                let kind = Int.random(in: 0..<10)
                #expect(try await send(kind, file: file, over: transport) == alone[kind], "kind \(kind)")
            }
        }

        /// Sends a request of each kind, and returns what the server got.
        private func send(
            _ kind: Int, file: URL, over transport: CurlTransport
        ) async throws -> (line: String, headers: HTTPHeaders, body: Data) {
            var request = URLRequest(url: server.url("/\(kind)"))
            var body: HTTPBody?
            var context = RequestContext()
            context.delivery = kind.isMultiple(of: 2) ? .streamed : .collected(limit: 1000)
            switch kind {
            case 0: break
            case 1: (request.httpMethod, body) = ("POST", HTTPBody("small"))
            case 2: (request.httpMethod, body) = ("PUT", HTTPBody(Data(repeating: 1, count: 100_000)))
            case 3: (request.httpMethod, body) = ("POST", try HTTPBody(file: file))
            case 4: (request.httpMethod, body) = ("PATCH", HTTPBody(stream: dataStream("one", "two"), length: nil))
            case 5: request.httpMethod = "HEAD"
            case 6: request.allHTTPHeaderFields = ["Accept-Encoding": "x", "X-Six": "6", "Accept": "y"]
            case 7:
                request.httpShouldHandleCookies = false
                request.allHTTPHeaderFields = ["Cookie": "a=b", "Content-Type": "t"]
            case 8: (request.httpMethod, body) = ("DELETE", HTTPBody(stream: dataStream("one", "two"), length: 6))
            default:
                request.httpMethod = "POST"
                context.progress = { _ in }
            }
            _ = try await transport.send(request, body: body, context: context).body.collect(upTo: 1000)
            let seen = try await server.takeRequest()
            return ("\(seen.method.rawValue) \(seen.target) \(seen.httpVersion)", seen.headers, seen.body)
        }

        @Test(arguments: [false, true]) func earlyResponseEndsTheUpload(streamed: Bool) async throws {
            server.enqueue(MockResponse.text("no", status: 413).beforeRequestBody())
            let endless = AsyncStream<Data>(unfolding: { Data(count: 100_000) })
            let body = HTTPBody(stream: endless)
            #expect(try await transport.fetch(server.url, "POST", body: body, streamed: streamed).status == 413)
        }

        @Test func largeFileSendsExpectContinue() async throws {
            let folder = try TemporaryDirectory()
            try Data(count: 2 << 20).write(to: folder.file("body"))
            server.enqueue(MockResponse.text("no", status: 413).beforeRequestBody())
            let body = try HTTPBody(file: folder.file("body"))
            #expect(try await transport.fetch(server.url, "PUT", body: body).status == 413)
            #expect(try await server.takeRequest().headers["Expect"] == "100-continue")
        }

        @Test(arguments: [false, true]) func expectationFailedIsRetriedWithoutExpect(streamed: Bool) async throws {
            let server = try MockServer { request in
                request.headers["Expect"] == nil
                    ? .text("done") : MockResponse.text("no expectations", status: 417).beforeRequestBody()
            }
            let response = try await transport.fetch(
                server.url("/"), "POST", headers: ["Expect": "100-continue"], body: HTTPBody("x"), streamed: streamed)
            #expect(response.status == 200 && response.body == Data("done".utf8))
            #expect(server.requests.last?.bodyText == "x")
        }

        /// The zone of an address has no meaning for the server (RFC 6874, section 4).
        @Test func hostFieldHasNoZone() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("a.sock").path
            // Nothing has to listen on ::1.
            let server = try MockServer(unixSocketPath: path) { _ in .ok }
            let transport = CurlTransport { $0.unixSocketPath = path }
            #expect(try await transport.fetch(url("http://[::1%25lo]:8080/")).status == 200)
            #expect(try await server.takeRequest().headers["Host"] == "[::1]:8080")
        }
    }
#endif
