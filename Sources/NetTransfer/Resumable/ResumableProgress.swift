import NetCore

/// The progress of an upload that goes on where it stopped: what the server has confirmed, and what is on its way beyond that.
///
/// As in ``ProgressReporter`` the stream keeps the newest value only. Counts go back only where the server has less than was sent, and
/// then the attempt's number grows.
final class ResumableProgress: Sendable {
    private struct State {
        var meter: ProgressMeter?
        /// Where the request that is being sent begins in the file.
        var base: Int64 = 0
        var bytesSent: Int64 = 0
        /// Of the request that is being sent: reports of an earlier one may come late.
        var exchange = 0
        var isEnded = false
    }

    let stream: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation
    private let clock: any NetworkClock
    private let state = Locked(State())

    init(clock: any NetworkClock) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.clock = clock
    }

    /// The server has so much.
    func confirm(_ offset: Int64, of total: Int64) {
        change { state in
            // Late reports are of what is settled now.
            state.exchange += 1
            guard var meter = state.meter else {
                let meter = ProgressMeter(totalBytes: total, startingAt: offset, clock: clock)
                state.meter = meter
                return meter.progress
            }
            defer { state.meter = meter }
            return offset < meter.progress.bytesCompleted
                ? meter.restart(from: offset) : meter.update(bytesCompleted: offset)
        }
    }

    /// A request is about to be sent, with bytes from that offset on. Gives what takes the transport's reports.
    func send(from offset: Int64) -> @Sendable (TransportProgress) -> Void {
        let exchange = state.withLock { state in
            state.exchange += 1
            (state.base, state.bytesSent) = (offset, 0)
            return state.exchange
        }
        return { [self] report in
            change { state in
                guard state.exchange == exchange, var meter = state.meter else { return nil }
                defer { (state.meter, state.bytesSent) = (meter, report.bytesSent) }
                let completed = state.base + report.bytesSent
                // Sent once more, after a redirect or with new credentials.
                if report.bytesSent < state.bytesSent { return meter.restart(from: completed) }
                return meter.update(bytesCompleted: completed)
            }
        }
    }

    /// All has arrived.
    func finish() {
        change { state in
            guard var meter = state.meter else { return nil }
            defer { state.meter = meter }
            return meter.finish()
        }
        end()
    }

    /// It has ended, well or not.
    func end() {
        state.withLock { $0.isEnded = true }
        continuation.finish()
    }

    private func change(_ update: (inout State) -> TransferProgress?) {
        state.withLock { state in
            guard !state.isEnded, let progress = update(&state) else { return }
            continuation.yield(progress)
        }
    }
}
