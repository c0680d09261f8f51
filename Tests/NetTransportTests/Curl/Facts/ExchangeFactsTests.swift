#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// The steps of an exchange, as observers are told them, and the fields after the body, over HTTP/1.1 and HTTP/2.
    @Suite(.timeLimit(.minutes(5))) struct ExchangeFactsTests {
        private static let opened = ["nameLookedUp", "connecting", "connected"]
        private static let answered = ["requestSent", "firstByteReceived"]
        private static let versions = [MockHTTPVersions.http1Only, .automatic]

        @Test(arguments: [false, true]) func newAndReusedConnectionsReportTheirSteps(streamed: Bool) async throws {
            let (server, transport) = (try MockServer { _ in .text("ok") }, CurlTransport())
            for expected in [Self.opened + Self.answered, Self.answered] {
                let steps = StepRecorder()
                _ = try await transport.fetch(server.url, streamed: streamed, context: steps.context)
                #expect(steps.kinds == expected)
            }
        }

        @Test(arguments: versions) func tlsHandshakeReportsSecured(_ versions: MockHTTPVersions) async throws {
            let lab = try await HTTP2Lab(versions: versions)
            let (transport, first, next) = (lab.transport, StepRecorder(), StepRecorder())
            let response = try await transport.response(lab.server.url, context: first.context)
            #expect(first.kinds == Self.opened + ["secured"] + Self.answered)
            #expect(first.names[1] == "connecting 127.0.0.1:\(lab.server.port)")
            #expect(first.secured == response.connection && first.secured?.tlsVersion == .v1_3)
            #expect(first.secured?.applicationProtocol == (versions == .automatic ? "h2" : nil))
            _ = try await transport.response(lab.server.url, context: next.context)
            #expect(next.kinds == Self.answered)
        }

        @Test(arguments: versions) func eachKindOfBodyReportsRequestSent(_ versions: MockHTTPVersions) async throws {
            let lab = try await HTTP2Lab(versions: versions) { .text("\($0.bodyLength)") }
            _ = try await lab.transport.fetch(lab.server.url)
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try Data(count: 300_000).write(to: file)
            for body in [
                HTTPBody("small"), HTTPBody(Data(count: 2 << 20)), try HTTPBody(file: file), oneShot("stream"),
                HTTPBody(Data()),
            ] {
                let steps = StepRecorder()
                let reply = try await lab.transport.fetch(lab.server.url, "POST", body: body, context: steps.context)
                #expect(reply.status == 200 && steps.kinds == Self.answered, "\(body)")
            }
            withExtendedLifetime(folder) {}
        }

        @Test func earlyResponseReportsNoRequestSent() async throws {
            let server = try MockServer()
            server.on("*", .text("no", status: 413).beforeRequestBody())
            let steps = StepRecorder()
            let body = HTTPBody(pulling: {
                try await SystemClock().sleep(for: .infinity)
                return nil
            })
            let response = try await CurlTransport().response(
                server.url, "POST", body: body, streamed: true, context: steps.context)
            #expect(response.status == 413 && steps.kinds == Self.opened + ["firstByteReceived"])
        }

        @Test(arguments: versions) func stepsAreReportedAsTheyHappen(_ versions: MockHTTPVersions) async throws {
            let steps = StepRecorder()
            let lab = try await HTTP2Lab(versions: versions) { _ in
                let isSent = try? await waitUntil("the request was sent", within: 60) {
                    steps.kinds.last == "requestSent" ? true : nil
                }
                return .text("\(isSent ?? false)")
            }
            #expect(try await lab.transport.fetch(lab.server.url, context: steps.context).body == Data("true".utf8))
        }

        @Test func connectionThatFailsReportsTheStepsBefore() async throws {
            for (host, code, phase, expected) in [
                ("127.0.0.1", .connectionRefused, .connecting, ["nameLookedUp", "connecting 127.0.0.1:1"]),
                ("no-such-host.invalid", .nameNotResolved, .resolving, []),
            ] as [(String, TransportError.Code, TransportError.Phase, [String])] {
                let steps = StepRecorder()
                let url = try url("http://\(host):1/")
                try await CurlTransport().expectFailure(code, phase: phase, of: url, context: steps.context)
                #expect(steps.names == expected)
            }
        }

        /// The steps stand between the pipeline's events.
        @Test func retriesAndRedirectsHaveExchangeNumbers() async throws {
            let server = try MockServer()
            server.enqueue(.status(503), .redirect(to: "/b"), .text("there"))
            let (recorder, policy) = (StepRecorder(), RetryPolicy(maxRetries: 1, delay: .immediate))
            let client = NetworkClient(retryPolicy: policy, transport: CurlTransport(), callInterceptors: [recorder])
            #expect(try await client.data(for: URLRequest(url: server.url("/a"))).data == Data("there".utf8))
            let rest = Self.answered + ["responded"]
            let expected = ["sending"] + Self.opened + rest + ["retrying", "sending"] + rest + ["sending"] + rest
            #expect(recorder.kinds == expected)
            let numbers = recorder.exchanges.compactMap(\.self)
            #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
            #expect(recorder.exchanges.count == numbers.count + 1)
        }

        @Test func hedgedRequestsHaveDifferentExchangeNumbers() async throws {
            let arrived = Locked(UInt64(0))
            let server = try MockServer { _ in
                let number = arrived.next()
                // The first is not answered.
                if number == 1 { _ = try? await waitUntil("forever", within: 30) { nil as Bool? } }
                return .text("\(number)")
            }
            let recorder = StepRecorder()
            let pipeline = PlainPipeline(
                interceptors: [recorder, HedgingInterceptor(delay: 0.05)], transport: CurlTransport(), clock: .system)
            let response = try await pipeline.response(for: URLRequest(url: server.url))
            #expect(response.body.data == Data("2".utf8))
            let sent = Dictionary(grouping: zip(recorder.exchanges, recorder.kinds), by: \.0).mapValues { $0.map(\.1) }
            #expect(sent.count == 2 && sent[nil] == nil)
            #expect(sent.values.allSatisfy { $0.starts(with: ["sending"] + Self.opened + ["requestSent"]) })
            #expect(sent.values.filter { $0.contains("firstByteReceived") }.count == 1)
        }

        @Test func observersWithoutStepsGetNoSteps() async throws {
            let (server, silent) = (try MockServer { _ in .text("ok") }, StepRecorder(observesSteps: false))
            _ = try await CurlTransport().fetch(server.url, context: silent.context)
            #expect(silent.kinds.isEmpty && silent.context.stepReport == nil)
            let both = StepRecorder()
            var context = both.context
            context.observers.append(silent)
            _ = try await CurlTransport().fetch(server.url, context: context)
            #expect(silent.kinds.isEmpty && both.kinds == Self.opened + Self.answered)
        }

        // MARK: Trailers

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
