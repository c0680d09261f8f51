@testable import NetClient

@Suite struct OfflineGuardTests {
    private let offline = MockConnectionMonitor(isReachable: false)

    @Test func offlineCallFailsWithoutSending() async throws {
        let transport = StubTransport()
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 3), transport: transport, connectionMonitor: offline)
        let failure = try await failure { try await client.response(for: request()) }
        #expect(failure.cause == .noInternetConnection && failure.kind == .noConnection)
        #expect(failure.request?.url?.host == "a.example" && failure.retryAttempt == nil && transport.exchanges.isEmpty)
    }

    @Test func callsFollowTheMonitor() async throws {
        let monitor = MockConnectionMonitor()
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() }, connectionMonitor: monitor)
        #expect(try await client.response(for: request()).status == 200)
        monitor.isReachable = false
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        monitor.isReachable = true
        #expect(try await client.response(for: request()).status == 200)
    }

    @Test(arguments: ["http://localhost:8080/", "http://127.0.0.1/", "http://[::1]/", "http://app.localhost/"])
    func loopbackNeedsNoNetwork(_ url: String) async throws {
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() }, connectionMonitor: offline)
        #expect(try await client.response(for: request(url)).status == 200)
    }

    @Test func redirectFromLoopbackNeedsTheNetwork() async throws {
        let transport = StubTransport(.success(answer(302, headers: ["Location": "http://a.example/"])))
        let client = NetworkClient(transport: transport, connectionMonitor: offline)
        let failure = try await failure { try await client.response(for: request("http://localhost/")) }
        #expect(failure.cause == .noInternetConnection)
    }

    @Test func cacheAnswersOffline() async throws {
        let cache = StubCache { _, _ in answer(200, "stored") }
        let client = NetworkClient(cache: cache, transport: StubTransport(), connectionMonitor: offline)
        #expect(try await client.response(for: request()).body.data == Data("stored".utf8))
    }
}

@Suite(.timeLimit(.minutes(5))) struct OfflineWaitTests {
    private let script = StatusScript(first: .offline)
    private let clock = TestClock()
    private let transport = StubTransport { _, _, _ in answer() }

    private func client(
        _ policy: Resilience.OfflinePolicy, monitor: (any ConnectionMonitoring)? = nil,
        _ transport: StubTransport? = nil
    ) -> NetworkClient {
        NetworkClient(
            transport: transport ?? self.transport, resilience: Resilience(offline: policy),
            connectionMonitor: monitor ?? script.monitor(), clock: clock)
    }

    private func failed(_ client: NetworkClient, context: RequestContext? = nil) async -> NetworkFailure? {
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request(), context: context) }
    }

    private func expectNoSleepers() async throws {
        try await waitUntil("no task sleeps") { clock.sleeperCount == 0 ? () : nil }
    }

    @Test func callIsSentWhenOnlineAgain() async throws {
        let client = client(.wait(timeout: 30))
        let call = Task { try await client.response(for: request()) }
        try await clock.waitForSleepers()
        script.say(ConnectionStatus(isReachable: false, interfaceType: .other))
        await clock.advance(by: 29)
        #expect(transport.exchanges.isEmpty)
        script.say(.online)
        #expect(try await call.value.status == 200 && clock.sleeps == [30] && transport.exchanges.count == 1)
        try await expectNoSleepers()
    }

    @Test func onlineCallDoesNotWait() async throws {
        let client = client(.wait(timeout: 30), monitor: StatusScript().monitor())
        #expect(try await client.response(for: request()).status == 200 && clock.sleeps.isEmpty)
    }

    @Test func allWaitingCallsAreSentWhenOnline() async throws {
        let client = client(.wait())
        async let statuses = atOnce(500) { _ in try await client.response(for: request()).status }
        for _ in 0..<200 { await Task.yield() }
        script.say(.online)
        #expect(try await statuses.allSatisfy { $0 == 200 } && transport.exchanges.count == 500 && clock.sleeps.isEmpty)
    }

    @Test func timeoutEndsTheWait() async throws {
        let client = client(.wait(timeout: 30))
        let call = Task { await failed(client) }
        try await clock.advance(by: 30, whenSleeping: 1)
        let failure = await call.value
        #expect(failure?.cause == .noInternetConnection && failure?.request?.url?.host == "a.example")
        #expect(transport.exchanges.isEmpty && clock.sleeps == [30])
    }

    @Test func deadlineEndsTheWait() async throws {
        let client = client(.wait(timeout: 30))
        let context = clock.context(deadline: clock.uptime + 5)
        let call = Task { await failed(client, context: context) }
        try await clock.advance(by: 5, whenSleeping: 1)
        let failure = await call.value
        #expect(failure?.cause == .timeout && clock.sleeps.allSatisfy { $0 == 5 })
        #expect(failure?.underlyingError as? NetworkError == .noInternetConnection)
    }

    @Test(arguments: [0, -1, .nan]) func invalidTimeoutFailsImmediately(_ timeout: TimeInterval) async {
        #expect(await failed(client(.wait(timeout: timeout)))?.cause == .noInternetConnection)
        #expect(clock.sleeps.isEmpty && transport.exchanges.isEmpty)
    }

    @Test(arguments: [30 as TimeInterval?, nil], [true, false])
    func cancellationAndShutdownEndTheWait(_ timeout: TimeInterval?, isShutdown: Bool) async throws {
        let client = client(.wait(timeout: timeout))
        let call = Task { await failed(client) }
        if timeout != nil {
            try await clock.waitForSleepers()
        } else if isShutdown {
            for _ in 0..<200 { await Task.yield() }
        }
        if isShutdown { await client.shutdown(.cancel) } else { call.cancel() }
        let cause = await call.value?.cause
        // Without a sleeper the call may arrive after the shutdown.
        #expect(cause == .cancelled || isShutdown && timeout == nil && cause?.code == "unsupported")
        try await expectNoSleepers()
        #expect(transport.exchanges.isEmpty)
    }

    @Test func callIsSentWhenTheMonitorStops() async throws {
        let monitor = script.monitor()
        let client = client(.wait(timeout: 30), monitor: monitor)
        let call = Task { try await client.response(for: request()) }
        try await clock.waitForSleepers()
        monitor.stopMonitoring()
        #expect(try await call.value.status == 200)
    }

    @Test func monitorWithoutChangesFailsImmediately() async {
        struct Silent: ConnectionMonitoring { let isReachable = false }
        let failure = await failed(client(.wait(), monitor: Silent()))
        #expect(failure?.cause == .noInternetConnection)
        #expect((failure?.underlyingError as? NetworkError)?.code == "unsupported", "says why it did not wait")
    }

    @Test(arguments: [
        ("http://printer.lan/", true), ("http://PRINTER.lan:631/x", true), ("http://printer.lan./", true),
        ("http://a.printer.lan/", false), ("http://nas.local/", true), ("http://a.b.LOCAL/", true),
        ("http://local/", false), ("http://notlocal/", false), ("http://192.168.1.5/", true),
        ("http://192.168.1.50/", false), ("http://[fd00::5]/", true), ("http://[FD00::5]:80/", true),
        ("http://a.example/", false), ("http://localhost/", true), ("http://127.0.0.1/", true),
    ]) func localHosts(_ url: String, _ isLocal: Bool) {
        let policy = Resilience.OfflinePolicy(localHosts: ["printer.lan", "*.local", "192.168.1.5", "fd00::5", ""])
        #expect(policy.isLocal(URL(string: url)) == isLocal)
        #expect(!Resilience.OfflinePolicy(localHosts: ["", "*."]).isLocal(URL(string: "http://a.example/")))
    }

    @Test func callsToLocalHostsAreSentOffline() async throws {
        let client = client(Resilience.OfflinePolicy(localHosts: ["printer.lan"]))
        #expect(try await client.response(for: request("http://printer.lan/")).status == 200)
        #expect(await failed(client)?.cause == .noInternetConnection && transport.exchanges.count == 1)
    }

    // MARK: The transport reports to be offline, which the monitor may not know

    private static let report = NetworkFailure(cause: .noInternetConnection)
    private let online = StatusScript()
    private let reporting = StubTransport(.failure(report), .failure(report), .success(answer()))

    private func reportingClient(
        _ policy: Resilience.OfflinePolicy, _ transport: StubTransport? = nil
    ) -> NetworkClient { client(policy, monitor: online.monitor(), transport ?? reporting) }

    /// The sleeps without the empty ones between attempts.
    private var waits: [TimeInterval] { clock.sleeps.filter { $0 > 0 } }

    @Test(arguments: [true, false]) func callIsRepeatedUntilOnline(_ hasMonitor: Bool) async throws {
        let client = reportingClient(.wait()).with { if !hasMonitor { $0.connectionMonitor = nil } }
        let response = try await clock.run { try await client.response(for: request("https://a.example/", .post)) }
        #expect(response.status == 200 && reporting.exchanges.count == 3)
        #expect(response.retryTrace.retries.map(\.reason) == [.offline, .offline] && waits == [1, 2])
    }

    /// The clock does not advance, so only the monitor can end the wait.
    @Test func networkChangeEndsTheWait() async throws {
        let client = reportingClient(.wait(timeout: 60))
        let changes = Task { [online] in
            while !Task.isCancelled {
                online.say(.offline)
                await Task.yield()
                online.say(.online)
                await Task.yield()
            }
        }
        defer { changes.cancel() }
        #expect(try await client.response(for: request()).status == 200)
    }

    @Test func timeoutCoversTheWaitsAfterAllReports() async throws {
        let transport = StubTransport { _, _, _ in throw Self.report }
        let client = reportingClient(.wait(timeout: 5), transport)
        let failure = try await failure { try await clock.run { try await client.response(for: request()) } }
        #expect(failure.cause == .noInternetConnection && waits == [1, 2, 2] && transport.exchanges.count == 3)
    }

    @Test func deadlineEndsTheWaitAfterAReport() async throws {
        let client = reportingClient(.wait(), StubTransport { _, _, _ in throw Self.report })
        let context = clock.context(deadline: clock.uptime + 2)
        let call = Task { [clock] in
            try await clock.run { try await client.response(for: request(), context: context) }
        }
        #expect(try await failure { try await call.value }.cause == .timeout)
    }

    @Test(arguments: [Resilience.OfflinePolicy.failImmediately, .wait(timeout: 0)])
    func policyWithoutAWaitFailsImmediately(_ policy: Resilience.OfflinePolicy) async throws {
        let client = reportingClient(policy)
        let failure = try await failure { try await client.response(for: request()) }
        #expect(failure.cause == .noInternetConnection && reporting.exchanges.count == 1 && clock.sleeps.isEmpty)
    }

    @Test func oneShotBodyIsNotSentAgain() async throws {
        let client = reportingClient(.wait())
        let failure = try await failure {
            try await client.response(for: request("https://a.example/", .post), body: oneShot(""))
        }
        #expect(failure.cause == .noInternetConnection && clock.sleeps.isEmpty)
    }

    @Test func shutdownEndsTheWaitAfterAReport() async throws {
        let client = reportingClient(.wait())
        let call = Task { try await client.response(for: request()) }
        try await clock.waitForSleepers()
        await client.shutdown(.cancel)
        #expect(try await failure { try await call.value }.cause == .cancelled)
    }
}
