import NetCore

/// Makes a stream of ``TransferProgress`` of what the transport reports of an upload, or of what has arrived of a download.
///
/// The stream keeps the newest value only, so nobody has to read it, and a slow reader skips. The last one, which is complete, is
/// behind all others and so never skipped.
final class ProgressReporter: Sendable {
    private struct State {
        var meter: ProgressMeter
        /// The body's length, as it is told of each exchange that has this body.
        var length: Int64?
        /// Of the exchange that is going on.
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

    /// The transfer begins, with a body of that length.
    func begin(totalBytes: Int64?) {
        change { state in
            state.length = totalBytes
            return state.meter.update(bytesCompleted: 0, totalBytes: totalBytes)
        }
    }

    /// What the transport has sent of the exchange that is going on.
    func report(_ progress: TransportProgress) {
        change { state in
            // A redirect may lead to an exchange without this body, after all of it was sent.
            guard progress.bytesToSend == state.length else { return nil }
            if progress.bytesSent > 0 { state.hasReports = true }
            defer { state.bytesSent = progress.bytesSent }
            if progress.bytesSent < state.bytesSent { _ = state.meter.restart() }
            return state.meter.update(bytesCompleted: progress.bytesSent)
        }
    }

    /// A download begins, of which so many bytes are there.
    func begin(totalBytes: Int64?, at offset: Int64) {
        change { state in
            state.hasReports = true
            // The meter's own, without a new attempt.
            state.meter = ProgressMeter(totalBytes: totalBytes, startingAt: offset, clock: clock)
            return state.meter.progress
        }
    }

    /// So many bytes of a download are there.
    func advance(to bytesCompleted: Int64, of totalBytes: Int64?) {
        change { $0.meter.update(bytesCompleted: bytesCompleted, totalBytes: totalBytes) }
    }

    /// A download goes on from there, after the connection has dropped, or because the server has another file now.
    func restart(from offset: Int64) {
        change { $0.meter.restart(from: offset) }
    }

    /// The transfer has ended well.
    func finish() {
        change { state in
            // Of a transport that reports nothing it is known all the same that it has sent the body.
            if !state.hasReports, let length = state.length { _ = state.meter.update(bytesCompleted: length) }
            return state.meter.finish()
        }
        end()
    }

    /// The transfer has ended, well or not.
    func end() {
        state.withLock { $0.isEnded = true }
        continuation.finish()
    }

    /// Yields under the lock, which keeps the order: a stream's continuation runs nothing of a user's.
    private func change(_ update: (inout State) -> TransferProgress?) {
        state.withLock { state in
            guard !state.isEnded, let progress = update(&state) else { return }
            continuation.yield(progress)
        }
    }
}
