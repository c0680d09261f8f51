#if os(Linux)
    import NetClient
    import NetTesting
    import Testing

    /// Fields after the body, over HTTP/1.1 and HTTP/2.
    @Suite(.timeLimit(.minutes(5))) struct TrailerTests {
        private static let versions = [MockHTTPVersions.http1Only, .automatic]
        private static let trailers: HTTPHeaders = ["grpc-status": "0", "grpc-message": "fine", "X-Sum": "a"]

        @Test(arguments: versions) func collectedResponseHasTrailers(_ versions: MockHTTPVersions) async throws {
            var sent = Self.trailers
            sent.append(name: "X-Sum", value: "b")
            let answer = MockResponse.text("body").trailers(sent)
            let lab = try await HTTP2Lab(versions: versions) { _ in answer }
            let response = try await lab.transport.response(lab.server.url)
            #expect(response.version == (versions == .automatic ? .http2 : .http1_1))
            #expect(response.body.data == Data("body".utf8) && !response.headers.contains(name: "grpc-status"))
            let trailers = try #require(response.trailers)
            #expect(trailers.values(for: "x-sum") == ["a", "b"] && trailers["grpc-status"] == "0")
            #expect(trailers.count == 4)
        }

        @Test(arguments: versions) func streamedResponseHasTrailersAtItsEnd(_ versions: MockHTTPVersions) async throws {
            let answer = MockResponse.chunked(["one", "two"], delay: 0.02).trailers(Self.trailers)
            let lab = try await HTTP2Lab(versions: versions) { _ in answer }
            for _ in 0..<2 {
                let response = try await lab.transport.stream(lab.server.url)
                let copy = response
                var body = Data()
                for try await chunk in response.body { body += chunk }
                #expect(body == Data("onetwo".utf8))
                #expect(response.trailers?["grpc-message"] == "fine" && copy.trailers == response.trailers)
            }
        }

        @Test(arguments: versions) func missingTrailersAreEmpty(_ versions: MockHTTPVersions) async throws {
            let lab = try await HTTP2Lab(versions: versions) { $0.path == "/chunks" ? .chunked(["a"]) : .text("a") }
            for path in ["/", "/chunks"] {
                let url = lab.server.url(path)
                #expect(try await lab.transport.response(url).trailers == [:])
                let stream = try await lab.transport.stream(url)
                _ = try await stream.body.collect(upTo: 10)
                #expect(stream.trailers == [:])
            }
        }

        @Test func grpcStatusIsInTheTrailers() async throws {
            let lab = try await HTTP2Lab { request in
                MockResponse(headers: ["Content-Type": "application/grpc"], body: .data(request.body))
                    .trailers(["grpc-status": request.headers["TE"] == "trailers" ? "0" : "3"])
            }
            let fields = ["TE": "trailers", "Content-Type": "application/grpc"]
            let request = URLRequest(lab.server.url("/echo.Echo/Say"), "POST", headers: fields)
            let message = Data([0, 0, 0, 0, 2, 8, 1])
            let (data, response) = try await lab.client().data(for: request, body: HTTPBody(message))
            #expect(data == message && response.version == .http2 && response.trailers == ["grpc-status": "0"])
        }

        /// RFC 9110, section 6.5.1: none of these means anything after the body.
        @Test(arguments: versions) func trailersDoNotActAsHeaders(_ versions: MockHTTPVersions) async throws {
            var forbidden: HTTPHeaders = [
                "Content-Length": "3", "Content-Encoding": "gzip", "Set-Cookie": "a=1", "Location": "/elsewhere",
                "Cache-Control": "max-age=60", "Status": "500",
            ]
            // A second length breaks the rules of HTTP/2 itself.
            if versions != .http1Only { forbidden.remove(name: "Content-Length") }
            let answer = MockResponse.text("longer than 3").trailers(forbidden)
            let lab = try await HTTP2Lab(versions: versions) { _ in answer }
            let client = lab.client()
            for _ in 0..<2 {
                let (data, response) = try await client.data(for: URLRequest(url: lab.server.url))
                #expect(data == Data("longer than 3".utf8) && response.wire == nil && response.status == 200)
                for name in forbidden.map(\.name) where name != "Content-Length" {
                    #expect(!response.headers.contains(name: name))
                }
                #expect(response.trailers?.count == forbidden.count)
            }
            #expect(lab.server.requests.allSatisfy { !$0.headers.contains(name: "Cookie") })
            #expect("\(try await client.data(for: URLRequest(url: lab.server.url)).response)".contains("a=1") == false)
        }

        @Test(arguments: versions, [false, true])
        func trailersOverTheHeaderLimitAreRefused(_ versions: MockHTTPVersions, streamed: Bool) async throws {
            var trailers = HTTPHeaders()
            for index in 0..<40 { trailers.append(name: "X-\(index)", value: String(repeating: "x", count: 100)) }
            let answer = MockResponse.text("body").trailers(trailers)
            let lab = try await HTTP2Lab(versions: versions) { _ in answer }
            try await lab.transport { $0.limits.headerBytes = 2_000 }.expectFailure(
                .headersTooLarge, phase: .receivingBody, of: lab.server.url, streamed: streamed)
            #expect(try await lab.transport.fetch(lab.server.url, streamed: streamed).status == 200)
        }

        @Test(arguments: versions) func truncatedBodyHasNoTrailers(_ versions: MockHTTPVersions) async throws {
            let answer = MockResponse.chunked(["a", "b"]).trailers(Self.trailers).fault(.truncatedChunkedBody)
            let lab = try await HTTP2Lab(versions: versions) { _ in answer }
            let response = try await lab.transport.stream(lab.server.url)
            await #expect(throws: (any Error).self) { try await response.body.collect(upTo: 100) }
            #expect(response.trailers == nil)
        }

        @Test func encodedBodyKeepsItsTrailers() async throws {
            let answer = MockResponse.gzippedZeros(count: 100_000).trailers(Self.trailers)
            let lab = try await HTTP2Lab(versions: .http1Only) { _ in answer }
            let whole = try await lab.transport.response(lab.server.url)
            #expect(whole.body.length == 100_000 && whole.trailers?["grpc-status"] == "0")
            let stream = try await lab.transport.stream(lab.server.url)
            #expect(try await stream.body.collect(upTo: 1 << 20).count == 100_000)
            #expect(stream.trailers?["grpc-status"] == "0")
        }
    }
#endif
