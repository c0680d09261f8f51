/// Compresses bytes with the system's zlib or zstd, which are loaded at run time. One task uses it at a time.
package final class Compressor {
    /// The format of the compressed bytes.
    package enum Format: Hashable, Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1951 without a frame, with a window of 2^bits bytes. zlib supports 9 to 15.
        case deflate(windowBits: Int32)
        /// RFC 8878.
        case zstd

        /// Whether the library can be loaded.
        package var isAvailable: Bool { self == .zstd ? ZstdLibrary.shared != nil : ZlibLibrary.shared != nil }
    }

    /// What happens to bytes that the compressor still holds.
    package enum Flush: Int32, Sendable {
        case none = 0
        /// Writes all of them, ending at a byte's edge. With deflate the output ends with `00 00 FF FF`.
        case sync = 2
        /// Ends the stream.
        case finish = 4
    }

    /// Appends what is ready. False if memory is exhausted or the stream has ended.
    private let step: (UnsafeRawBufferPointer, Flush, inout Data) -> Bool

    /// - Parameter level: 1 (fast) to 9 (small); for zstd 1 to 19. Nil for the library's default.
    /// - Returns: nil if the library or memory is missing, or the window is out of range.
    package init?(_ format: Format, level: Int32? = nil) {
        let step: ((UnsafeRawBufferPointer, Flush, inout Data) -> Bool)? =
            switch format {
            case .gzip: ZlibStream(deflating: 15 + 16, level: level ?? -1)?.deflate
            case .deflate(let bits):
                (9...15).contains(bits) ? ZlibStream(deflating: -bits, level: level ?? -1)?.deflate : nil
            case .zstd: ZstdStream(level: level ?? 3)?.compress
            }
        guard let step else { return nil }
        self.step = step
    }

    /// Returns the compressed bytes that are ready; nil if memory is exhausted, or after the end of the stream.
    package func compress(_ data: Data, _ flush: Flush = .none) -> Data? {
        var output = Data()
        // zlib counts its input in 32 bits.
        let most = 1 << 30
        var rest = data
        while rest.count > most {
            guard rest.prefix(most).withUnsafeBytes({ step($0, .none, &output) }) else { return nil }
            rest = rest.dropFirst(most)
        }
        return rest.withUnsafeBytes { step($0, flush, &output) } ? output : nil
    }
}

/// Decompresses raw deflate (RFC 1951) or gzip (RFC 1952) with the system's zlib. One task uses it at a time.
package final class Inflater {
    /// The reason why bytes cannot be decompressed.
    package enum Problem: Error {
        case malformed
        /// More bytes than allowed.
        case tooLarge
    }

    private let stream: ZlibStream
    /// Whether the last input ended with the end of a stream.
    private var isAtEnd = false
    /// Whether the input so far ends with a complete block, at a byte's edge.
    package private(set) var isBetweenBlocks = true

    /// - Parameter windowBits: the window is 2^bits bytes; 8 to 15.
    /// - Returns: nil if zlib or memory is missing.
    package init?(windowBits: Int32, isGzip: Bool = false) {
        guard (8...15).contains(windowBits), let stream = ZlibStream(inflating: isGzip ? windowBits + 16 : -windowBits)
        else { return nil }
        self.stream = stream
    }

    /// Returns the bytes of a whole gzip file; nil if it is malformed, incomplete or too large, or zlib is missing.
    package static func gzipped(_ data: Data, limit: Int) -> Data? {
        guard let inflater = Inflater(windowBits: 15, isGzip: true) else { return nil }
        let output = try? inflater.decompress(data, limit: limit)
        return inflater.isAtEnd ? output : nil
    }

    /// Returns the decompressed bytes of complete input: all output that it allows, and at most `limit` bytes.
    package func decompress(_ data: Data, limit: Int) throws(Problem) -> Data {
        guard data.count <= Int(Int32.max) else { throw .tooLarge }
        var output = Data()
        isAtEnd = false
        let problem = data.withUnsafeBytes { (input: UnsafeRawBufferPointer) -> Problem? in
            stream.set(input)
            while true {
                let (result, mayHaveMore) = stream.run(stream.library.inflate, 0, into: &output)
                if output.count > limit { return .tooLarge }
                switch result {
                case 0, ZStream.noProgress:
                    // After a block zlib sets bit 7, and clears it in a call without progress. The lower bits count the rest of the last byte.
                    if result == 0 { isBetweenBlocks = stream.dataType & 0xBF == 0x80 }
                    if !mayHaveMore { return stream.isInputRead ? nil : .malformed }
                case ZStream.end:
                    // A final block inside a message (RFC 7692, section 7.2.3.4): the next one begins a new stream.
                    guard stream.beginAgain() else { return .malformed }
                    isBetweenBlocks = true
                    isAtEnd = stream.isInputRead
                    if isAtEnd { return nil }
                default: return .malformed
                }
            }
        }
        if let problem { throw problem }
        return output
    }
}

/// A stream of zlib, which compresses or decompresses.
final class ZlibStream {
    let library: ZlibLibrary
    private let pointer: UnsafeMutablePointer<ZStream>
    private let end: ZlibLibrary.Change
    /// The object at the address that the functions for memory get.
    private let owner: AnyObject?

    private init?(
        _ stream: ZStream = ZStream(), of owner: AnyObject? = nil, end: KeyPath<ZlibLibrary, ZlibLibrary.Change>,
        begin: (ZlibLibrary, UnsafeMutablePointer<ZStream>) -> Int32
    ) {
        guard let library = ZlibLibrary.shared else { return nil }
        (self.library, self.owner, self.end) = (library, owner, library[keyPath: end])
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: stream)
        guard begin(library, pointer) == 0 else { return nil }
    }

    deinit {
        _ = end(pointer)
        pointer.deallocate()
    }

    convenience init?(deflating windowBits: Int32, level: Int32) {
        let (deflated, memoryLevel, defaultStrategy): (Int32, Int32, Int32) = (8, 8, 0)
        self.init(end: \.deflateEnd) { library, stream in
            library.deflateInit2(
                stream, level, deflated, windowBits, memoryLevel, defaultStrategy, library.version(), ZStream.size)
        }
    }

    /// - Parameters:
    ///   - windowBits: as for `inflateInit2` of zlib.h: negative for raw deflate, plus 16 for gzip.
    ///   - stream: may have functions for memory. They get the address of the owner.
    convenience init?(inflating windowBits: Int32, _ stream: ZStream = ZStream(), of owner: AnyObject? = nil) {
        self.init(stream, of: owner, end: \.inflateEnd) { library, stream in
            library.inflateInit2(stream, windowBits, library.version(), ZStream.size)
        }
    }

    var isInputRead: Bool { pointer.pointee.availableIn == 0 }
    var dataType: Int32 { pointer.pointee.dataType }

    func set(_ input: UnsafeRawBufferPointer) {
        pointer.pointee.nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.availableIn = UInt32(clamping: input.count)
    }

    /// Begins a new stream behind one that has ended, with its window.
    func beginAgain() -> Bool { library.inflateResetKeep(pointer) == 0 }

    /// Begins a new stream, in a format of ``init(inflating:_:of:)``.
    func reset(_ windowBits: Int32) { _ = library.inflateReset2(pointer, windowBits) }

    /// Decompresses as much of the input as the output has room for, and removes what was used from both. Returns zlib's result.
    func inflate(_ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer) -> Int32 {
        set(input)
        pointer.pointee.nextOut = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.availableOut = UInt32(clamping: output.count)
        let result = library.inflate(pointer, 0)
        input.removeFirst(Int(UInt32(clamping: input.count) - pointer.pointee.availableIn))
        output.removeFirst(Int(UInt32(clamping: output.count) - pointer.pointee.availableOut))
        return result
    }

    /// Calls zlib with room for a block of output, and appends the output. Returns zlib's result, and whether there may be more output.
    func run(_ call: ZlibLibrary.Run, _ flush: Int32, into output: inout Data) -> (result: Int32, mayHaveMore: Bool) {
        var result: Int32 = 0
        output.appendBlock { block in
            pointer.pointee.nextOut = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            pointer.pointee.availableOut = UInt32(block.count)
            result = call(pointer, flush)
            return block.count - Int(pointer.pointee.availableOut)
        }
        return (result, pointer.pointee.availableOut == 0)
    }

    func deflate(_ input: UnsafeRawBufferPointer, _ flush: Compressor.Flush, into output: inout Data) -> Bool {
        set(input)
        while true {
            let (result, mayHaveMore) = run(library.deflate, flush.rawValue, into: &output)
            switch result {
            case ZStream.end: return isInputRead
            case 0, ZStream.noProgress:
                if !mayHaveMore { return isInputRead && flush != .finish }
            default: return false
            }
        }
    }
}

private final class ZstdStream {
    private let library: ZstdLibrary
    private let context: OpaquePointer

    init?(level: Int32) {
        guard let library = ZstdLibrary.shared, let context = library.create() else { return nil }
        (self.library, self.context) = (library, context)
        let compressionLevel: Int32 = 100
        _ = library.setParameter(context, compressionLevel, level)
    }

    deinit { _ = library.free(context) }

    func compress(_ input: UnsafeRawBufferPointer, _ flush: Compressor.Flush, into output: inout Data) -> Bool {
        var source = ZstdLibrary.Buffer(bytes: input.baseAddress, size: input.count)
        let directive: Int32 = flush == .none ? 0 : flush == .sync ? 1 : 2
        while true {
            var (remaining, isFull) = (0, false)
            output.appendBlock { block in
                var target = ZstdLibrary.Buffer(bytes: UnsafeRawPointer(block.baseAddress), size: block.count)
                remaining = library.compress(context, &target, &source, directive)
                isFull = target.position == block.count
                return target.position
            }
            if library.isError(remaining) != 0 { return false }
            if source.position == source.size, directive == 0 ? !isFull : remaining == 0 { return true }
        }
    }
}

extension Data {
    /// Appends the bytes that a closure writes to a block of memory and counts.
    fileprivate mutating func appendBlock(_ write: (UnsafeMutableRawBufferPointer) -> Int) {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { block in
            let count = write(block)
            if count > 0, let bytes = block.baseAddress {
                append(bytes.assumingMemoryBound(to: UInt8.self), count: count)
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    mutating func removeFirst(_ count: Int) { self = UnsafeRawBufferPointer(rebasing: dropFirst(count)) }
}

extension UnsafeMutableRawBufferPointer {
    mutating func removeFirst(_ count: Int) { self = UnsafeMutableRawBufferPointer(rebasing: dropFirst(count)) }
}
