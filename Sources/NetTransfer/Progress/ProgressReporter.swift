package import NetCore

/// Makes a stream of ``TransferProgress`` from a transport's reports of an upload, or from the received bytes of a download.
///
/// The stream keeps only the newest value, so a slow reader skips values. The last one, of a complete transfer, is never skipped.
final class ProgressReporter: Sendable {
    private struct State {
        var meter: ProgressMeter
        /// The length of the upload's body.
        var length: Int64?
        /// The bytes sent in the current exchange.
        var bytesSent: Int64 = 0
        var hasReports = false
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

    /// Begins an upload with a body of that length.
    func begin(totalBytes: Int64?) {
        change { state in
            state.length = totalBytes
            return state.meter.update(bytesCompleted: 0, totalBytes: totalBytes)
        }
    }

    /// Takes the transport's report of the current exchange.
    func report(_ progress: RequestContext.Progress) {
        change { state in
            // After a redirect, an exchange may have no body.
            guard progress.bytesToSend == state.length else { return nil }
            if progress.bytesSent > 0 { state.hasReports = true }
            defer { state.bytesSent = progress.bytesSent }
            if progress.bytesSent < state.bytesSent { _ = state.meter.restart() }
            return state.meter.update(bytesCompleted: progress.bytesSent)
        }
    }

    /// Begins a download of which `offset` bytes exist already.
    func begin(totalBytes: Int64?, at offset: Int64) {
        change { state in
            state.hasReports = true
            // Without `restart`, which would count as a new attempt.
            state.meter = ProgressMeter(totalBytes: totalBytes, startingAt: offset, clock: clock)
            return state.meter.progress
        }
    }

    /// Sets how many bytes of a download exist.
    func advance(to bytesCompleted: Int64, of totalBytes: Int64?) {
        change { $0.meter.update(bytesCompleted: bytesCompleted, totalBytes: totalBytes) }
    }

    /// Begins again at an offset, after a lost connection or because the server has a new version of the file.
    func restart(from offset: Int64) {
        change { $0.meter.restart(from: offset) }
    }

    /// Ends the transfer after a success.
    func finish() {
        change { state in
            // A transport that reports nothing has sent the body nevertheless.
            if !state.hasReports, let length = state.length { _ = state.meter.update(bytesCompleted: length) }
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

/// The progress of a resumable upload: the bytes that the server has confirmed, and those on their way.
///
/// If the server has less than was sent, ``TransferProgress/attempt`` grows.
final class ResumableProgress: Sendable {
    private struct State {
        /// The bytes that were told last; nil before the first confirmation.
        var completed: Int64?
        /// Where the current request begins in the file.
        var base: Int64 = 0
        var bytesSent: Int64 = 0
        /// The number of the current request. Reports of earlier ones may come late.
        var exchange = 0
    }

    let reporter: ProgressReporter
    private let state = Locked(State())

    init(clock: any NetworkClock) {
        reporter = ProgressReporter(clock: clock)
    }

    /// Notes how many bytes the server has.
    func confirm(_ offset: Int64, of total: Int64) {
        state.withLock { state in
            // Reports that come later are outdated.
            state.exchange += 1
            guard let completed = state.completed else {
                state.completed = offset
                return reporter.begin(totalBytes: total, at: offset)
            }
            move(&state, to: offset, isBehind: offset < completed)
        }
    }

    /// Begins a request that sends bytes from an offset on.
    ///
    /// - Returns: takes the transport's reports.
    func send(from offset: Int64) -> @Sendable (RequestContext.Progress) -> Void {
        let exchange = state.withLock { state in
            state.exchange += 1
            (state.base, state.bytesSent) = (offset, 0)
            return state.exchange
        }
        return { [self] report in
            state.withLock { state in
                guard state.exchange == exchange, state.completed != nil else { return }
                // A redirect or new credentials make the transport send the body again.
                move(&state, to: state.base + report.bytesSent, isBehind: report.bytesSent < state.bytesSent)
                state.bytesSent = report.bytesSent
            }
        }
    }

    private func move(_ state: inout State, to offset: Int64, isBehind: Bool) {
        state.completed = isBehind ? offset : max(offset, state.completed ?? 0)
        if isBehind { reporter.restart(from: offset) } else { reporter.advance(to: offset, of: nil) }
    }
}

/// Computes ``TransferProgress`` values from byte counts.
///
/// The rate is an exponentially decaying average over the last seconds. Counts in quick succession form one sample, since a rate over
/// a millisecond means nothing. The meter has no lock: its owner guards it.
package struct ProgressMeter: Sendable {
    private let clock: any NetworkClock
    private var completed: Int64
    /// The highest count of the earlier attempts, which is told until this attempt has passed it.
    private var reached: Int64 = 0
    private var total: Int64?
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

    /// Creates a meter for a transfer that starts now.
    ///
    /// - Parameters:
    ///   - totalBytes: the total, or nil if it is unknown.
    ///   - offset: the bytes of an earlier attempt. They count as completed, but not for the rate.
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
            bytesCompleted: Swift.max(completed, reached),
            totalBytes: total,
            isComplete: isFinished,
            estimatedTimeRemaining: isFinished ? 0 : timeRemaining(at: rate),
            bytesPerSecond: rate,
            attempt: attempt
        )
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
            total = completed
            reached = 0
            isFinished = true
        }
        return progress
    }

    /// Begins another attempt at zero, or at an offset that a server has confirmed. The rate starts again. The total stays, and so does
    /// the count until the attempt has passed it.
    package mutating func restart(from offset: Int64 = 0) -> TransferProgress {
        let (attempt, reached) = (attempt + 1, progress.bytesCompleted)
        self = ProgressMeter(totalBytes: total, startingAt: offset, clock: clock)
        (self.attempt, self.reached) = (attempt, reached)
        return progress
    }

    private mutating func takeSample() {
        let now = clock.uptime
        let seconds = now - sampleStart
        guard seconds >= Self.shortestSample else { return }
        let fading = exp(-seconds / Self.memory)
        fadingBytes = fadingBytes * fading + Double(completed - sampleBytes)
        fadingSeconds = fadingSeconds * fading + seconds
        sampleStart = now
        sampleBytes = completed
    }

    private func timeRemaining(at rate: Double?) -> TimeInterval? {
        guard let total, let rate, rate > 0 else { return nil }
        return Double(total - completed) / rate
    }
}
