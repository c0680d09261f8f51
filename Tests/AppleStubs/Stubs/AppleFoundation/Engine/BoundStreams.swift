extension Stream {
    /// https://developer.apple.com/documentation/foundation/stream/getboundstreams(withbuffersize:inputstream:outputstream:)
    ///
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

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Waits for the first byte. 0 at the end.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        condition.withLock {
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

    var hasBytes: Bool { condition.withLock { !bytes.isEmpty || isWriterClosed } }
    var hasSpace: Bool { condition.withLock { bytes.count < capacity && !isReaderClosed } }
    var isAtEnd: Bool { condition.withLock { bytes.isEmpty && isWriterClosed } }
    var isBroken: Bool { condition.withLock { isReaderClosed } }

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
    private let pipe: BoundPipe
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
    private let pipe: BoundPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: BoundPipe) {
        self.pipe = pipe
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        pipe = BoundPipe(capacity: 1)
        super.init(toMemory: ())
    }

    override func open() { status = .open }

    override func close() {
        status = .closed
        pipe.closeWriter()
    }

    override var streamStatus: Stream.Status { pipe.isBroken ? .error : status }
    override var streamError: (any Error)? { pipe.isBroken ? POSIXError(.EPIPE) : nil }
    override var hasSpaceAvailable: Bool { pipe.hasSpace }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        pipe.write(buffer, length)
    }
}
