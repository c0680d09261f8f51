#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// The steps of an exchange, as observers are told them.
    @Suite(.timeLimit(.minutes(5))) struct StepTests {
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
            let (steps, gate) = (StepRecorder(), Locked<CheckedContinuation<Void, Never>?>(nil))
            let body = HTTPBody(pulling: {
                await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
                return nil
            })
            let response = try await CurlTransport().response(
                server.url, "POST", body: body, streamed: true, context: steps.context)
            #expect(response.status == 413 && steps.kinds == Self.opened + ["firstByteReceived"])
            gate.withLock { $0 }?.resume()
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

        @Test func refusedConnectionReportsConnectingOnly() async throws {
            let steps = StepRecorder()
            _ = try await CurlTransport().failure(url("http://127.0.0.1:1/"), context: steps.context)
            #expect(steps.names == ["nameLookedUp", "connecting 127.0.0.1:1"])
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
            let arrived = Locked(0)
            let server = try MockServer { _ in
                let number = arrived.withLock { count in
                    count += 1
                    return count
                }
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
    }
#endif
