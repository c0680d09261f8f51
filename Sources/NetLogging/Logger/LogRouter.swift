import Dispatch
import NetCore

/// Sends each message of a logger to its sinks and streams.
final class LogRouter: Sendable {
    private let queues: [SinkQueue]
    /// Sinks with a queue of their own, which need the message at the time of the event.
    private let immediateSinks: [any LogSink]
    private let streams = Broadcast<LogEvent>()

    init(_ sinks: [any LogSink]) {
        queues = sinks.filter { !Self.isImmediate($0) }.map { SinkQueue($0) }
        immediateSinks = sinks.filter(Self.isImmediate)
    }

    var hasReceivers: Bool { !queues.isEmpty || !immediateSinks.isEmpty || !streams.isEmpty }

    var droppedCount: Int { queues.reduce(0) { $0 + $1.droppedCount } }
    var failureCount: Int { queues.reduce(0) { $0 + $1.failureCount } }

    func route(_ event: LogEvent) {
        for queue in queues { queue.append(event) }
        // The unified log does not throw.
        for sink in immediateSinks { try? sink.write(event) }
        streams.send(event)
    }

    func flush() async {
        for queue in queues { await queue.flush() }
    }

    func events(bufferingNewest limit: Int) -> AsyncStream<LogEvent> { streams.stream(bufferingNewest: limit) }

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
        var waiting = Ring<LogEvent>(capacity: SinkQueue.capacity)
        /// Whether the dispatch queue runs, or will run.
        var isDraining = false
        /// Whether it runs and waits for more messages.
        var isPausing = false
        /// The time when messages were last taken, as `DispatchTime` counts it.
        var lastTaken: UInt64 = 0
        /// Since the last notice to the sink.
        var dropped = 0
        var allDropped = 0
        var failures = 0
        /// The number of messages that were accepted, and the number that were written or dropped since.
        var taken: UInt64 = 0
        var settled: UInt64 = 0
        var flushes: [(target: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

        /// Ends the pause. Returns whether there was one, so that the caller has to signal.
        mutating func endPause() -> Bool {
            defer { isPausing = false }
            return isPausing
        }

        mutating func takeSettledFlushes() -> [CheckedContinuation<Void, Never>] {
            guard !flushes.isEmpty else { return [] }
            let done = flushes.filter { $0.target <= settled }.map(\.continuation)
            if !done.isEmpty { flushes.removeAll { $0.target <= settled } }
            return done
        }
    }

    private let sink: any LogSink
    private let queue = DispatchQueue(label: "networking.log-sink")
    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(_ sink: any LogSink) {
        self.sink = sink
    }

    /// The number of messages that were dropped because the sink was too slow.
    var droppedCount: Int { state.withLock(\.allDropped) }
    /// The number of messages at which the sink threw.
    var failureCount: Int { state.withLock(\.failures) }

    func append(_ event: LogEvent) {
        let (mustStart, mustWake) = state.withLock { state in
            state.taken += 1
            if state.waiting.append(event) {
                state.dropped += 1
                state.allDropped += 1
                state.settled += 1
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
        await withCheckedContinuation { continuation in
            let (isSettled, mustWake) = state.withLock { state in
                guard state.settled < state.taken else { return (true, false) }
                state.flushes.append((state.taken, continuation))
                return (false, state.endPause())
            }
            if isSettled { continuation.resume() }
            if mustWake { wakeUp.signal() }
        }
    }

    private func drain() {
        var mayPause = false
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            let (batch, dropped, isFrequent) = state.withLock { state -> ([LogEvent], Int, Bool) in
                let batch = state.waiting.takeAll()
                state.isPausing = batch.isEmpty && mayPause
                if batch.isEmpty {
                    state.isDraining = mayPause
                    return ([], 0, false)
                }
                defer { (state.dropped, state.lastTaken) = (0, now) }
                return (batch, state.dropped, now &- state.lastTaken < UInt64(Self.pause) * 1_000_000)
            }
            guard let first = batch.first else {
                guard mayPause else { return }
                // A signal that comes as the time ends stays in the semaphore. The next wait then returns at once.
                _ = wakeUp.wait(timeout: .now() + .milliseconds(Self.pause))
                mayPause = false
                continue
            }
            mayPause = batch.count > 1 || isFrequent
            if dropped > 0 { write(Self.notice(of: dropped, before: first)) }
            for event in batch {
                write(event)
                state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    state.settled += 1
                    return state.takeSettledFlushes()
                }
                .forEach { $0.resume() }
            }
        }
    }

    private func write(_ event: LogEvent) {
        do {
            try sink.write(event)
        } catch {
            state.withLock { $0.failures += 1 }
        }
    }

    private static func notice(of dropped: Int, before event: LogEvent) -> LogEvent {
        LogEvent(
            date: event.date, level: .warning, subsystem: event.subsystem, category: event.category,
            message: "\(dropped) log messages were dropped: this sink is too slow.", privacy: .public)
    }
}

/// A buffer of fixed capacity that keeps the last elements.
struct Ring<Element> {
    let capacity: Int
    private var elements: [Element] = []
    /// The index of the oldest element once the buffer is full.
    private var start = 0

    /// - Parameter capacity: the capacity; at least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }
    /// All elements, the oldest first.
    var all: [Element] { start == 0 ? elements : Array(elements[start...] + elements[..<start]) }

    /// Appends an element. Returns whether the oldest one was removed for it.
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        guard elements.count == capacity else {
            elements.append(element)
            return false
        }
        elements[start] = element
        start = (start + 1) % capacity
        return true
    }

    /// Removes and returns all elements.
    mutating func takeAll() -> [Element] {
        defer { self = Ring(capacity: capacity) }
        return all
    }
}
