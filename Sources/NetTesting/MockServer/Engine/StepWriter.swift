import NetCore

/// The pauses between writes that a pace asks for.
struct Pacer {
    /// When the wait or the pause is over.
    var resumesAt: TimeInterval?
    private var pace: MockResponse.Pace?
    private var writtenOfPeriod = 0

    mutating func start(_ pace: MockResponse.Pace) {
        self.pace = pace
        writtenOfPeriod = 0
    }

    /// The bytes of the current period that are left.
    var allowance: Int { pace.map { $0.bytes - writtenOfPeriod } ?? .max }

    mutating func wrote(_ count: Int, now: TimeInterval) {
        guard let pace else { return }
        writtenOfPeriod += count
        guard writtenOfPeriod >= pace.bytes else { return }
        writtenOfPeriod = 0
        resumesAt = now + pace.period
    }
}

/// Performs the steps of a connection as far as the socket and the time allow. It never waits: the outcome says when to call again.
struct StepWriter {
    enum Outcome: Equatable {
        /// No step is left.
        case idle
        /// Call again when the socket takes bytes.
        case blocked
        /// Call again at that time.
        case until(TimeInterval)
        case perform(Step.Action)
        case failed
    }

    private var steps: [Step] = []
    private var next = 0
    /// The bytes of the current step that were written.
    private var written: Int64 = 0
    private var pacer = Pacer()
    private(set) var outcome = Outcome.idle

    /// The bytes that one connection may write before the others have their turn.
    static let turn = 512 << 10

    /// Whether it waits for a delay, rather than for a pace or the socket.
    var isDelaying: Bool {
        guard case .until = outcome, next < steps.count, case .wait = steps[next] else { return false }
        return true
    }

    mutating func append(_ new: [Step]) {
        if next == steps.count {
            steps = new
            next = 0
            written = 0
            pacer = Pacer()
        } else {
            steps.append(contentsOf: new)
        }
    }

    mutating func removeAll() {
        self = StepWriter()
    }

    @discardableResult
    mutating func run(on channel: Channel, now: TimeInterval) -> Outcome {
        outcome = runSteps(on: channel, now: now)
        return outcome
    }

    private mutating func runSteps(on channel: Channel, now: TimeInterval) -> Outcome {
        var budget = Self.turn
        while next < steps.count {
            if let time = pacer.resumesAt, now < time { return .until(time) }
            switch steps[next] {
            case .wait(let seconds):
                if pacer.resumesAt == nil, seconds > 0 {
                    pacer.resumesAt = now + seconds
                    return .until(now + seconds)
                }
                finishStep()
            case .pace(let pace):
                pacer.start(pace)
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
                    pacer.wrote(count, now: now)
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
        let count = min(data.count - offset, pacer.allowance)
        return data.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
    }

    private mutating func finishStep() {
        next += 1
        written = 0
        // The pause of a pace is for the next bytes only. After the last ones it would delay the next response.
        if next < steps.count, case .write = steps[next] { return }
        pacer.resumesAt = nil
    }
}
