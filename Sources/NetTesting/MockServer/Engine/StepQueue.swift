import NetCore

/// Steps that are performed one after the other, each as soon as it is due.
struct StepQueue {
    /// The bytes that one connection may write before the others have their turn.
    static let turn = 512 << 10

    private var steps: [Step] = []
    private var next = 0
    /// The bytes of the current step that were written, or the copies of ``Step/raw(_:times:)``.
    var written: Int64 = 0
    /// When the wait, or the pause of the pace, is over.
    private(set) var resumesAt: TimeInterval?
    private var pace: (bytes: Int, period: TimeInterval)?
    private var writtenOfPeriod = 0

    private var step: Step? { next < steps.count ? steps[next] : nil }

    /// Whether it waits for a delay, rather than for a pace.
    var isDelaying: Bool { if case .wait = step { resumesAt != nil } else { false } }

    /// Whether END_STREAM can go on the frame of the current step.
    var isBeforeEnd: Bool { if next + 1 < steps.count, case .end = steps[next + 1] { true } else { false } }

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
            case .pace(let bytes, let period):
                pace = (bytes, period)
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
