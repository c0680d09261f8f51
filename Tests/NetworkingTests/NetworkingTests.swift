import NetTesting
import Networking
import TestLab
import Testing

@Suite struct NetworkingTests {
    let server: MockServer

    init() throws { server = try MockServer { _ in .text("hello") } }

    private func text(_ networking: Networking) async throws -> String {
        try await networking.request(url: server.url("/"))
    }

    @Test func everyInitializerSends() async throws {
        var configuration = TransportConfiguration()
        configuration.timeouts.idle = 60
        for networking in [
            Networking(), Networking(configuration: configuration),
            Networking(session: URLSession(configuration: .ephemeral)),
            Networking(sessionProvider: DefaultSessionProvider()),
            Networking(sessionProvider: DefaultSessionProvider(configuration: .ephemeral)),
        ] { #expect(try await text(networking) == "hello") }
        #expect(server.requests.count == 5)
    }

    @Test func retriesAndTimeoutsWithoutAConfiguration() async throws {
        let networking = Networking(retryPolicy: RetryPolicy(maxRetries: 1, delay: .fixed(0)))
        server.enqueue(.status(503))
        #expect(try await text(networking) == "hello" && server.requests.count == 2)
        let transport = StubTransport { request, _, _ in
            TransportResponse(status: 200, url: request.url, body: HTTPBody("\(request.timeoutInterval)"))
        }
        let stubbed = Networking(transport: transport)
        let timeout: String = try await stubbed.request(url: server.url("/"), timeout: 7)
        let ofPost: String = try await stubbed.request(url: server.url("/"), method: .post, body: 1, timeout: 8)
        #expect([timeout, ofPost] == ["7.0", "8.0"])
    }

    /// The document's configuration of a `URLCache`. The response is stale, so that only the policy lets the cache answer.
    @Test(arguments: [false, true]) func urlCacheOfSeed002IsUsed(throughAClient: Bool) async throws {
        let configuration = NetworkConfiguration(urlSessionConfiguration: Self.seed002Configuration())
        #expect(configuration.cachePolicy == .returnCacheDataElseLoad)
        let networking =
            throughAClient
            ? Networking(configuration: configuration.client) : Networking(configuration: Self.seed002Configuration())
        #expect(try await Self.requestsOfTwoCalls(server, networking) == 1)
    }

    @Test func processConfigurationHasItsOwnDefaults() {
        var configuration = NetworkConfiguration(authProvider: nil, cachePolicy: nil)
        configuration.timeoutInterval = 11
        #expect(configuration.authenticationProvider is NoAuthProvider && configuration.client.timeoutInterval == 11)
        #expect(configuration.cachePolicy == .useProtocolCachePolicy && configuration.retryPolicy.maxRetries == 3)
    }

    @Test func urlCacheAndResponseCacheAreRefused() async throws {
        let configuration = NetworkConfiguration(
            urlSessionConfiguration: Self.seed002Configuration(), cache: ResponseCache())
        let client = NetworkClient(configuration: configuration.client)
        let failure = await #expect(throws: NetworkFailure.self) {
            let _: EmptyResponse = try await client.execute(URLRequest(url: server.url("/stored")))
        }
        #expect(failure?.description.contains("urlCache") == true && server.requests.isEmpty)
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func urlCacheOfTheProcessIsUsed() async {
            await #expect(processExitsWith: .success) {
                NetworkManager.configure(urlSessionConfiguration: Self.seed002Configuration())
                let server = try MockServer()
                try #require(try await Self.requestsOfTwoCalls(server, Networking(client: NetworkClient())) == 1)
            }
        }
    #endif

    private static func seed002Configuration() -> URLSessionConfiguration {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 50 << 20, diskCapacity: 200 << 20, diskPath: folder.path)
        configuration.requestCachePolicy = .returnCacheDataElseLoad
        return configuration
    }

    /// How many of two calls for the same stale response arrive at the server.
    private static func requestsOfTwoCalls(_ server: MockServer, _ networking: Networking) async throws -> Int {
        server.on("/stored", .text("hello").header("Cache-Control", "max-age=0"))
        for _ in 1...2 {
            let stored: String = try await networking.request(url: server.url("/stored"))
            #expect(stored == "hello")
        }
        return server.requests.count
    }

    @Test func injectedLogger() async throws {
        let log = Transcript()
        let networking = Networking(logger: NetworkLogger(sinks: [ClosureSink { log($0.level, $0.visibleMessage) }]))
        _ = try await text(networking)
        server.enqueue(.status(500))
        let failed: NetworkResponse<String> = await networking.request(
            url: server.url("/fails"), queryParameters: ["token": "s3cret"])
        #expect(failed.statusCode == 500)
        await networking.logger.flush()
        #expect(log.texts.count == 4 && log.texts[0].hasPrefix("info ") && log.texts[0].contains("GET"))
        #expect(log.texts[1].contains("200") && log.texts[3].hasPrefix("error ") && log.texts[3].contains("500"))
        #expect(!log.texts.joined().contains("s3cret"))
    }

    /// Without a logger nothing is logged by itself; the default logger serves `cURLLog()` only.
    @Test func defaultsOfTheInitializer() async throws {
        let networking = Networking()
        #expect(networking.connectionMonitor is DefaultConnectionMonitor && networking.cache is NetworkCache)
        #expect(networking.logger.isEnabled)
    }

    /// On the real transport: the answer is there before a socket could have been, and loopback needs no network.
    @Test func offlineMonitorAllowsLoopback() async throws {
        let networking = Networking(connectionMonitor: MockConnectionMonitor(isReachable: false))
        let response: NetworkResponse<Data> = await networking.request(
            url: try #require(URL(string: "https://192.0.2.1/")))
        #expect(response.error == .noInternetConnection && response.failure?.transportError == nil)
        #expect(try await text(networking) == "hello")
    }

    @Test func requestAfterShutdownFails() async throws {
        let networking = Networking()
        _ = try await text(networking)
        await networking.shutdown()
        let response: NetworkResponse<Data> = await networking.request(url: server.url("/"))
        #expect((response.isSuccess, server.requests.count) == (false, 1))
    }
}
