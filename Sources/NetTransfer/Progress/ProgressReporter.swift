package import NetCore

/// Makes a stream of ``TransferProgress`` from a transport's reports of an upload, or from the received bytes of a download.
///
/// The stream keeps only the newest value, so a slow reader skips values. The last one, of a complete transfer, is never skipped.
final class ProgressReporter: Sendable {
    private struct State {
        var meter: ProgressMeter
        var hasBegun = false
        /// The number of the current exchange of an upload. Reports of earlier ones may come late.
        var exchange = 0
        var bytesSent: Int64 = 0
        var isEnded = false
    }

    let stream: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation
    private let state: Locked<State>
    private let clock: any NetworkClock

    init(clock: any NetworkClock) {
        self.clock = clock
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        state = Locked(State(meter: ProgressMeter(clock: clock)))
    }

    /// Begins a transfer of which `offset` bytes exist already.
    func begin(totalBytes: Int64?, at offset: Int64 = 0) { change { begin(&$0, totalBytes, offset) } }

    private func begin(_ state: inout State, _ totalBytes: Int64?, _ offset: Int64) -> TransferProgress {
        state.hasBegun = true
        // Without `restart`, which would count as a new attempt.
        state.meter = ProgressMeter(totalBytes: totalBytes, startingAt: offset, clock: clock)
        return state.meter.progress
    }

    /// Begins an exchange that sends a body of a length, from an offset of the whole on. Returns a function for the transport's reports of it.
    func send(_ length: Int64?, from offset: Int64 = 0) -> @Sendable (RequestContext.Progress) -> Void {
        let exchange = state.withLock { state in
            (state.exchange, state.bytesSent) = (state.exchange + 1, 0)
            return state.exchange
        }
        return { [self] report in
            change { state in
                // After a redirect, a request may have no body.
                guard state.exchange == exchange, report.bytesToSend == length else { return nil }
                defer { state.bytesSent = report.bytesSent }
                // A redirect or new credentials make the transport send the body again.
                let isBehind = report.bytesSent < state.bytesSent
                return state.meter.move(to: offset + report.bytesSent, isBehind: isBehind)
            }
        }
    }

    /// Sets how many bytes of an upload the server has, and ends the exchange. If they are fewer than sent, ``TransferProgress/attempt`` grows.
    func confirm(_ offset: Int64, of totalBytes: Int64) {
        change { state in
            state.exchange += 1
            guard state.hasBegun else { return begin(&state, totalBytes, offset) }
            return state.meter.move(to: offset, isBehind: offset < state.meter.completed)
        }
    }

    /// Sets how many bytes of a download exist.
    func advance(to bytesCompleted: Int64, of totalBytes: Int64?) {
        change { $0.meter.update(bytesCompleted: bytesCompleted, totalBytes: totalBytes) }
    }

    /// Begins again at an offset, after a lost connection or because the server has a new version of the file.
    func restart(from offset: Int64) { change { $0.meter.restart(from: offset) } }

    /// Ends the transfer after a success.
    func finish() {
        change { state in
            // A transport that reports nothing has sent the body nevertheless.
            if state.meter.completed == 0, let total = state.meter.total {
                _ = state.meter.update(bytesCompleted: total)
            }
            return state.meter.finish()
        }
        end()
    }

    /// Ends the transfer, after a success or a failure.
    func end() {
        state.withLock { $0.isEnded = true }
        continuation.finish()
    }

    /// Yields under the lock, which keeps the order. A continuation of a stream runs no code of the user's.
    private func change(_ update: (inout State) -> TransferProgress?) {
        state.withLock { state in
            guard !state.isEnded, let progress = update(&state) else { return }
            continuation.yield(progress)
        }
    }
}

/// Computes ``TransferProgress`` values from byte counts.
///
/// The rate is an exponentially decaying average over the last seconds. Counts in quick succession form one sample, since a rate over
/// a millisecond means nothing. The meter has no lock: its owner guards it.
package struct ProgressMeter: Sendable {
    private let clock: any NetworkClock
    fileprivate private(set) var completed: Int64
    /// The highest count of the earlier attempts, which is told until this attempt has passed it.
    private var reached: Int64 = 0
    fileprivate private(set) var total: Int64?
    private var isFinished = false
    /// How many times the transfer has started again.
    private var attempt = 0

    private var sampleStart: TimeInterval
    private var sampleBytes: Int64
    /// Bytes and seconds that decay at the same pace. Their quotient is the rate.
    private var fadingBytes = 0.0
    private var fadingSeconds = 0.0

    /// The time in seconds after which a byte's weight is 1/e.
    private static let memory: TimeInterval = 3
    private static let shortestSample: TimeInterval = 0.25

    /// Creates a meter for a transfer that starts now. The bytes of an earlier attempt, `offset`, count as completed, but not for the rate.
    package init(totalBytes: Int64? = nil, startingAt offset: Int64 = 0, clock: any NetworkClock) {
        self.clock = clock
        completed = Swift.max(0, offset)
        total = totalBytes.flatMap { $0 < 0 ? nil : $0 }
        sampleStart = clock.uptime
        sampleBytes = completed
    }

    /// The current progress. Reading it takes no sample.
    package var progress: TransferProgress {
        let rate = fadingSeconds > 0 ? fadingBytes / fadingSeconds : nil
        return TransferProgress(
            bytesCompleted: Swift.max(completed, reached), totalBytes: total, isComplete: isFinished,
            estimatedTimeRemaining: isFinished ? 0 : timeRemaining(at: rate), bytesPerSecond: rate, attempt: attempt)
    }

    /// Sets the number of bytes from the start of the whole. A smaller number than before is ignored, as is any after ``finish()``.
    ///
    /// - Parameter totalBytes: the total, or nil if it is as before. A total below the completed bytes was wrong, and becomes unknown.
    ///   Another total than before is another file, so the counts of earlier attempts are forgotten.
    package mutating func update(bytesCompleted: Int64, totalBytes: Int64? = nil) -> TransferProgress {
        guard !isFinished else { return progress }
        completed = Swift.max(completed, bytesCompleted)
        if let totalBytes, totalBytes >= 0 {
            if let total, total != totalBytes { reached = 0 }
            total = totalBytes
        }
        if let known = total, known < completed { total = nil }
        takeSample()
        return progress
    }

    /// Ends the transfer. The completed bytes become the total.
    package mutating func finish() -> TransferProgress {
        if !isFinished {
            takeSample()
            (total, reached, isFinished) = (completed, 0, true)
        }
        return progress
    }

    /// Begins another attempt at an offset that a server has confirmed. The rate starts again. The total stays, and the count until it is passed.
    package mutating func restart(from offset: Int64 = 0) -> TransferProgress {
        let (attempt, reached) = (attempt + 1, progress.bytesCompleted)
        self = ProgressMeter(totalBytes: total, startingAt: offset, clock: clock)
        (self.attempt, self.reached) = (attempt, reached)
        return progress
    }

    fileprivate mutating func move(to offset: Int64, isBehind: Bool) -> TransferProgress {
        isBehind ? restart(from: offset) : update(bytesCompleted: offset)
    }

    private mutating func takeSample() {
        let now = clock.uptime
        let seconds = now - sampleStart
        guard seconds >= Self.shortestSample else { return }
        let fading = exp(-seconds / Self.memory)
        fadingBytes = fadingBytes * fading + Double(completed - sampleBytes)
        fadingSeconds = fadingSeconds * fading + seconds
        (sampleStart, sampleBytes) = (now, completed)
    }

    private func timeRemaining(at rate: Double?) -> TimeInterval? {
        guard let total, let rate, rate > 0 else { return nil }
        return Double(total - completed) / rate
    }
}
