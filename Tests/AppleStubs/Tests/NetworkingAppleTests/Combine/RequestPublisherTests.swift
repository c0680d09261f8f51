import Combine
import NetClient
import NetTesting
import Networking
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestPublisherTests {
    private struct User: Decodable, Sendable, Equatable { let name: String }

    private let request: Request<User>

    init() throws { request = Request(absoluteURL: try #require(URL(string: "https://api.example.com/users/1"))) }
    private func client(_ transport: StubTransport) -> NetworkClient { NetworkClient(transport: transport) }

    private func answering(_ status: Int = 200, _ text: String = #"{"name":"Leia"}"#) -> StubTransport {
        StubTransport { _, _, _ in TransportResponse(status: status, url: nil, body: HTTPBody(text)) }
    }

    /// What a publisher says, until its end.
    private func events<Output: Sendable, Failure: Error>(
        _ publisher: AnyPublisher<Output, Failure>
    ) async -> (values: [Output], failure: Failure?) {
        await withCheckedContinuation { continuation in
            let values = Locked<[Output]>([])
            let keep = Locked<AnyCancellable?>(nil)
            nonisolated(unsafe) let subscription = publisher.sink { completion in
                let failure: Failure? = if case .failure(let failure) = completion { failure } else { nil }
                continuation.resume(returning: (values.withLock { $0 }, failure))
                keep.withLock { $0 = nil }
            } receiveValue: { value in
                values.withLock { $0.append(value) }
            }
            keep.withLock { $0 = subscription }
        }
    }

    @Test func eachSubscriberSendsItsOwnRequest() async {
        let transport = answering()
        let publisher = client(transport).builder(for: request).publisher()
        #expect(transport.exchanges.isEmpty)
        for count in 1...2 {
            let (values, failure) = await events(publisher)
            #expect(values == [User(name: "Leia")] && failure == nil && transport.exchanges.count == count)
        }
    }

    @Test func publisherFailsWithTheErrorOfTheCall() async {
        let transport = answering(404, "{}")
        let (values, failure) = await events(client(transport).builder(for: request).publisher())
        #expect(values.isEmpty && failure?.statusCode == 404)
    }

    @Test func responsePublisherNeverFails() async {
        let transport = answering(404, "{}")
        let (values, _) = await events(client(transport).builder(for: request).responsePublisher())
        #expect(values.map(\.statusCode) == [404])
    }

    @Test func cancellingTheSubscriptionCancelsTheRequest() async throws {
        let clock = TestClock()
        let (ended, signal) = AsyncStream<Void>.makeStream()
        let transport = StubTransport { _, _, _ in
            defer { signal.finish() }
            try await clock.sleep(for: 60)
            return TransportResponse(status: 200, url: nil)
        }
        let heard = Locked(0)
        let subscription = client(transport).builder(for: request).publisher().sink { _ in
            heard.withLock { $0 += 1 }
        } receiveValue: { _ in
            heard.withLock { $0 += 1 }
        }
        try await clock.waitForSleepers()
        subscription.cancel()
        for await _ in ended {}
        #expect(heard.withLock { $0 } == 0)
    }

    /// A cancellation handler runs while `cancel()` does: it must be free to do the same.
    @Test func cancellationDuringSubscriptionCancelsTheRequest() async throws {
        let clock = TestClock()
        let (ended, signal) = AsyncStream<Void>.makeStream()
        let slow = SlowSubscriber<User, NetworkFailure>()
        let transport = StubTransport { _, _, _ in
            defer { signal.finish() }
            try await withTaskCancellationHandler {
                try await clock.sleep(for: 60)
            } onCancel: {
                slow.cancel()
            }
            return TransportResponse(status: 200, url: nil)
        }
        client(transport).builder(for: request).publisher().subscribe(slow)
        slow.ask(.unlimited)
        try await clock.waitForSleepers()
        slow.cancel()
        for await _ in ended {}
        #expect(slow.values.isEmpty)
    }

    @Test func requestIsSentOnFirstDemand() async {
        let transport = answering()
        let slow = SlowSubscriber<User, NetworkFailure>()
        client(transport).builder(for: request).publisher().subscribe(slow)
        #expect(transport.exchanges.isEmpty)
        slow.ask(.max(1))
        await slow.end()
        #expect(slow.values == [User(name: "Leia")])
    }

    @Test func chainPublishersShareOneRequest() async throws {
        let transport = answering()
        let chain = Networking(transport: transport).chain(
            RequestConfig(url: try #require(URL(string: "https://api.example.com/users/1"))))
        for _ in 1...2 {
            let (values, failure) = await events(chain.publisher(of: User.self))
            #expect(values == [User(name: "Leia")] && failure == nil)
        }
        let (responses, _) = await events(chain.responsePublisher(of: [User].self))
        #expect(responses.first?.error?.code == "decoding_error")
        let (_, failure) = await events(chain.publisher(of: [User].self))
        #expect(failure?.code == "decoding_error")
        #expect(transport.exchanges.count == 1)
    }
}
