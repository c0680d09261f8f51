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

    private let engine: any CompressionEngine

    /// - Parameter level: 1 (fast) to 9 (small); for zstd 1 to 19. Nil for the library's default.
    /// - Returns: nil if the library or memory is missing, or the window is out of range.
    package init?(_ format: Format, level: Int32? = nil) {
        let engine: (any CompressionEngine)? =
            switch format {
            case .gzip: Deflater(windowBits: 15 + 16, level: level ?? -1)
            case .deflate(let bits): (9...15).contains(bits) ? Deflater(windowBits: -bits, level: level ?? -1) : nil
            case .zstd: ZstdCompressor(level: level ?? 3)
            }
        guard let engine else { return nil }
        self.engine = engine
    }

    /// Returns the compressed bytes that are ready.
    ///
    /// - Returns: nil if memory is exhausted, or after the end of the stream.
    package func compress(_ data: Data, _ flush: Flush = .none) -> Data? {
        var output = Data()
        // zlib counts its input in 32 bits.
        let most = 1 << 30
        var rest = data
        while rest.count > most {
            guard rest.prefix(most).withUnsafeBytes({ engine.compress($0, .none, into: &output) }) else { return nil }
            rest = rest.dropFirst(most)
        }
        return rest.withUnsafeBytes { engine.compress($0, flush, into: &output) } ? output : nil
    }

    /// Forgets everything compressed so far, and begins a new stream.
    package func reset() { engine.reset() }
}

/// Decompresses raw deflate (RFC 1951) or gzip (RFC 1952) with the system's zlib. One task uses it at a time.
package final class Inflater {
    /// The reason why bytes cannot be decompressed.
    package enum Problem: Error {
        case malformed
        /// More bytes than allowed.
        case tooLarge
    }

    private let library: ZlibLibrary
    private let stream: UnsafeMutablePointer<ZStream>
    /// Whether the last input ended with the end of a stream.
    private var isAtEnd = false
    /// Whether the input so far ends with a complete block, at a byte's edge.
    package private(set) var isBetweenBlocks = true

    /// - Parameter windowBits: the window is 2^bits bytes; 8 to 15.
    /// - Returns: nil if zlib or memory is missing.
    package init?(windowBits: Int32, isGzip: Bool = false) {
        guard let library = ZlibLibrary.shared, (8...15).contains(windowBits) else { return nil }
        self.library = library
        stream = .allocate(capacity: 1)
        stream.initialize(to: ZStream())
        guard library.inflateInit2(stream, isGzip ? windowBits + 16 : -windowBits, library.version(), ZStream.size) == 0
        else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        _ = library.inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the bytes of a whole gzip file; nil if it is malformed, incomplete or too large, or zlib is missing.
    package static func gzipped(_ data: Data, limit: Int) -> Data? {
        guard let inflater = Inflater(windowBits: 15, isGzip: true),
            let output = try? inflater.decompress(data, limit: limit)
        else { return nil }
        return inflater.isAtEnd ? output : nil
    }

    /// Returns the decompressed bytes of complete input: all output that it allows is returned.
    ///
    /// - Parameter limit: the most bytes to return.
    package func decompress(_ data: Data, limit: Int) throws(Problem) -> Data {
        guard data.count <= Int(Int32.max) else { throw .tooLarge }
        var output = Data()
        isAtEnd = false
        let problem = data.withUnsafeBytes { (input: UnsafeRawBufferPointer) -> Problem? in
            stream.pointee.set(input)
            while true {
                let (result, mayHaveMore) = stream.write(to: &output) { library.inflate(stream, 0) }
                if output.count > limit { return .tooLarge }
                switch result {
                case 0, ZStream.noProgress:
                    // After a block zlib sets bit 7, and clears it in a call without progress. The lower bits count what is left of the
                    // last byte.
                    if result == 0 { isBetweenBlocks = stream.pointee.dataType & 0xBF == 0x80 }
                    if !mayHaveMore { return stream.pointee.availableIn == 0 ? nil : .malformed }
                case ZStream.end:
                    // A final block inside a message (RFC 7692, section 7.2.3.4): the next one begins a new stream.
                    guard library.inflateResetKeep(stream) == 0 else { return .malformed }
                    isBetweenBlocks = true
                    isAtEnd = stream.pointee.availableIn == 0
                    if isAtEnd { return nil }
                default: return .malformed
                }
            }
        }
        if let problem { throw problem }
        return output
    }

    /// Forgets everything decompressed so far.
    package func reset() { _ = library.inflateReset(stream) }
}

private protocol CompressionEngine: AnyObject {
    /// Appends what is ready. False if memory is exhausted or the stream has ended.
    func compress(_ input: UnsafeRawBufferPointer, _ flush: Compressor.Flush, into output: inout Data) -> Bool
    func reset()
}

private final class Deflater: CompressionEngine {
    private let library: ZlibLibrary
    private let stream: UnsafeMutablePointer<ZStream>

    init?(windowBits: Int32, level: Int32) {
        guard let library = ZlibLibrary.shared else { return nil }
        self.library = library
        stream = .allocate(capacity: 1)
        stream.initialize(to: ZStream())
        let (deflated, memoryLevel, defaultStrategy): (Int32, Int32, Int32) = (8, 8, 0)
        guard
            library.deflateInit2(
                stream, level, deflated, windowBits, memoryLevel, defaultStrategy, library.version(), ZStream.size) == 0
        else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        _ = library.deflateEnd(stream)
        stream.deallocate()
    }

    func compress(_ input: UnsafeRawBufferPointer, _ flush: Compressor.Flush, into output: inout Data) -> Bool {
        stream.pointee.set(input)
        while true {
            let (result, mayHaveMore) = stream.write(to: &output) { library.deflate(stream, flush.rawValue) }
            switch result {
            case ZStream.end: return stream.pointee.availableIn == 0
            case 0, ZStream.noProgress:
                if !mayHaveMore { return stream.pointee.availableIn == 0 && flush != .finish }
            default: return false
            }
        }
    }

    func reset() { _ = library.deflateReset(stream) }
}

private final class ZstdCompressor: CompressionEngine {
    private let library: ZstdLibrary
    private let context: OpaquePointer

    init?(level: Int32) {
        guard let library = ZstdLibrary.shared, let context = library.create() else { return nil }
        self.library = library
        self.context = context
        let compressionLevel: Int32 = 100
        _ = library.setParameter(context, compressionLevel, level)
    }

    deinit { _ = library.free(context) }

    func compress(_ input: UnsafeRawBufferPointer, _ flush: Compressor.Flush, into output: inout Data) -> Bool {
        var source = ZstdLibrary.Buffer(input.baseAddress, input.count)
        let directive: Int32 = flush == .none ? 0 : flush == .sync ? 1 : 2
        while true {
            var (remaining, isFull) = (0, false)
            output.appendBlock { block in
                var target = ZstdLibrary.Buffer(UnsafeRawPointer(block.baseAddress), block.count)
                remaining = library.compress(context, &target, &source, directive)
                isFull = target.position == block.count
                return target.position
            }
            if library.isError(remaining) != 0 { return false }
            if source.position == source.size, directive == 0 ? !isFull : remaining == 0 { return true }
        }
    }

    func reset() {
        let sessionOnly: Int32 = 1
        _ = library.reset(context, sessionOnly)
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

/// `z_stream` of zlib.h. The libraries compare its size with theirs.
private struct ZStream {
    var nextIn: UnsafePointer<UInt8>?
    var availableIn: UInt32 = 0
    var totalIn: UInt = 0
    var nextOut: UnsafeMutablePointer<UInt8>?
    var availableOut: UInt32 = 0
    var totalOut: UInt = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    var allocate: OpaquePointer?
    var release: OpaquePointer?
    var opaque: OpaquePointer?
    var dataType: Int32 = 0
    var checksum: UInt = 0
    var reserved: UInt = 0

    static let size = Int32(MemoryLayout<ZStream>.stride)
    static let end: Int32 = 1
    static let noProgress: Int32 = -5

    mutating func set(_ input: UnsafeRawBufferPointer) {
        nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        availableIn = UInt32(clamping: input.count)
    }
}

extension UnsafeMutablePointer<ZStream> {
    /// Calls zlib with room for a block of output, and appends the output.
    ///
    /// - Returns: zlib's result, and whether there may be more output.
    fileprivate func write(to output: inout Data, _ call: () -> Int32) -> (result: Int32, mayHaveMore: Bool) {
        var result: Int32 = 0
        output.appendBlock { block in
            pointee.nextOut = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            pointee.availableOut = UInt32(block.count)
            result = call()
            return block.count - Int(pointee.availableOut)
        }
        return (result, pointee.availableOut == 0)
    }
}

private struct ZlibLibrary: Sendable {
    typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    typealias InitDeflate =
        @convention(c) (
            UnsafeMutableRawPointer, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>?, Int32
        ) -> Int32
    typealias InitInflate = @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias Run = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    typealias Change = @convention(c) (UnsafeMutableRawPointer) -> Int32
    let (version, deflateInit2, inflateInit2): (Version, InitDeflate, InitInflate)
    let (deflate, inflate): (Run, Run)
    let (deflateReset, deflateEnd, inflateReset, inflateResetKeep, inflateEnd): (Change, Change, Change, Change, Change)

    static let shared = ZlibLibrary()

    private init?() {
        guard let library = DynamicLibrary(["libz.so.1", "/usr/lib/libz.1.dylib"]),
            let version = library.symbol("zlibVersion", as: Version.self),
            let deflateInit2 = library.symbol("deflateInit2_", as: InitDeflate.self),
            let inflateInit2 = library.symbol("inflateInit2_", as: InitInflate.self),
            let deflate = library.symbol("deflate", as: Run.self),
            let inflate = library.symbol("inflate", as: Run.self),
            let deflateReset = library.symbol("deflateReset", as: Change.self),
            let deflateEnd = library.symbol("deflateEnd", as: Change.self),
            let inflateReset = library.symbol("inflateReset", as: Change.self),
            let inflateResetKeep = library.symbol("inflateResetKeep", as: Change.self),
            let inflateEnd = library.symbol("inflateEnd", as: Change.self)
        else { return nil }
        (self.version, self.deflateInit2, self.inflateInit2) = (version, deflateInit2, inflateInit2)
        (self.deflate, self.inflate) = (deflate, inflate)
        (self.deflateReset, self.deflateEnd) = (deflateReset, deflateEnd)
        (self.inflateReset, self.inflateResetKeep, self.inflateEnd) = (inflateReset, inflateResetKeep, inflateEnd)
    }
}

private struct ZstdLibrary: Sendable {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`, which have the same layout.
    struct Buffer {
        let bytes: UnsafeRawPointer?
        let size: Int
        var position = 0

        init(_ bytes: UnsafeRawPointer?, _ size: Int) {
            self.bytes = bytes
            self.size = size
        }
    }

    typealias Create = @convention(c) () -> OpaquePointer?
    typealias Free = @convention(c) (OpaquePointer) -> Int
    typealias SetParameter = @convention(c) (OpaquePointer, Int32, Int32) -> Int
    typealias Compress =
        @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, Int32) -> Int
    typealias Reset = @convention(c) (OpaquePointer, Int32) -> Int
    typealias IsError = @convention(c) (Int) -> UInt32
    let (create, free, setParameter): (Create, Free, SetParameter)
    let (compress, reset, isError): (Compress, Reset, IsError)

    static let shared = ZstdLibrary()

    private init?() {
        guard let library = DynamicLibrary(["libzstd.so.1"]),
            let create = library.symbol("ZSTD_createCCtx", as: Create.self),
            let free = library.symbol("ZSTD_freeCCtx", as: Free.self),
            let setParameter = library.symbol("ZSTD_CCtx_setParameter", as: SetParameter.self),
            let compress = library.symbol("ZSTD_compressStream2", as: Compress.self),
            let reset = library.symbol("ZSTD_CCtx_reset", as: Reset.self),
            let isError = library.symbol("ZSTD_isError", as: IsError.self)
        else { return nil }
        (self.create, self.free, self.setParameter) = (create, free, setParameter)
        (self.compress, self.reset, self.isError) = (compress, reset, isError)
    }
}
