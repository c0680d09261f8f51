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
///
/// Tells the writer's delegate events on the queue that it was given: of space once after it is open, and once after each write. That the
/// reader is gone is no event, since Apple's documentation promises none.
final class BoundPipe: @unchecked Sendable {
    private let condition = NSCondition()
    private let capacity: Int
    private var bytes = Data()
    private var isWriterClosed = false
    private var isReaderClosed = false
    private var questionCount = 0
    private weak var writer: OutputStream?
    private weak var listener: (any StreamDelegate)?
    private var place: DispatchQueue?
    /// Whether the next space is an event.
    private var isArmed = false

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Waits for the first byte. 0 at the end.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        defer { tellSpace() }
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
        defer { tellSpace() }
        return condition.withLock {
            while bytes.count >= capacity, !isReaderClosed, !isWriterClosed { condition.wait() }
            isArmed = true
            guard !isReaderClosed, !isWriterClosed else { return -1 }
            let count = min(length, capacity - bytes.count)
            bytes.append(buffer, count: count)
            condition.broadcast()
            return count
        }
    }

    var hasBytes: Bool { condition.withLock { !bytes.isEmpty || isWriterClosed } }
    var isFull: Bool { condition.withLock { bytes.count >= capacity } }
    var isAtEnd: Bool { condition.withLock { bytes.isEmpty && isWriterClosed } }
    var isBroken: Bool { condition.withLock { isReaderClosed } }
    private var hasSpaceWithLock: Bool { bytes.count < capacity && !isReaderClosed }

    /// How often the writer has asked whether there is space.
    var questions: Int { condition.withLock { questionCount } }

    /// Whether there is space, for the writer.
    func askForSpace() -> Bool {
        condition.withLock {
            questionCount += 1
            return hasSpaceWithLock
        }
    }

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

    // MARK: Events

    var delegate: (any StreamDelegate)? {
        get { condition.withLock { listener } }
        set { condition.withLock { listener = newValue } }
    }

    func deliver(on queue: DispatchQueue?) { condition.withLock { place = queue } }

    func openWriter(_ stream: OutputStream) {
        condition.withLock { (writer, isArmed) = (stream, true) }
        tell(.openCompleted)
        tellSpace()
    }

    private func tellSpace() {
        // Asks and disarms under one lock: a write in between would take the event of the next space.
        let isEvent = condition.withLock {
            guard isArmed, !isWriterClosed, hasSpaceWithLock else { return false }
            isArmed = false
            return true
        }
        if isEvent { tell(.hasSpaceAvailable) }
    }

    private func tell(_ event: Stream.Event) {
        let (stream, queue) = condition.withLock { (writer, place) }
        guard let stream else { return }
        nonisolated(unsafe) let told = stream
        queue?.async { self.delegate?.stream(told, handle: event) }
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

final class BoundOutputStream: OutputStream {
    fileprivate let pipe: BoundPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: BoundPipe) {
        self.pipe = pipe
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        pipe = BoundPipe(capacity: 1)
        super.init(toMemory: ())
    }

    override var delegate: (any StreamDelegate)? {
        get { pipe.delegate }
        set { pipe.delegate = newValue }
    }

    override func open() {
        status = .open
        pipe.openWriter(self)
    }

    override func close() {
        status = .closed
        pipe.closeWriter()
    }

    override var streamStatus: Stream.Status { pipe.isBroken ? .error : status }
    override var streamError: (any Error)? { pipe.isBroken ? POSIXError(.EPIPE) : nil }
    override var hasSpaceAvailable: Bool { pipe.askForSpace() && status == .open }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int { pipe.write(buffer, length) }
}

/// https://developer.apple.com/documentation/corefoundation/cfwritestream
public typealias CFWriteStream = OutputStream

/// https://developer.apple.com/documentation/corefoundation/cfwritestreamsetdispatchqueue(_:_:)
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!) {
    (stream as? BoundOutputStream)?.pipe.deliver(on: q)
}

/// Harness only: how often the writer of a full pair of bound streams has asked whether there is space.
public enum FakeStreams {
    /// Nil if the pair is not full.
    public static func questionsWhileFull(of input: InputStream) -> Int? {
        guard let pipe = (input as? BoundInputStream)?.pipe, pipe.isFull else { return nil }
        return pipe.questions
    }
}
