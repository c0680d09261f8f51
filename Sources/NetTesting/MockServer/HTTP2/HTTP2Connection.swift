import NetCore

/// An HTTP/2 connection. It takes over from a ``Connection`` whose client chose `h2`.
final class HTTP2Connection: LoopConnection {
    let outbox = ByteQueue()
    /// Whether the socket takes no more bytes now.
    var isBlocked = false

    var hasPreface = false
    var hasSettings = false
    /// The receive window of a new stream: the default until the client has acknowledged our settings (RFC 9113, section 6.9.3).
    var initialReceiveWindow: Int64 = 65_535
    var decoder: HPACKDecoder
    /// A field block that waits for its CONTINUATION.
    var fieldBlock: (stream: UInt32, endsStream: Bool, bytes: [UInt8])?
    var receiveWindow: Int64 = 65_535
    /// The bytes received and not yet returned by WINDOW_UPDATE.
    var unreturned = 0

    var streams: [UInt32: HTTP2Stream] = [:]
    /// The identifiers in the order of their turns. Closed streams stay in it for a while.
    var order: [UInt32] = []
    /// The highest stream that the client opened.
    var highest: UInt32 = 0
    /// The highest stream that the server accepted.
    var lastAccepted: UInt32 = 0
    var acceptedCount = 0
    /// The last stream of the latest GOAWAY. Streams beyond it are ignored, and the connection ends with the accepted ones.
    var goAwayLast: UInt32?

    var encoder = HPACKEncoder()
    var peerMaxFrame = 16_384
    var peerTableSize = 4_096
    var peerInitialWindow: Int64 = 65_535
    var sendWindow: Int64 = 65_535
    /// The stream whose field block is incomplete. Other streams and the connection's own frames wait for it.
    var exclusive: UInt32?
    /// The connection's own frames that wait.
    let waiting = ByteQueue()
    /// The action to perform once the outbox is empty.
    var action: Step.Action?
    /// Whether the connection failed, so that only the outbox is sent.
    var isEnding = false

    /// The bytes of frames that a client does not read. With more of them, the client is not read from.
    private static let outboxLimit = 1 << 20

    override init(number: Int, channel: Channel, inbox: ByteQueue, services: Services) {
        decoder = HPACKDecoder(
            tableSize: services.http2.headerTableSize,
            listLimit: min(services.http2.maxHeaderListSize ?? RequestParser.headLimit, RequestParser.headLimit))
        super.init(number: number, channel: channel, inbox: inbox, services: services)
        note { _ in }
        let payload = services.http2.announced.flatMap { $0.id.bigEndianBytes + $0.value.bigEndianBytes }
        write(MockHTTP2Frame(.settings, payload: Data(payload)))
    }

    var isExchanging: Bool { ending == nil && !isEnding }

    override var exchangeEvents: Int16 {
        let isFull = outbox.count + waiting.count >= Self.outboxLimit
        let events = peerFinished ? 0 : isFull ? PollEvents.peerShut : Int16(POLLIN)
        return isBlocked ? events | Int16(POLLOUT) : events
    }

    override var exchangeDeadline: TimeInterval? {
        streams.values.flatMap { [$0.steps.resumesAt, $0.returnsAt] }.compactMap { $0 }.min()
    }

    override func exchange(now: TimeInterval) {
        readFrames(now: now)
        returnPacedBytes(now: now)
        send(now: now)
        if ending == nil, peerFinished { close() }
    }

    override func receive(_ response: MockResponse, exchange: Int, now: TimeInterval) {
        guard let stream = UInt32(exactly: exchange).flatMap({ streams[$0] }), stream.handlerTask != nil else { return }
        stream.handlerTask = nil
        start(response, on: stream)
        advance(now: now)
    }

    override func cancelExchanges() { for stream in streams.values { drop(stream) } }

    override func noteClosing(in journal: inout Journal) { journal.updateHTTP2(number) { $0.isOpen = false } }

    /// Changes the connection's entry in the journal.
    func note(_ change: (inout MockHTTP2Connection) -> Void) {
        services.journal.update { $0.updateHTTP2(number, change) }
    }
}

/// One stream: what was received of its request, and what is left to send of its response.
final class HTTP2Stream {
    let id: UInt32
    let head: RequestHead
    /// The number of requests before it on the connection.
    let index: Int
    let arrival = Date()

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

    var sendWindow: Int64
    var steps = StepQueue()
    var isAnswering = false

    init(id: UInt32, head: RequestHead, on connection: HTTP2Connection) {
        self.id = id
        self.head = head
        index = connection.acceptedCount
        body = ReceivedBody(limit: connection.services.keptBody)
        receiveWindow = connection.initialReceiveWindow
        sendWindow = connection.peerInitialWindow
    }
}
