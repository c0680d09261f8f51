import NetCore

/// One stream: what was received of its request, and what is left to send of its response.
final class HTTP2Stream {
    let id: UInt32
    let head: RequestHead
    /// The number of requests before it on the connection.
    let index: Int
    let arrival = Date()

    // MARK: The request

    var body: ReceivedBody
    var trailers = HTTPHeaders()
    /// Whether END_STREAM was received.
    var isRequestComplete = false
    var isRecorded = false
    var receiveWindow: Int64
    /// The bytes received and not yet returned by WINDOW_UPDATE.
    var unreturned = 0
    var answer: Dispatcher.Answer?
    var handlerTask: Task<Void, Never>?
    /// A fault that strikes when that many bytes of the body were read.
    var interruption: (after: Int64, action: Step.Action)?
    /// The bytes of the body to receive per second; the window allows no more.
    var readPace: Int?
    /// When the next part of ``unreturned`` is returned.
    var returnsAt: TimeInterval?

    // MARK: The response

    var sendWindow: Int64
    private var steps: [HTTP2Step] = []
    private var next = 0
    /// The bytes of the current step that were sent.
    var written: Int64 = 0
    var pacer = Pacer()
    var isAnswering = false

    init(id: UInt32, head: RequestHead, index: Int, keptBody: Int, receiveWindow: Int64, sendWindow: Int64) {
        self.id = id
        self.head = head
        self.index = index
        body = ReceivedBody(limit: keptBody)
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
        pacer.resumesAt = nil
    }
}
