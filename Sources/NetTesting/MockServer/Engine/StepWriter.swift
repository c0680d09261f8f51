import NetCore

/// Steps that are performed one after the other, each as soon as it is due.
struct StepQueue {
    private var steps: [Step] = []
    private var next = 0
    /// The bytes of the current step that were written, or the copies of ``Step/raw(_:times:)``.
    var written: Int64 = 0
    /// When the wait, or the pause of the pace, is over.
    private(set) var resumesAt: TimeInterval?
    private var pace: MockResponse.Pace?
    private var writtenOfPeriod = 0

    private var step: Step? { next < steps.count ? steps[next] : nil }

    /// Whether it waits for a delay, rather than for a pace.
    var isDelaying: Bool {
        guard resumesAt != nil, case .wait = step else { return false }
        return true
    }

    /// Whether END_STREAM can go on the frame of the current step.
    var isBeforeEnd: Bool {
        guard next + 1 < steps.count, case .end = steps[next + 1] else { return false }
        return true
    }

    /// The bytes of the current period that are left.
    var allowance: Int { pace.map { $0.bytes - writtenOfPeriod } ?? .max }

    mutating func append(_ new: [Step]) {
        if step == nil { self = StepQueue() }
        steps += new
    }

    /// Returns the current step, unless there is none or it is not yet due. Waits and paces need no more than this.
    mutating func due(now: TimeInterval) -> Step? {
        while let step {
            if let time = resumesAt {
                guard now >= time else { return nil }
                resumesAt = nil
                if case .wait = step {
                    finish()
                    continue
                }
            }
            switch step {
            case .wait(let seconds) where seconds > 0:
                resumesAt = now + seconds
                return nil
            case .wait: finish()
            case .pace(let new):
                pace = new
                writtenOfPeriod = 0
                finish()
            case .write where step.byteCount <= 0: finish()
            default: return step
            }
        }
        return nil
    }

    /// Counts bytes of the current step, and finishes it after the last one.
    mutating func wrote(_ count: Int, now: TimeInterval) {
        written += Int64(count)
        writtenOfPeriod += count
        if let pace, writtenOfPeriod >= pace.bytes {
            writtenOfPeriod = 0
            resumesAt = now + pace.period
        }
        if written == step?.byteCount { finish() }
    }

    mutating func finish() {
        next += 1
        written = 0
        // The pause of a pace is for the next bytes only. After the last ones it would delay the next response.
        if case .write = step { return }
        resumesAt = nil
    }

    mutating func replaceStep(with step: Step) { steps[next] = step }
}

/// Performs the steps of a connection of HTTP/1.1 as far as the socket and the time allow. It never waits: the outcome says when to call
/// again.
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

    private(set) var steps = StepQueue()
    private(set) var outcome = Outcome.idle

    /// The bytes that one connection may write before the others have their turn.
    static let turn = 512 << 10

    mutating func append(_ new: [Step]) { steps.append(new) }

    mutating func removeAll() { self = StepWriter() }

    @discardableResult
    mutating func run(on channel: Channel, now: TimeInterval) -> Outcome {
        outcome = runSteps(on: channel, now: now)
        return outcome
    }

    private mutating func runSteps(on channel: Channel, now: TimeInterval) -> Outcome {
        var budget = Self.turn
        while let step = steps.due(now: now) {
            switch step {
            case .write(let data, _):
                guard budget > 0 else { return .blocked }
                switch write(data, to: channel) {
                case .bytes(let count):
                    budget -= count
                    steps.wrote(count, now: now)
                case .wouldBlock: return .blocked
                case .ended, .failed: return .failed
                }
            case .perform(let action):
                steps.finish()
                return .perform(action)
            case .hold:
                steps.finish()
                return .perform(.stall)
            default: steps.finish()
            }
        }
        return steps.resumesAt.map(Outcome.until) ?? .idle
    }

    private func write(_ data: Data, to channel: Channel) -> Socket.Outcome {
        let offset = Int(steps.written % Int64(data.count))
        let count = min(data.count - offset, steps.allowance)
        return data.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)])) }
    }
}
