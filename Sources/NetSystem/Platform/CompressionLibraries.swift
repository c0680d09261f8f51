/// `z_stream` of zlib.h. The libraries compare its size with theirs.
struct ZStream {
    var nextIn: UnsafePointer<UInt8>?
    var availableIn: UInt32 = 0
    var totalIn: UInt = 0
    var nextOut: UnsafeMutablePointer<UInt8>?
    var availableOut: UInt32 = 0
    var totalOut: UInt = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    var allocate: (@convention(c) (UnsafeMutableRawPointer?, UInt32, UInt32) -> UnsafeMutableRawPointer?)?
    var release: Release?
    var opaque: UnsafeMutableRawPointer?
    var dataType: Int32 = 0
    var checksum: UInt = 0
    var reserved: UInt = 0

    typealias Release = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

    static let size = Int32(MemoryLayout<ZStream>.stride)
    static let end: Int32 = 1
    static let noMemory: Int32 = -4
    static let noProgress: Int32 = -5
}

struct ZlibLibrary: Sendable {
    typealias Run = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    typealias Change = @convention(c) (UnsafeMutableRawPointer) -> Int32
    let version: @convention(c) () -> UnsafePointer<CChar>?
    let deflateInit2:
        @convention(c) (
            UnsafeMutableRawPointer, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>?, Int32
        ) -> Int32
    let inflateInit2: @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    let deflate, inflate, inflateReset2: Run
    let deflateEnd, inflateResetKeep, inflateEnd: Change

    static let shared = try? DynamicLibrary(["libz.so.1", "/usr/lib/libz.1.dylib"]).map(ZlibLibrary.init)

    init(_ library: DynamicLibrary) throws(SystemError) {
        version = try library.required("zlibVersion")
        deflateInit2 = try library.required("deflateInit2_")
        inflateInit2 = try library.required("inflateInit2_")
        deflate = try library.required("deflate")
        inflate = try library.required("inflate")
        inflateReset2 = try library.required("inflateReset2")
        deflateEnd = try library.required("deflateEnd")
        inflateResetKeep = try library.required("inflateResetKeep")
        inflateEnd = try library.required("inflateEnd")
    }
}

struct ZstdLibrary: Sendable {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`, which have the same layout.
    struct Buffer {
        let bytes: UnsafeRawPointer?
        let size: Int
        var position = 0
    }

    let create: @convention(c) () -> OpaquePointer?
    let free: @convention(c) (OpaquePointer) -> Int
    let setParameter: @convention(c) (OpaquePointer, Int32, Int32) -> Int
    let compress: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, Int32) -> Int
    let createDecoder: @convention(c) () -> OpaquePointer?
    let freeDecoder, sizeOfDecoder: @convention(c) (OpaquePointer) -> Int
    let setDecoderParameter: @convention(c) (OpaquePointer, Int32, Int32) -> Int
    let decompress: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
    let isError: @convention(c) (Int) -> UInt32
    let errorCode: @convention(c) (Int) -> Int32

    static let shared = try? DynamicLibrary(["libzstd.so.1"]).map(ZstdLibrary.init)

    init(_ library: DynamicLibrary) throws(SystemError) {
        create = try library.required("ZSTD_createCCtx")
        free = try library.required("ZSTD_freeCCtx")
        setParameter = try library.required("ZSTD_CCtx_setParameter")
        compress = try library.required("ZSTD_compressStream2")
        createDecoder = try library.required("ZSTD_createDStream")
        freeDecoder = try library.required("ZSTD_freeDStream")
        sizeOfDecoder = try library.required("ZSTD_sizeof_DStream")
        setDecoderParameter = try library.required("ZSTD_DCtx_setParameter")
        decompress = try library.required("ZSTD_decompressStream")
        isError = try library.required("ZSTD_isError")
        errorCode = try library.required("ZSTD_getErrorCode")
    }
}

/// The functions of brotli/decode.h.
struct BrotliLibrary: Sendable {
    typealias Allocate = @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
    let create: @convention(c) (Allocate, ZStream.Release, UnsafeMutableRawPointer) -> OpaquePointer?
    let free: @convention(c) (OpaquePointer) -> Void
    /// With pointers to the number of bytes that are left and to the next byte, of the input and of the output.
    let decompress:
        @convention(c) (
            OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer,
            UnsafeMutableRawPointer, UnsafeMutableRawPointer?
        ) -> Int32
    let errorCode: @convention(c) (OpaquePointer) -> Int32

    static let shared = try? DynamicLibrary(["libbrotlidec.so.1"]).map(BrotliLibrary.init)

    init(_ library: DynamicLibrary) throws(SystemError) {
        create = try library.required("BrotliDecoderCreateInstance")
        free = try library.required("BrotliDecoderDestroyInstance")
        decompress = try library.required("BrotliDecoderDecompressStream")
        errorCode = try library.required("BrotliDecoderGetErrorCode")
    }
}
