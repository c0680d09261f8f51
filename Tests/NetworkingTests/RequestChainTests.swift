import NetTesting
import Networking
import TestLab
import Testing

@Suite struct RequestChainTests {
    let server: MockServer
    let networking = Networking()
    private let print = Transcript()
    private let log = Transcript()
    private let logger: NetworkLogger

    init() throws {
        server = try MockServer()
        server.on("/me", .json(text: #"{"id": 1, "name": "Leia"}"#))
        logger = NetworkLogger(sinks: [ClosureSink { [log] in log($0.level, $0.visibleMessage) }])
    }

    @Test func oneChainIsOneRequest() async throws {
        networking.request(url: server.url("/me")).responseDecodable(of: User.self) { print("1", $0.value?.name) }
            .responseData { print("2", $0.value?.count) }.responseString { print("3", $0.value?.count) }.responseVoid {
                print("4", $0.isSuccess)
            }.response(serializer: DataSerializer()) { print("5", $0.statusCode) }
        #expect(try await (print.said(5), server.requests.count) == (["1 Leia", "2 25", "3 25", "4 true", "5 200"], 1))
    }

    @Test func eachHandlerHasItsQueue() async throws {
        MarkedQueue.markMain()
        networking.request(url: server.url("/me"))
            .responseDecodable(of: User.self, queue: MarkedQueue.make("decoding")) { print("decoding", $0.value?.name) }
            .responseData(queue: MarkedQueue.make("data")) { print("data", $0.value?.count) }
            .responseString(queue: MarkedQueue.make("string")) { print("string", $0.value?.count) }
            .responseVoid(queue: MarkedQueue.make("void")) { print("void", $0.isSuccess) }
            .responseVoid { print("main", $0.isSuccess) }
        #expect(try await print.said(5).count == 5)
        for (line, queue) in zip(print.texts, print.queues) { #expect(line.hasPrefix(queue ?? "no queue")) }
    }

    @Test func lateHandlersAreCalledInOrder() async throws {
        struct Slow: ResponseSerializer {
            func serialize(_ data: Data, response: TransportResponse) throws { usleep(50_000) }
        }
        let chain = networking.chain(RequestConfig(url: server.url("/me")))
        chain.responseVoid { print("early", $0.isSuccess) }
        _ = try await print.said()
        for round in 1...20 {
            chain.response(serializer: Slow()) { print("slow", $0.isSuccess) }
            chain.responseVoid { print("quick", $0.isSuccess) }
            #expect(try await print.said(1 + 2 * round).suffix(2) == ["slow true", "quick true"])
        }
        chain.resume()
        chain.responseDecodable(of: User.self) { print("last", $0.value?.name) }
        #expect(try await (print.said(42).last, server.requests.count) == ("last Leia", 1))
    }

    @Test func chainWithoutAHandlerSendsNothing() async throws {
        _ = networking.chain(RequestConfig(url: server.url("/me"))).cURLLog()
        // Had it been sent, it would have been before this one.
        try await networking.request(url: server.url("/me?second"))
        #expect(server.requests.map(\.target) == ["/me?second"])
    }

    @Test func resumeSendsWithoutAHandler() async throws {
        networking.chain(RequestConfig(url: server.url("/me"))).resume().resume()
        #expect(try await (server.takeRequest().target, server.requests.count) == ("/me", 1))
    }

    @Test func cancelStopsTheTransfer() async throws {
        server.on("/slow", .fault(.stall(.beforeResponse)))
        let chain = networking.chain(RequestConfig(url: server.url("/slow"), retryCount: 3))
        chain.responseVoid { print($0.error?.code) }
        chain.responseDecodable { (response: NetworkResponse<User>) in print(response.error?.code) }
        _ = try await server.takeRequest()
        chain.cancel()
        #expect(try await print.said(2) == ["cancelled", "cancelled"])
        try await server.waitForOpenConnections()
        #expect(server.requests.count == 1)
        chain.cancel()
    }

    @Test func cancelBeforeItWasSent() async throws {
        let chain = networking.chain(RequestConfig(url: server.url("/me")))
        chain.cancel()
        chain.responseVoid { print($0.error?.code) }
        #expect(try await print.line() == "cancelled" && server.requests.isEmpty)
    }

    @Test func curlLogHoldsNoSecret() async throws {
        let chain = Networking(logger: logger).chain(
            RequestConfig(
                url: server.url("/login"), method: .post, queryParameters: ["key": "s3cret"],
                bodyParameters: ["password": "s3cret"],
                headers: [.authorization(bearerToken: "s3cret"), .accept("application/json")])
        ).cURLLog()
        await logger.flush()
        let line = try #require(log.texts.first)
        #expect(log.texts.count == 1 && !line.contains("s3cret"))
        for part in [
            "curl -X POST", "'Authorization: [REDACTED]'", "'Accept: application/json'", "/login?key=[REDACTED]",
        ] { #expect(line.contains(part), "\(line)") }
        chain.cancel()
    }

    @Test func curlLogOfAnInvalidRequestIsAnError() async throws {
        let chain = Networking(logger: logger).chain(RequestConfig(url: server.url("/"), headers: ["X-A": "1\r\n2"]))
            .cURLLog()
        await logger.flush()
        #expect(log.texts.count == 1)
        #expect(
            log.texts.first?.hasPrefix("error No cURL line: The request could not be built. The header 'X-A' ") == true)
        chain.cancel()
    }

    /// A chain without a handler does nothing, which is seldom meant.
    @Test func unsentChainLogsAWarning() async throws {
        let networking = Networking(logger: logger)
        var chain: RequestChain? = networking.chain(RequestConfig(url: server.url("/me?token=s3cr3t"), method: .put))
        await logger.flush()
        #expect(log.texts.isEmpty)
        chain = nil
        _ = chain
        await logger.flush()
        #expect(
            log.texts == [
                "warning PUT http://127.0.0.1:\(server.port)/me?token=[REDACTED] was released without having been sent. "
                    + "Attach a handler, or call resume()."
            ])
        #expect(server.requests.isEmpty)
    }

    #if os(Linux)
        /// Elsewhere, the unified log has it. The process ends at once, as a `main.swift` does after its last line.
        @Test(.ownProcess) func unsentChainWithoutALoggerWarnsOnStandardError() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let url = try #require(URL(string: "https://a.example/me"))
                _ = Networking().chain(RequestConfig(url: url, method: .put))
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("PUT https://a.example/me was released without having been sent."))
            #expect(text.contains("Attach a handler, or call resume()."))
        }
    #endif

    @Test func sentOrCancelledChainLogsNoWarning() async throws {
        let silent = Networking(logger: logger)
        silent.chain(RequestConfig(url: server.url("/me"))).responseVoid { print($0.isSuccess) }
        _ = try await print.said()
        silent.chain(RequestConfig(url: server.url("/me"))).cancel()
        // Kept, and sent later.
        let kept = silent.chain(RequestConfig(url: server.url("/me")))
        await logger.flush()
        kept.responseVoid { print($0.isSuccess) }
        _ = try await print.said(2)
        await logger.flush()
        #expect(!log.texts.contains { $0.contains("released") })
    }
}
