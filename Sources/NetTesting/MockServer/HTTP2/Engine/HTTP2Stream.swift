import NetCore

/// One stream: what has come of its request, and what is left to send of its response.
final class HTTP2Stream {
    let id: UInt32
    let head: RequestHead
    /// How many requests came before it on the connection.
    let index: Int
    let arrival = Date()

    // MARK: The request

    var body = Data()
    var bodyLength: Int64 = 0
    var trailers = HTTPHeaders()
    /// END_STREAM has come.
    var isRequestComplete = false
    var isRecorded = false
    var receiveWindow: Int64
    /// Bytes that were taken and not given back by WINDOW_UPDATE.
    var owed = 0
    var answer: Dispatcher.Answer?
    var handlerTask: Task<Void, Never>?
    /// A fault that strikes when that many bytes of the body were read.
    var interruption: (after: Int64, action: Step.Action)?
    /// Bytes of the body a second; the window gives no more.
    var readPace: Int?
    /// When ``owed`` is given back, in part.
    var returnsAt: TimeInterval?

    // MARK: The response

    var sendWindow: Int64
    private(set) var steps: [HTTP2Step] = []
    private(set) var next = 0
    /// Bytes of the current step that were sent.
    var written: Int64 = 0
    /// When the wait or the pause is over.
    var resumesAt: TimeInterval?
    var pace: MockResponse.Pace?
    /// Bytes that were sent of the current period.
    var writtenOfPeriod = 0
    var isAnswering = false

    init(id: UInt32, head: RequestHead, index: Int, receiveWindow: Int64, sendWindow: Int64) {
        self.id = id
        self.head = head
        self.index = index
        self.receiveWindow = receiveWindow
        self.sendWindow = sendWindow
    }

    var step: HTTP2Step? { next < steps.count ? steps[next] : nil }

    /// Whether END_STREAM can go on the frame of the current step.
    var isBeforeEnd: Bool {
        guard next + 1 < steps.count, case .end = steps[next + 1] else { return false }
        return true
    }

    func append(_ new: [HTTP2Step]) { steps += new }

    func replaceStep(with step: HTTP2Step) { steps[next] = step }

    func finishStep() {
        next += 1
        written = 0
        // The pause of a pace is for the next bytes only.
        if case .data = step { return }
        resumesAt = nil
    }

    func follow(_ pace: MockResponse.Pace, count: Int, now: TimeInterval) {
        writtenOfPeriod += count
        guard writtenOfPeriod >= pace.bytes else { return }
        writtenOfPeriod = 0
        resumesAt = now + pace.period
    }
}
