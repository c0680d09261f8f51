import Foundation
import Logging
import NetClient
import NetCore
import NetTesting
import NetworkingServiceLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite struct NetworkClientServiceTests {
    /// A server whose answers wait for `answer`.
    private struct LateServer {
        let server: MockServer
        let answer: @Sendable () -> Void

        init() throws {
            let server = try MockServer()
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            server.on("/late") { _ in
                for await _ in stream { break }
                return .text("late")
            }
            self.server = server
            answer = { continuation.finish() }
        }

        /// A call in flight: the server has its request.
        func call(_ client: NetworkClient) async throws -> Task<Data, any Error> {
            let request = URLRequest(url: server.url("/late"))
            let task = Task { try await client.data(for: request).data }
            while server.requestCount == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
            return task
        }
    }

    /// Returns when the client refuses calls.
    private func waitUntilRefusing(_ client: NetworkClient, _ url: URL) async throws {
        while true {
            do {
                _ = try await client.data(for: URLRequest(url: url))
            } catch {
                if case .unsupported = error.cause { return }
                // A call that began just before the client was closed.
                guard error.isCancellation else { throw error }
            }
        }
    }

    @Test func drainsCallsInFlight() async throws {
        let late = try LateServer()
        late.server.on("/", .ok)
        let client = NetworkClient()
        let call = try await late.call(client)
        let hasEnded = Flag()
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await NetworkClientService(client: client).run()
                    hasEnded.set()
                }
                #expect(try await client.data(for: URLRequest(url: late.server.url)).response.status == 200)
                trigger.triggerGracefulShutdown()
                try await waitUntilRefusing(client, late.server.url)
                #expect(!hasEnded.isSet)
                late.answer()
                try await group.waitForAll()
            }
        }
        #expect(hasEnded.isSet)
        #expect(try await call.value == Data("late".utf8))
        await late.server.stop()
    }

    @Test func cancelsCallsAtTheLimit() async throws {
        let late = try LateServer()
        let clock = TestClock()
        let client = NetworkClient(clock: clock)
        let call = try await late.call(client)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await NetworkClientService(client: client, drainLimit: 12).run() }
                trigger.triggerGracefulShutdown()
                try await clock.waitForSleepers()
                #expect(clock.sleeps == [12])
                await clock.advance(by: 12)
                try await group.waitForAll()
            }
        }
        let failure = await #expect(throws: NetworkFailure.self) { try await call.value }
        #expect(failure?.isCancellation == true)
        late.answer()
        await late.server.stop()
    }

    @Test(arguments: [0, -1, TimeInterval.nan])
    func aLimitThatIsNotAboveZeroCancelsAtOnce(limit: TimeInterval) async throws {
        let late = try LateServer()
        let client = NetworkClient()
        let call = try await late.call(client)
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await NetworkClientService(client: client, drainLimit: limit).run()
        }
        let failure = await #expect(throws: NetworkFailure.self) { try await call.value }
        #expect(failure?.isCancellation == true)
        late.answer()
        await late.server.stop()
    }

    /// Before a graceful shutdown, and while the client drains.
    @Test(arguments: [false, true])
    func cancellationOfTheTaskEndsAtOnce(isDraining: Bool) async throws {
        let late = try LateServer()
        late.server.on("/", .ok)
        let client = NetworkClient()
        let call = try await late.call(client)
        try await testGracefulShutdown { trigger in
            let service = Task { try await NetworkClientService(client: client, drainLimit: .infinity).run() }
            if isDraining {
                trigger.triggerGracefulShutdown()
                try await waitUntilRefusing(client, late.server.url)
            }
            service.cancel()
            await #expect(throws: CancellationError.self) { try await service.value }
        }
        let failure = await #expect(throws: NetworkFailure.self) { try await call.value }
        #expect(failure?.isCancellation == true)
        try await waitUntilRefusing(client, late.server.url)
        late.answer()
        await late.server.stop()
    }

    /// The service that uses the client is listed after it, so it can still send while it shuts down.
    @Test func endsAfterTheServicesThatUseTheClient() async throws {
        struct Worker: Service {
            let client: NetworkClient
            let url: URL
            let farewell: Flag

            func run() async throws {
                try await gracefulShutdown()
                if try await client.data(for: URLRequest(url: url)).response.status == 200 { farewell.set() }
            }
        }
        let server = try MockServer()
        server.on("/", .ok)
        let client = NetworkClient()
        let farewell = Flag()
        let group = ServiceGroup(
            services: [
                NetworkClientService(client: client), Worker(client: client, url: server.url, farewell: farewell),
            ],
            logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        // The group has started when its client answers.
        #expect(try await client.data(for: URLRequest(url: server.url)).response.status == 200)
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(farewell.isSet)
        try await waitUntilRefusing(client, server.url)
        await server.stop()
    }

    /// The documented limit: a body that is read as a stream does not hold up the shutdown, and is cut off.
    @Test func doesNotWaitForStreams() async throws {
        let server = try MockServer()
        server.enqueue(MockResponse(body: .stream([.bytes(Data("first".utf8)), .hold])))
        let client = NetworkClient()
        let response = try await client.send(URLRequest(url: server.url))
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("first".utf8))
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await NetworkClientService(client: client, drainLimit: .infinity).run()
        }
        await #expect(throws: (any Error).self) { while try await iterator.next() != nil {} }
        await server.stop()
    }
}

/// A Boolean value that is set once.
final class Flag: @unchecked Sendable {
    // Unchecked: the lock protects the value.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
