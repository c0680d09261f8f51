import Combine
import NetClient
import NetCore
import NetLogging
import NetTesting
import NetTransfer
import Networking
import Testing

@Suite(.timeLimit(.minutes(5))) struct PublisherTests {
    private struct User: Decodable, Sendable, Equatable { let name: String }

    private let request: Request<User>

    init() throws { request = Request(absoluteURL: try #require(URL(string: "https://api.example.com/users/1"))) }
    private func client(_ transport: StubTransport) -> NetworkClient { NetworkClient(transport: transport) }

    private func answering(_ status: Int = 200, _ text: String = #"{"name":"Leia"}"#) -> StubTransport {
        StubTransport { _, _, _ in TransportResponse(status: status, url: nil, body: HTTPBody(text)) }
    }

    @Test func eachSubscriberSendsItsOwnRequest() async {
        let transport = answering()
        let publisher = client(transport).builder(for: request).publisher()
        #expect(transport.exchanges.isEmpty)
        for count in 1...2 {
            let (values, failure) = await publisher.events()
            #expect(values == [User(name: "Leia")] && failure == nil && transport.exchanges.count == count)
        }
    }

    @Test func publisherFailsWithTheErrorOfTheCallAndResponsePublisherNeverFails() async {
        let builder = client(answering(404, "{}")).builder(for: request)
        let (values, failure) = await builder.publisher().events()
        #expect(values.isEmpty && failure?.statusCode == 404)
        let (responses, _) = await builder.responsePublisher().events()
        #expect(responses.map(\.statusCode) == [404])
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
            let (values, failure) = await chain.publisher(of: User.self).events()
            #expect(values == [User(name: "Leia")] && failure == nil)
        }
        let (responses, _) = await chain.responsePublisher(of: [User].self).events()
        #expect(responses.first?.error?.code == "decoding_error")
        let (_, failure) = await chain.publisher(of: [User].self).events()
        #expect(failure?.code == "decoding_error")
        #expect(transport.exchanges.count == 1)
    }

    // MARK: Streams and transfers

    @Test func streamPublisherReadsOnDemand() async {
        let (progress, teller) = AsyncStream<TransferProgress>.makeStream()
        let slow = SlowSubscriber<TransferProgress, Never>()
        progress.publisher.subscribe(slow)
        for count in 1...2 { teller.yield(TransferProgress(bytesCompleted: Int64(count), totalBytes: 4)) }
        slow.ask(.max(1))
        await slow.next()
        #expect(slow.values.map(\.fractionCompleted) == [0.25])
        slow.ask(.unlimited)
        await slow.next()
        #expect(slow.values.map(\.fractionCompleted) == [0.25, 0.5])
        teller.finish()
        await slow.end()
    }

    @Test func cancellingTheSubscriptionEndsTheStream() async {
        let monitor = MockConnectionMonitor(isReachable: true)
        let slow = SlowSubscriber<ConnectionStatus, Never>()
        monitor.statusPublisher.subscribe(slow)
        slow.ask(.max(1))
        await slow.next()
        slow.cancel()
        slow.ask(.unlimited)
        monitor.isReachable = false
        #expect(slow.values.map(\.isReachable) == [true])
    }

    @Test func transferPublishesItsResult() async {
        #expect(await TransferTask { 42 }.publisher.events().values == [42])
        let (values, failure) = await TransferTask<Int> { throw NetworkError.timeout }.publisher.events()
        #expect(values.isEmpty && failure?.cause == .timeout)
    }

    @Test func logMessagesArePublished() async {
        let sink = PublisherSink()
        let logger = NetworkLogger(sinks: [sink])
        let messages = Locked<[String]>([])
        let subscription = sink.events.filter { $0.level >= .error }.sink { event in
            messages.withLock { $0.append(event.message) }
        }
        logger.logMessage(message: "fine", level: .info, logPrivacy: .public)
        logger.logMessage(message: "broken", level: .error, logPrivacy: .public)
        await logger.flush()
        #expect(messages.withLock { $0 } == ["broken"])
        subscription.cancel()
    }
}

/// Asks for values when the test says so.
final class SlowSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    // Unchecked, since Combine's subscriptions are not Sendable: the lock guards it.
    private struct State {
        var subscription: (any Subscription)?
        var values: [Input] = []
        var failure: Failure?
    }

    private let state = Locked(State())
    private let ended = AsyncStream<Void>.makeStream()
    private let heard = AsyncStream<Void>.makeStream()

    var values: [Input] { state.withLock(\.values) }
    var failure: Failure? { state.withLock(\.failure) }
    func receive(subscription: any Subscription) { state.withLock { $0.subscription = subscription } }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append(input) }
        heard.continuation.yield()
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion { state.withLock { $0.failure = failure } }
        ended.continuation.finish()
    }

    func ask(_ demand: Subscribers.Demand) { state.withLock(\.subscription)?.request(demand) }
    func cancel() { state.withLock(\.subscription)?.cancel() }
    func end() async { for await _ in ended.stream {} }
    func next() async { for await _ in heard.stream { return } }
}

extension Publisher where Output: Sendable {
    /// What it says, until its end.
    func events() async -> (values: [Output], failure: Failure?) {
        let subscriber = SlowSubscriber<Output, Failure>()
        subscribe(subscriber)
        subscriber.ask(.unlimited)
        await subscriber.end()
        return (subscriber.values, subscriber.failure)
    }
}
