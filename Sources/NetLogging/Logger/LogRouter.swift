import Dispatch
import NetCore

/// Sends each message of a logger to its sinks and streams.
final class LogRouter: Sendable {
    let queues: [SinkQueue]
    /// Sinks with a queue of their own, which need the message at the time of the event.
    private let immediateSinks: [any LogSink]
    let streams = Broadcast<LogEvent>()

    init(_ sinks: [any LogSink]) {
        queues = sinks.filter { !Self.isImmediate($0) }.map { SinkQueue($0) }
        immediateSinks = sinks.filter(Self.isImmediate)
    }

    var hasReceivers: Bool { !queues.isEmpty || !immediateSinks.isEmpty || !streams.isEmpty }

    func route(_ event: LogEvent) {
        for queue in queues { queue.append(event) }
        // The unified log does not throw.
        for sink in immediateSinks { try? sink.write(event) }
        streams.send(event)
    }

    private static func isImmediate(_ sink: any LogSink) -> Bool {
        #if canImport(os)
            sink is OSLogSink
        #else
            false
        #endif
    }
}

/// Decouples callers from a sink: takes messages without waiting, and passes them on one by one.
///
/// The queue has a maximum length, and drops the oldest message when it is full. A serial dispatch queue calls the sink. So a
/// blocking sink holds a thread of its own, not one of the threads that run tasks.
///
/// Waking a thread costs more than a message. While messages come quickly one after the other, the thread looks for more only every
/// ``pause``. A warning, an error, many waiting messages and ``flush()`` wake it at once.
final class SinkQueue: Sendable {
    static let capacity = 1_024
    /// The longest time that a message waits for others, in milliseconds.
    static let pause = 1
    /// The number of waiting messages that ends the pause: far below the capacity, so that none is dropped while the thread wakes.
    private static let batch = 128

    private struct State {
        var waiting = FIFO<LogEvent>()
        /// Whether ``SinkQueue/drain()`` runs, or will run.
        var isDraining = false
        /// Whether it waits for more messages.
        var isPausing = false
        /// The time when messages were last taken, as `DispatchTime` counts it.
        var lastTaken: UInt64 = 0
        /// Since the last notice to the sink.
        var dropped = 0
        var allDropped = 0
        var failures = 0

        /// Ends the pause. Returns whether there was one, so that the caller has to signal.
        mutating func endPause() -> Bool {
            defer { isPausing = false }
            return isPausing
        }
    }

    private let sink: any LogSink
    private let queue = DispatchQueue(label: "networking.log-sink")
    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(_ sink: any LogSink) { self.sink = sink }

    /// The number of messages that were dropped because the sink was too slow.
    var droppedCount: Int { state.withLock(\.allDropped) }
    /// The number of messages at which the sink threw.
    var failureCount: Int { state.withLock(\.failures) }

    func append(_ event: LogEvent) {
        let (mustStart, mustWake) = state.withLock { state in
            state.waiting.append(event)
            if state.waiting.count > Self.capacity {
                _ = state.waiting.popFirst()
                state.dropped += 1
                state.allDropped += 1
            }
            defer { state.isDraining = true }
            let isUrgent = event.level >= .warning || state.waiting.count >= Self.batch
            return (!state.isDraining, isUrgent && state.endPause())
        }
        // Retains this queue, and so the sink, until all messages are written.
        if mustStart { queue.async { self.drain() } }
        if mustWake { wakeUp.signal() }
    }

    /// Returns when all messages accepted so far are written or dropped.
    func flush() async {
        if state.withLock({ $0.endPause() }) { wakeUp.signal() }
        await withCheckedContinuation { continuation in
            queue.async {
                _ = self.writeWaiting()
                continuation.resume()
            }
        }
    }

    /// Writes what waits, and runs again until no message has come for the time of a ``pause``.
    private func drain() {
        let mayPause = writeWaiting()
        let (isDone, isPausing) = state.withLock { state in
            state.isPausing = mayPause && state.waiting.count == 0
            state.isDraining = mayPause || state.waiting.count > 0
            return (!state.isDraining, state.isPausing)
        }
        if isDone { return }
        // A signal that comes as the time ends stays in the semaphore. The next wait then returns at once.
        if isPausing { _ = wakeUp.wait(timeout: .now() + .milliseconds(Self.pause)) }
        queue.async { self.drain() }
    }

    /// Writes the messages that wait. Returns whether messages come quickly one after the other.
    private func writeWaiting() -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds
        let (waiting, dropped, isFrequent) = state.withLock { state in
            defer {
                if state.waiting.count > 0 { state.lastTaken = now }
                (state.waiting, state.dropped, state.isPausing) = (FIFO(), 0, false)
            }
            return (state.waiting, state.dropped, now &- state.lastTaken < UInt64(Self.pause) * 1_000_000)
        }
        guard let first = waiting.first else { return false }
        if dropped > 0 {
            write(
                LogEvent(
                    date: first.date, level: .warning, subsystem: first.subsystem, category: first.category,
                    message: "\(dropped) log messages were dropped: this sink is too slow.", privacy: .public))
        }
        for event in waiting.all { write(event) }
        return waiting.count > 1 || isFrequent
    }

    private func write(_ event: LogEvent) {
        do { try sink.write(event) } catch { state.withLock { $0.failures += 1 } }
    }
}
