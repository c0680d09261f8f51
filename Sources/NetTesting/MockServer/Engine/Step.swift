import NetCore

/// A step of a connection. A response, with its delays and its faults, is a list of steps.
enum Step: Sendable {
    /// An action on the connection itself.
    enum Action: Equatable, Sendable {
        case close
        case halfClose
        case reset
        case stall
    }

    /// Writes these bytes that many times.
    case write(Data, times: Int64)
    /// Writes nothing for that many seconds.
    case wait(TimeInterval)
    /// Paces the steps that follow.
    case pace(MockResponse.Pace)
    /// The last step.
    case perform(Action)

    static func write(_ data: Data) -> Step { .write(data, times: 1) }

    static func write(_ text: String) -> Step { .write(Data(text.utf8)) }

    /// The bytes to write. It saturates instead of overflowing, for responses without an end.
    var byteCount: Int64 {
        guard case .write(let data, let times) = self else { return 0 }
        let (product, overflow) = Int64(data.count).multipliedReportingOverflow(by: times)
        return overflow ? .max : product
    }
}

extension [Step] {
    var byteCount: Int64 {
        reduce(0) { sum, step in
            let (total, overflow) = sum.addingReportingOverflow(step.byteCount)
            return overflow ? .max : total
        }
    }

    /// Returns the steps after that many bytes.
    func dropFirst(bytes limit: Int64) -> [Step] {
        var result: [Step] = []
        var remaining = limit
        for step in self {
            guard remaining > 0, case .write(let data, let times) = step, !data.isEmpty else {
                if remaining <= 0 { result.append(step) }
                continue
            }
            guard step.byteCount > remaining else {
                remaining -= step.byteCount
                continue
            }
            let (whole, part) = remaining.quotientAndRemainder(dividingBy: Int64(data.count))
            if part > 0 { result.append(.write(data.dropFirst(Int(part)))) }
            let left = times - whole - (part > 0 ? 1 : 0)
            if left > 0 { result.append(.write(data, times: left)) }
            remaining = 0
        }
        return result
    }

    /// Returns the steps up to that many bytes.
    func prefix(bytes limit: Int64) -> [Step] {
        var result: [Step] = []
        var remaining = limit
        for step in self {
            guard remaining > 0 else { break }
            guard case .write(let data, let times) = step, step.byteCount > remaining else {
                result.append(step)
                remaining -= step.byteCount
                continue
            }
            let whole = Swift.min(times, remaining / Int64(data.count))
            if whole > 0 { result.append(.write(data, times: whole)) }
            let part = Int(remaining - whole * Int64(data.count))
            if part > 0 { result.append(.write(data.prefix(part))) }
            remaining = 0
        }
        return result
    }
}

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
