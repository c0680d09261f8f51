import NetCore

/// Brings each message of a logger to its sinks and streams.
final class LogRouter: Sendable {
    private struct Streams {
        var lastID = 0
        var continuations: [Int: AsyncStream<LogEvent>.Continuation] = [:]
    }

    private let queues: [SinkQueue]
    /// Sinks that hand over by themselves, and want to be told when it happens.
    private let immediateSinks: [any LogSink]
    private let streams = Locked(Streams())

    init(_ sinks: [any LogSink]) {
        queues = sinks.filter { !Self.isImmediate($0) }.map { SinkQueue($0) }
        immediateSinks = sinks.filter(Self.isImmediate)
    }

    deinit {
        for stream in streams.withLock({ $0.continuations.values.map { $0 } }) { stream.finish() }
    }

    var hasTakers: Bool {
        !queues.isEmpty || !immediateSinks.isEmpty || streams.withLock { !$0.continuations.isEmpty }
    }

    var droppedCount: Int { queues.reduce(0) { $0 + $1.droppedCount } }
    var failureCount: Int { queues.reduce(0) { $0 + $1.failureCount } }

    func route(_ event: LogEvent) {
        for queue in queues { queue.append(event) }
        // The unified log throws nothing.
        for sink in immediateSinks { try? sink.write(event) }
        for stream in streams.withLock({ $0.continuations.values.map { $0 } }) { stream.yield(event) }
    }

    func flush() async {
        for queue in queues { await queue.flush() }
    }

    func events(bufferingNewest limit: Int) -> AsyncStream<LogEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, limit))) { continuation in
            let id = streams.withLock { streams in
                streams.lastID += 1
                streams.continuations[streams.lastID] = continuation
                return streams.lastID
            }
            continuation.onTermination = { [weak self] _ in
                self?.streams.withLock { $0.continuations[id] = nil }
            }
        }
    }

    private static func isImmediate(_ sink: any LogSink) -> Bool {
        #if canImport(os)
            sink is OSLogSink
        #else
            false
        #endif
    }
}
