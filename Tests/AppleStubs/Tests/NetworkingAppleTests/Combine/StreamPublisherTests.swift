import Combine
import NetClient
import NetCore
import NetLogging
import NetTesting
import NetTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct StreamPublisherTests {
    /// A monitor that says what it is told.
    private final class Script: ConnectionMonitoring {
        private let told = AsyncStream<ConnectionStatus>.makeStream()
        var isReachable: Bool { true }
        var statuses: AsyncStream<ConnectionStatus> { told.stream }
        func say(_ status: ConnectionStatus) { told.continuation.yield(status) }
        func end() { told.continuation.finish() }
    }

    private let offline = ConnectionStatus(isReachable: false)
    private let online = ConnectionStatus(isReachable: true, interfaceType: .wifi)

    @Test func streamPublisherReadsOnDemand() async {
        let script = Script()
        let slow = SlowSubscriber<ConnectionStatus, Never>()
        script.statusPublisher.subscribe(slow)
        script.say(online)
        script.say(offline)
        slow.ask(.max(1))
        await slow.next()
        #expect(slow.values == [online])
        slow.ask(.unlimited)
        await slow.next()
        #expect(slow.values == [online, offline])
        script.end()
        await slow.end()
    }

    @Test func cancellingTheSubscriptionEndsTheStream() async {
        let script = Script()
        let slow = SlowSubscriber<ConnectionStatus, Never>()
        script.statusPublisher.subscribe(slow)
        slow.ask(.max(1))
        script.say(online)
        await slow.next()
        slow.cancel()
        slow.ask(.unlimited)
        script.say(offline)
        #expect(slow.values == [online])
    }

    @Test func transferPublishesProgressAndResult() async throws {
        let (progress, teller) = AsyncStream<TransferProgress>.makeStream()
        let slow = SlowSubscriber<TransferProgress, Never>()
        progress.publisher.subscribe(slow)
        slow.ask(.unlimited)
        teller.yield(TransferProgress(bytesCompleted: 1, totalBytes: 4))
        await slow.next()
        #expect(slow.values.first?.fractionCompleted == 0.25)
        teller.finish()
        await slow.end()

        let result = SlowSubscriber<Int, NetworkFailure>()
        TransferTask { 42 }.publisher.subscribe(result)
        result.ask(.unlimited)
        await result.end()
        #expect(result.values == [42])
        let failed = SlowSubscriber<Int, NetworkFailure>()
        TransferTask<Int> { throw NetworkError.timeout }.publisher.subscribe(failed)
        failed.ask(.unlimited)
        await failed.end()
        #expect(failed.values.isEmpty)
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
