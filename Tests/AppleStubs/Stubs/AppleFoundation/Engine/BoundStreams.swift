extension Stream {
    /// Foundation on Linux has none.
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
        outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?
    ) {
        let pipe = BoundPipe(capacity: bufferSize)
        inputStream?.pointee = BoundInputStream(pipe)
        outputStream?.pointee = BoundOutputStream(pipe)
    }
}

/// In Apple's SDKs a pointer of its own kind; that of a variable is one here.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A buffer between a writer and a reader, each of which waits for the other.
final class BoundPipe: @unchecked Sendable {
    private let condition = NSCondition()
    private let capacity: Int
    private var bytes = Data()
    private var isWriterClosed = false
    private var isReaderClosed = false
    private var questionCount = 0
    /// Told when bytes were read.
    private var onRead: (@Sendable () -> Void)?

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Waits for the first byte. 0 at the end.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        defer { condition.withLock { onRead }?() }
        return condition.withLock {
            while bytes.isEmpty, !isWriterClosed, !isReaderClosed { condition.wait() }
            guard !isReaderClosed, !bytes.isEmpty else { return 0 }
            let count = min(length, bytes.count)
            bytes.copyBytes(to: buffer, count: count)
            bytes = Data(bytes.dropFirst(count))
            condition.broadcast()
            return count
        }
    }

    /// Waits for the first free byte. -1 if nobody reads any more.
    func write(_ buffer: UnsafePointer<UInt8>, _ length: Int) -> Int {
        condition.withLock {
            while bytes.count >= capacity, !isReaderClosed, !isWriterClosed { condition.wait() }
            guard !isReaderClosed, !isWriterClosed else { return -1 }
            let count = min(length, capacity - bytes.count)
            bytes.append(buffer, count: count)
            condition.broadcast()
            return count
        }
    }

    func tellReads(_ listener: (@Sendable () -> Void)?) { condition.withLock { onRead = listener } }
    var hasBytes: Bool { condition.withLock { !bytes.isEmpty || isWriterClosed } }
    var hasSpace: Bool { condition.withLock { bytes.count < capacity && !isReaderClosed } }
    var isFull: Bool { condition.withLock { bytes.count >= capacity } }
    var isAtEnd: Bool { condition.withLock { bytes.isEmpty && isWriterClosed } }
    var isBroken: Bool { condition.withLock { isReaderClosed } }

    /// How often the writer has asked whether there is space.
    var questions: Int { condition.withLock { questionCount } }
    func countQuestion() { condition.withLock { questionCount += 1 } }

    func closeWriter() {
        condition.withLock {
            isWriterClosed = true
            condition.broadcast()
        }
    }

    func closeReader() {
        condition.withLock {
            isReaderClosed = true
            condition.broadcast()
        }
    }
}

final class BoundInputStream: InputStream {
    fileprivate let pipe: BoundPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: BoundPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() {
        status = .closed
        pipe.closeReader()
    }

    override var streamStatus: Stream.Status { status == .open && pipe.isAtEnd ? .atEnd : status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { pipe.hasBytes }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        pipe.read(buffer, length)
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// Tells its delegate events on the queue that it was given: of space once after it is open, and once after each write. That the reader is
/// gone is no event, since Apple's documentation promises none.
final class BoundOutputStream: OutputStream {
    private let pipe: BoundPipe
    private var status = Stream.Status.notOpen
    private let events = Events()

    init(_ pipe: BoundPipe) {
        self.pipe = pipe
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        pipe = BoundPipe(capacity: 1)
        super.init(toMemory: ())
    }

    override var delegate: (any StreamDelegate)? {
        get { events.delegate }
        set { events.delegate = newValue }
    }

    override func open() {
        status = .open
        events.stream = self
        pipe.tellReads { [events] in events.stream?.tellSpace() }
        events.tell(.openCompleted, of: self)
        events.arm()
        tellSpace()
    }

    override func close() {
        status = .closed
        pipe.tellReads(nil)
        pipe.closeWriter()
    }

    override var streamStatus: Stream.Status { pipe.isBroken ? .error : status }
    override var streamError: (any Error)? { pipe.isBroken ? POSIXError(.EPIPE) : nil }
    override var hasSpaceAvailable: Bool {
        pipe.countQuestion()
        return status == .open && pipe.hasSpace
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        let count = pipe.write(buffer, length)
        events.arm()
        tellSpace()
        return count
    }

    fileprivate func tellSpace() {
        if events.disarm(if: { pipe.hasSpace }) { events.tell(.hasSpaceAvailable, of: self) }
    }

    fileprivate func deliver(on queue: DispatchQueue?) { events.queue = queue }

    /// Who is told, and where.
    private final class Events: @unchecked Sendable {
        private let lock = NSLock()
        /// Set before anybody reads.
        weak var stream: BoundOutputStream?
        private weak var listener: (any StreamDelegate)?
        private var place: DispatchQueue?
        private var isArmed = false

        var delegate: (any StreamDelegate)? {
            get { lock.withLock { listener } }
            set { lock.withLock { listener = newValue } }
        }

        var queue: DispatchQueue? {
            get { lock.withLock { place } }
            set { lock.withLock { place = newValue } }
        }

        func arm() { lock.withLock { isArmed = true } }

        /// Asks under the lock: a write between the answer and the end of the armed state would take the event of the next space.
        func disarm(if hasSpace: () -> Bool) -> Bool {
            lock.withLock {
                guard isArmed, hasSpace() else { return false }
                isArmed = false
                return true
            }
        }

        func tell(_ event: Stream.Event, of stream: Stream) {
            nonisolated(unsafe) let stream = stream
            queue?.async { self.delegate?.stream(stream, handle: event) }
        }
    }
}

/// https://developer.apple.com/documentation/corefoundation/cfwritestream
public typealias CFWriteStream = OutputStream

/// https://developer.apple.com/documentation/corefoundation/cfwritestreamsetdispatchqueue(_:_:)
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!) {
    (stream as? BoundOutputStream)?.deliver(on: q)
}

/// Harness only: how often the writer of a full pair of bound streams has asked whether there is space.
public enum FakeStreams {
    /// Nil if the pair is not full.
    public static func questionsWhileFull(of input: InputStream) -> Int? {
        guard let pipe = (input as? BoundInputStream)?.pipe, pipe.isFull else { return nil }
        return pipe.questions
    }
}
