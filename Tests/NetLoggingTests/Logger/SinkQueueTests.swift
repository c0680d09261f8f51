import NetClient
import NetLogging
import NetTesting
import TestLab
import Testing

@Suite("Sinks that misbehave") struct SinkQueueTests {
    /// Stands in its first message until it is let go.
    private final class BlockingSink: LogSink {
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let messages = Locked<[String]>([])
        func write(_ event: LogEvent) {
            let isFirst = messages.withLock { messages in
                messages.append(event.message)
                return messages.count == 1
            }
            guard isFirst else { return }
            entered.signal()
            gate.wait()
        }
    }

    private struct ThrowingSink: LogSink {
        func write(_ event: LogEvent) throws { throw CocoaError(.fileWriteOutOfSpace) }
    }

    /// Requests go on while a sink stands still; what it misses is counted, and it is told.
    @Test func blockingSinkDelaysNoCaller() async throws {
        let (blocking, other) = (BlockingSink(), RecordingSink())
        let logger = NetworkLogger(sinks: [blocking, other])
        let client = NetworkClient(
            transport: .ok, callInterceptors: [LoggingInterceptor(level: .verbose, logger: logger)])
        let request = try URLRequest("https://a.example/")
        logger.logMessage("first")
        blocking.entered.wait()
        for _ in 0..<1_000 { _ = try await client.response(for: request) }
        #expect(blocking.messages.withLock { $0 } == ["first"])
        // 3,000 messages, of which 1,024 wait: the request, the request as sent (with the fields that the client adds), the response.
        #expect(logger.droppedCount >= 1_976)
        logger.logMessage("last", requestID: RequestContext.ID())
        let dropped = logger.droppedCount
        blocking.gate.signal()
        await logger.flush()
        let messages = blocking.messages.withLock { $0 }
        #expect(messages.count == 1 + 1 + 1_024)
        #expect(messages[1].hasPrefix("1977 log messages were dropped"), "\(messages[1])")
        #expect((messages.last, other.messages.last) == ("last", "last"))
        // How many of all messages the other sink did not get.
        let missed = 3_002 - other.messages.count { !$0.contains("were dropped") }
        #expect(dropped - missed == 1_977)
    }

    @Test func throwingSinkFailsNoCaller() async throws {
        let sink = RecordingSink()
        let logger = NetworkLogger(sinks: [ThrowingSink(), sink, ClosureSink { _ in throw CancellationError() }])
        let client = NetworkClient(transport: .ok, callInterceptors: [LoggingInterceptor(logger: logger)])
        _ = try await client.response(for: URLRequest("https://a.example/"))
        await logger.flush()
        #expect((sink.messages.count, logger.failureCount, logger.droppedCount) == (2, 4, 0))
    }

    /// In bursts and alone, while the queue writes, while it waits for more, and while it sleeps.
    @Test func messagesArriveWhateverTheQueueDoes() async throws {
        let sink = RecordingSink()
        let logger = NetworkLogger(sinks: [sink])
        var generator = SeededGenerator(state: 1)
        var count = 0
        for _ in 0..<30 {
            for _ in 0..<5 {
                for _ in 0..<generator.next(below: 180) {
                    logger.logMessage("\(count)", level: generator.next(below: 50) == 0 ? .warning : .info)
                    count += 1
                }
                try await Task.sleep(nanoseconds: UInt64(generator.next(below: 2_500)) * 1_000)
            }
            // No more than 1,024 may wait, if no thread is free to write them.
            if generator.next(below: 2) == 0 { await logger.flush() }
            _ = try await waitUntil("all are written") { sink.messages.count == count ? true : nil }
        }
        #expect((sink.messages, logger.droppedCount) == ((0..<count).map { "\($0)" }, 0))
    }

    /// Also when nobody holds the logger any more.
    @Test func queuedMessagesAreWrittenAfterTheLoggerIsReleased() async throws {
        let sink = RecordingSink()
        do { NetworkLogger(sinks: [sink]).logMessage("goodbye") }
        _ = try await waitUntil("the message is written") { sink.messages.isEmpty ? nil : true }
        #expect(sink.messages == ["goodbye"])
    }
}
