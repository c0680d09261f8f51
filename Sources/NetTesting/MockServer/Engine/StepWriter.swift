import NetCore

/// Carries out the steps of a connection, as far as the socket and the time allow. It never waits: it says when to come back.
struct StepWriter {
    enum Outcome: Equatable {
        /// There is nothing left to do.
        case idle
        /// When the socket takes bytes again.
        case blocked
        /// When it is that late.
        case until(TimeInterval)
        case perform(Step.Action)
        case failed
    }

    private var steps: [Step] = []
    private var next = 0
    /// Bytes of the current step that were written.
    private var written: Int64 = 0
    /// When the wait or the pause is over.
    private var resumesAt: TimeInterval?
    private var pace: MockResponse.Pace?
    /// Bytes that were written of the current period.
    private var writtenOfPeriod = 0
    private(set) var outcome = Outcome.idle

    /// What one connection may write before the others have their turn.
    private static let turn = 512 << 10

    /// Whether it does nothing because a delay was asked for, as opposed to a pace or a full socket.
    var isDelaying: Bool {
        guard case .until = outcome, next < steps.count, case .wait = steps[next] else { return false }
        return true
    }

    mutating func append(_ new: [Step]) {
        if next == steps.count {
            steps = new
            next = 0
            written = 0
            pace = nil
            resumesAt = nil
        } else {
            steps.append(contentsOf: new)
        }
    }

    mutating func removeAll() {
        append([])
        steps = []
        next = 0
        outcome = .idle
    }

    @discardableResult
    mutating func run(on channel: Channel, now: TimeInterval) -> Outcome {
        outcome = runSteps(on: channel, now: now)
        return outcome
    }

    private mutating func runSteps(on channel: Channel, now: TimeInterval) -> Outcome {
        var budget = Self.turn
        while next < steps.count {
            if let resumesAt, now < resumesAt { return .until(resumesAt) }
            switch steps[next] {
            case .wait(let seconds):
                if resumesAt == nil, seconds > 0 {
                    resumesAt = now + seconds
                    return .until(now + seconds)
                }
                finishStep()
            case .pace(let new):
                pace = new
                writtenOfPeriod = 0
                finishStep()
            case .perform(let action):
                finishStep()
                return .perform(action)
            case .write(let data, _):
                guard written < steps[next].byteCount else {
                    finishStep()
                    continue
                }
                guard budget > 0 else { return .blocked }
                switch write(data, to: channel) {
                case .bytes(let count):
                    written += Int64(count)
                    budget -= count
                    if let pace { follow(pace, count: count, now: now) }
                    if written == steps[next].byteCount { finishStep() }
                case .wouldBlock: return .blocked
                case .ended, .failed: return .failed
                }
            }
        }
        return .idle
    }

    private func write(_ data: Data, to channel: Channel) -> Socket.Outcome {
        let offset = Int(written % Int64(data.count))
        var count = data.count - offset
        if let pace { count = min(count, pace.bytes - writtenOfPeriod) }
        return data.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
    }

    private mutating func follow(_ pace: MockResponse.Pace, count: Int, now: TimeInterval) {
        writtenOfPeriod += count
        guard writtenOfPeriod >= pace.bytes else { return }
        writtenOfPeriod = 0
        resumesAt = now + pace.period
    }

    private mutating func finishStep() {
        next += 1
        written = 0
        // The pause of a pace is for the next bytes only: behind the last ones it would delay the next response.
        if next < steps.count, case .write = steps[next] { return }
        resumesAt = nil
    }
}
