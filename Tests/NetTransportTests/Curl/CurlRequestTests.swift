#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

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

    @Suite struct RequestWriterTests {
        private func head(
            method: String = "GET", target: String = "/", fields: [(name: String, value: String)] = [],
            host: String = "a.example"
        ) throws(NetworkError) -> String {
            String(decoding: try WireRequest.http1Head(method, target, host: host, fields), as: UTF8.self)
        }

        @Test func requestHeadIsWritten() throws {
            #expect(try head() == "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
            #expect(
                try head(
                    method: "OPTIONS", target: "*", fields: [("Accept", "*/*"), ("X", ""), ("Y", "a\tb é")],
                    host: "[::1]:81")
                    == "OPTIONS * HTTP/1.1\r\nHost: [::1]:81\r\nAccept: */*\r\nX: \r\nY: a\tb é\r\n\r\n")
            #expect(try head(target: "http://a/b?c#d", host: "") == "GET http://a/b?c#d HTTP/1.1\r\nHost: \r\n\r\n")
        }

        /// Returns the lines of a head behind the request line, without those that each request has.
        private func lines(
            _ method: String, _ fields: [String: String] = [:], _ body: HTTPBody? = nil
        ) throws -> Set<String> {
            let request = URLRequest(try url("http://a.example/"), method, headers: fields)
            let wire = try WireRequest(request, body: body, EngineSettings(TransportConfiguration()), through: nil)
            let all = String(decoding: wire.http1Head, as: UTF8.self).split(separator: "\r\n").dropFirst()
            return Set(all.map(String.init).filter { !$0.hasPrefix("Accept") })
        }

        @Test func bodyDecidesTheFraming() throws {
            #expect(try lines("GET") == ["Host: a.example"])
            for method in ["POST", "PUT", "PATCH"] {
                #expect(try lines(method) == ["Host: a.example", "Content-Length: 0"])
            }
            #expect(try lines("POST", [:], HTTPBody("abc")) == ["Host: a.example", "Content-Length: 3"])
            #expect(try lines("POST", [:], HTTPBody(Data())) == ["Host: a.example", "Content-Length: 0"])
            let stream = HTTPBody(pulling: { nil })
            #expect(try lines("POST", [:], stream) == ["Host: a.example", "Transfer-Encoding: chunked"])
            let declared = HTTPBody(length: .max, pulling: { nil })
            let expected: Set = ["Host: a.example", "Expect: 100-continue", "Content-Length: 9223372036854775807"]
            #expect(try lines("POST", [:], declared) == expected)
            for (length, expects) in [(1 << 20, false), (1 << 20 + 1, true)] as [(Int64, Bool)] {
                let body = HTTPBody(length: length, pulling: { nil })
                #expect(try lines("PUT", [:], body).contains("Expect: 100-continue") == expects)
            }
        }

        @Test func hostReplacesTheAuthorityAndFramingOfTheCallerIsDropped() throws {
            let fields = [
                "HOST": " b ", "content-length": "7", "Transfer-Encoding": "gzip", "Hos_": "x", "Hosts": "y",
                // A byte that differs from a letter in one bit is not the other case of it.
                "Content\u{2D}Lengt^": "x",
            ]
            let expected: Set = ["Host: b", "Hos_: x", "Hosts: y", "Content-Lengt^: x", "Content-Length: 1"]
            #expect(try lines("POST", fields, HTTPBody("a")) == expected)
        }

        @Test(arguments: ["\r", "\n", "\0", "\r\n", "\u{01}", "\u{7F}", " ", "é"])
        func controlCharactersAreRefused(_ bad: String) {
            #expect(throws: NetworkError.invalidRequest) { try head(method: "GE" + bad) }
            #expect(throws: NetworkError.invalidURL) { try head(target: "/" + bad + "x") }
            #expect(throws: NetworkError.invalidURL) { try head(host: bad + "a") }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("B", "c"), ("A" + bad, "x")]) }
            guard bad != " ", bad != "é" else { return }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("A", "x" + bad + "Injected: y")]) }
        }

        @Test func emptyPartsAreRefused() {
            #expect(throws: NetworkError.invalidRequest) { try head(method: "") }
            #expect(throws: NetworkError.invalidURL) { try head(target: "") }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("", "x")]) }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("A:", "x")]) }
        }
    }
#endif
