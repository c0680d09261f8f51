#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Cancelling, closing and releasing at any moment.
    @Suite(.timeLimit(.minutes(5))) struct CurlLifetimeTests {
        @Test func cancellationAtAnyMomentLeavesTheTransportUsable() async throws {
            let server = try MockServer { _ in .bytes(count: 200_000) }
            let transport = CurlTransport { $0.limits.connectionsPerHost = 4 }
            _ = try await atOnce(300) { index in
                let body = index.isMultiple(of: 3) ? HTTPBody(Data(count: 300_000)) : nil
                let (method, streamed) = (body == nil ? "GET" : "POST", index.isMultiple(of: 2))
                let task = Task { try await transport.fetch(server.url, method, body: body, streamed: streamed).body }
                try await Task.sleep(nanoseconds: UInt64.random(in: 0..<20_000_000))
                task.cancel()
                do { #expect(try await task.value.count == 200_000) } catch is CancellationError {}
            }
            #expect(try await transport.fetch(server.url("/")).body.count == 200_000)
            await transport.shutdown()
            try await server.waitForOpenConnections()
        }

        @Test(arguments: [false, true]) func shutdownEndsRequestsInFlight(streamed: Bool) async throws {
            let server = try MockServer { _ in MockResponse.bytes(count: 1 << 25).throttled(bytesPerSecond: 100_000) }
            let transport = CurlTransport()
            let task = Task { try await transport.fetch(server.url("/"), streamed: streamed) }
            _ = try await waitUntil("the request is there") { server.requests.isEmpty ? nil : true }
            async let one: Void = transport.shutdown()
            async let two: Void = transport.shutdown()
            _ = await (one, two)
            await #expect { _ = try await task.value } throws: { ($0 as? TransportError)?.code == .shutDown }
            try await transport.expectFailure(.shutDown, of: server.url("/"))
            try await server.waitForOpenConnections()
        }

        @Test func unusedTransportShutsDown() async throws {
            let transport = CurlTransport()
            for _ in 0..<2 { await transport.shutdown() }
            try await transport.expectFailure(.shutDown, of: url("http://127.0.0.1:1/"))
        }

        @Test func streamedBodyRetainsItsTransport() async throws {
            let server = try MockServer { _ in .bytes(count: 5_000_000).throttled(bytesPerSecond: 50_000_000) }
            var transport: CurlTransport? = CurlTransport()
            weak let released = transport
            let response = try #require(try await transport?.stream(server.url("/")))
            transport = nil
            #expect(released != nil)
            #expect(try await response.body.collect(upTo: 1 << 26).count == 5_000_000)
        }

        @Test func releasedTransportClosesItsConnections() async throws {
            let server = try MockServer { _ in .ok }
            var transport: CurlTransport? = CurlTransport()
            _ = try await transport?.fetch(server.url("/"))
            #expect(server.openConnections == 1)
            transport = nil
            try await server.waitForOpenConnections()
        }

        @Test(.ownProcess) func slowReaderKeepsMemoryBounded() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer { _ in MockResponse.bytes(count: 300_000_000) }
                let transport = CurlTransport()
                let (response, before) = (try await transport.stream(server.url("/")), ResourceCensus())
                var count = 0
                for try await chunk in response.body {
                    count += chunk.count
                    #expect(chunk.count <= 1 << 20)
                    if count < 20_000_000 { try await Task.sleep(nanoseconds: 1_000_000) }
                }
                #expect(count == 300_000_000)
                let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
                #expect(growth < 30_000, "\(growth) KiB")
            }
        }

        @Test(.ownProcess, .unsanitized, .requires(.nginx)) func requestsLeakNoMemoryDescriptorOrThread() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let nginx = try await NginxServer()
                let (url, transport) = (small(nginx.httpURL), CurlTransport())
                let count = Volume.pick(quick: 2_000, full: 10_000)
                func round() async throws {
                    for _ in 0..<count { _ = try await transport.fetch(url) }
                    try await transport.fetchAtOnce(Array(repeating: url, count: count))
                }
                for _ in 0..<3 { try await round() }
                // What malloc keeps for later depends on how the threads were scheduled, and how many threads Dispatch keeps
                // depends on how many of them it last found asleep; both differ from round to round. A leak grows in every
                // round: so the best of five counts, and a leak of 200 bytes a request, or of one thread a round, fails all.
                var growths: [String] = []
                for _ in 0..<5 {
                    releaseFreeMemory()
                    let before = ResourceCensus()
                    try await round()
                    releaseFreeMemory()
                    let after = ResourceCensus()
                    guard
                        after.descriptors.count > before.descriptors.count
                            || (after.threads ?? 0) > (before.threads ?? 0)
                            || (after.residentKiB ?? 0) - (before.residentKiB ?? 0) > 2048
                    else { return }
                    growths.append(after.growth(since: before))
                }
                Issue.record("each of five rounds left something: \(growths.joined(separator: "\n"))")
            }
        }
    }

    /// A program may call `exit` while the threads of its clients are in OpenSSL.
    ///
    /// `EXIT_RUNS` sets the number of runs.
    @Suite(.timeLimit(.minutes(10)), .requires(.openssl)) struct ExitTests {
        private static let runs =
            ProcessInfo.processInfo.environment["EXIT_RUNS"].flatMap { Int($0) } ?? Volume.pick(quick: 15, full: 100)

        private let server: MockServer
        private let directory: TemporaryDirectory

        init() async throws {
            let certificate = try await MockCertificate.shared
            directory = try TemporaryDirectory()
            try certificate.authority.write(to: directory.file("authority.pem"))
            server = try MockServer(certificate: certificate)
            server.on("/kept", .text("kept"))
            server.on("/closed", MockResponse.text("closed").header("Connection", "close"))
        }

        @Test func exitDuringRequestsKeepsTheExitStatus() async throws {
            _ = try await atOnce(3) { [self] _ in
                for _ in 0..<Self.runs / 3 {
                    let process = try start("exit")
                    #expect(try await waitUntil("the program has ended") { process.termination } == .exited(42))
                    // Its exit handler ran, and its output was written.
                    #expect(process.output == "ready\nhandler\nbuffered\n")
                }
            }
            await server.stop()
        }

        @Test(arguments: [("handler", Termination.exited(43)), ("wait", .signalled(SIGTERM))])
        func signalDuringRequestsEndsTheProgram(_ mode: String, _ termination: Termination) async throws {
            for _ in 0..<Volume.pick(quick: 3, full: 20) {
                let process = try start(mode)
                _ = try await waitUntil("the program is at work") {
                    process.termination != nil || process.output.contains("ready") ? true : nil
                }
                process.send(signal: SIGTERM)
                #expect(try await waitUntil("the program has ended") { process.termination } == termination)
                #expect(process.output == (mode == "handler" ? "ready\nhandler\nbuffered\n" : "ready\n"))
            }
            await server.stop()
        }

        private func start(_ mode: String) throws -> BackgroundProcess {
            try BackgroundProcess(
                Executable.beside("exit-worker"),
                [server.url.absoluteString, directory.file("authority.pem").path, mode])
        }
    }
#endif
