import NetTesting
import Networking
import Testing

/// Seed 003: Long Polling. The snippets stand as written there; `Message`, `handleMessages` and the server are the test's.
@Suite(.timeLimit(.minutes(5))) struct Seed003LongPollingTests {
    typealias APIEnvironment = Seed003.APIEnvironment
    private let print = Transcript()

    struct Message: Codable, Sendable { let type: String }

    struct MessagesEndpoint: LongPollingEndpoint {
        var path: String { "/messages/poll" }
        var method: HTTPMethod { .get }

        // Optional: customize polling behavior
        var pollingTimeout: TimeInterval { 30 }  // Default: 30s
        var retryInterval: TimeInterval { 1 }  // Default: 1s

        typealias Response = [Message]

        // Optional: stop polling based on response
        func shouldContinuePolling(after response: [Message]) -> Bool {
            // Continue polling until we receive a specific message
            !response.contains { $0.type == "disconnect" }
        }
    }

    /// A server that has these batches of messages, and the client of the seed.
    private func withBatches(
        _ batches: [String]..., body: (NetworkClient, MockServer) async throws -> Void
    ) async throws {
        let server = try MockServer { _ in .ok.fault(.stall(.beforeResponse)) }
        server.enqueue(batches.map { .json($0.map(Message.init)) })
        try await Seed003.$baseURL.withValue(server.url) {
            try await body(NetworkClient(environment: APIEnvironment()), server)
        }
        await server.stop()
    }

    @Test func basicPolling() async throws {
        try await withBatches(["text"], ["text", "disconnect"]) { client, server in
            // Basic polling
            for await messages in client.poll(MessagesEndpoint()) {
                print("New messages: \(messages.count)")
            }
            #expect(print.texts == ["New messages: 1", "New messages: 2"])
            #expect(server.requests.map(\.description) == ["GET /messages/poll", "GET /messages/poll"])
        }
    }

    @Test func withCustomConfiguration() async throws {
        try await withBatches(["a"], ["disconnect"]) { client, server in
            var count = 0
            func handleMessages(_ messages: [Message]) { count += messages.count }
            // With custom configuration
            for await messages in client.poll(MessagesEndpoint(), configuration: .realtime) {
                handleMessages(messages)
            }
            #expect(count == 2)
        }
    }

    @Test func limitToFirstResponses() async throws {
        try await withBatches(["1"], ["2"], ["3"]) { client, server in
            // Limit to first N responses
            for await messages in client.poll(MessagesEndpoint()).first(2) { print("Got batch: \(messages[0].type)") }
            #expect((print.texts, server.requestCount) == (["Got batch: 1", "Got batch: 2"], 2))
        }
    }

    @Test func stopBasedOnCondition() async throws {
        try await withBatches(["1"], [], ["3"]) { client, server in
            var count = 0
            func process(_ messages: [Message]) { count += 1 }
            // Stop based on condition
            for await messages in client.poll(MessagesEndpoint()).while({ !$0.isEmpty }) {
                process(messages)
            }
            #expect(count == 1 && server.requestCount == 2)
        }
    }

    @Test(
        arguments: [
            // Short: 10s timeout, 0.5s retry (real-time critical)
            (LongPollingConfiguration.short, 10, 0.5),
            // Standard: 30s timeout, 1s retry (balanced)
            (LongPollingConfiguration.standard, 30, 1),
            // Long: 60s timeout, 2s retry (low server load)
            (LongPollingConfiguration.long, 60, 2),
            // Realtime: 15s timeout, 0.1s retry (aggressive)
            (LongPollingConfiguration.realtime, 15, 0.1),
        ] as [(LongPollingConfiguration, TimeInterval, TimeInterval)])
    func configurationPresets(config: LongPollingConfiguration, timeout: TimeInterval, interval: TimeInterval) {
        #expect(config.timeout == timeout && config.retryInterval == interval)
    }

    @Test func customConfiguration() {
        // Custom
        let config = LongPollingConfiguration(
            timeout: 45,
            retryInterval: 2.0,
            maxConsecutiveErrors: 10
        )
        #expect((config.timeout, config.retryInterval, config.maxConsecutiveErrors) == (45, 2, 10))
    }

    @Test func cancellation() async throws {
        try await withBatches(["1"]) { client, server in
            let (seen, announce) = AsyncStream<Int>.makeStream()
            let handleMessages = { @Sendable (messages: [Message]) in _ = announce.yield(messages.count) }
            let pollingTask = Task {
                for await messages in client.poll(MessagesEndpoint()) {
                    handleMessages(messages)
                }
            }
            for await count in seen {
                #expect(count == 1)
                break
            }

            // The second request is out: until then, the connection may be an idle one.
            for _ in 0..<2 { _ = try await server.takeRequest() }

            // Later: stop polling
            pollingTask.cancel()
            await pollingTask.value
            try await server.waitForOpenConnections()
        }
    }
}
