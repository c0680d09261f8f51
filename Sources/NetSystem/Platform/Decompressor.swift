#if os(Linux)
    import Synchronization

    /// Decompresses a content coding (RFC 9110, section 8.4.1) with the system's zlib, brotli or zstd, which are loaded at run time. One task uses
    /// it at a time.
    package final class Decompressor {
        /// A format, by the name that HTTP has for it.
        package enum Format: String, CaseIterable, Sendable {
            /// RFC 1952: a member, with its checksum and length.
            case gzip
            /// RFC 1950, or RFC 1951 after ``Decompressor/restart(isRaw:)``.
            case deflate
            /// RFC 7932, without the large windows of later drafts.
            case brotli = "br"
            /// RFC 8878: frames with windows of up to 8 MiB (RFC 9659).
            case zstd

            /// Whether the library can be loaded.
            package var isAvailable: Bool {
                switch self {
                case .gzip, .deflate: ZlibLibrary.shared != nil
                case .brotli: BrotliLibrary.shared != nil
                case .zstd: ZstdLibrary.shared != nil
                }
            }
        }

        /// The reason why bytes cannot be decompressed.
        package enum Problem: Error {
            case malformed
            /// The input requires a larger window than allowed.
            case largeWindow
            /// The limit of the memory is exhausted, or the system's, or the library is missing.
            case noMemory
        }

        private enum Library {
            case zlib(ZlibStream)
            case brotli(BrotliLibrary, OpaquePointer)
            case zstd(ZstdLibrary, OpaquePointer)
        }

        private let library: Library
        private let memory: DecoderMemory
        /// The bytes of zstd, which allocates them by itself.
        private var charged = 0

        private static let gzipBits: Int32 = 15 + 16
        private static let (windowLogMax, windowLog): (Int32, Int32) = (100, 23)

        package init(_ format: Format, memory: DecoderMemory) throws(Problem) {
            let library: Library? =
                switch format {
                case .gzip: ZlibStream(inflating: Self.gzipBits, memory.stream, of: memory).map(Library.zlib)
                case .deflate: ZlibStream(inflating: 15, memory.stream, of: memory).map(Library.zlib)
                case .brotli:
                    BrotliLibrary.shared.flatMap { library in memory.brotli(library).map { .brotli(library, $0) } }
                case .zstd: ZstdLibrary.shared.flatMap { library in library.createDecoder().map { .zstd(library, $0) } }
                }
            guard let library else { throw .noMemory }
            (self.library, self.memory) = (library, memory)
            guard case .zstd(let zstd, let decoder) = library else { return }
            try charge(zstd, decoder)
            if zstd.isError(zstd.setDecoderParameter(decoder, Self.windowLogMax, Self.windowLog)) != 0 {
                throw .noMemory
            }
        }

        deinit {
            switch library {
            case .zlib: break
            case .brotli(let library, let decoder): library.free(decoder)
            case .zstd(let library, let decoder): _ = library.freeDecoder(decoder)
            }
            memory.discharge(charged)
        }

        /// Begins another member of gzip behind one that has ended, or deflate without a frame (RFC 1951).
        package func restart(isRaw: Bool) {
            if case .zlib(let stream) = library { stream.reset(isRaw ? -15 : Self.gzipBits) }
        }

        /// Decompresses as much of the input as the output has room for, and removes what was used from both. Returns whether a member or frame,
        /// or the whole, has ended.
        package func decompress(
            _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
        ) throws(Problem) -> Bool {
            switch library {
            case .zlib(let stream):
                switch stream.inflate(&input, into: &output) {
                case ZStream.end: return true
                case 0, ZStream.noProgress: return false
                case ZStream.noMemory: throw .noMemory
                default: throw .malformed
                }
            case .brotli(let library, let decoder):
                var (left, next) = (input.count, input.baseAddress)
                var (free, place) = (output.count, output.baseAddress)
                let result = library.decompress(decoder, &left, &next, &free, &place, nil)
                input.removeFirst(input.count - left)
                output.removeFirst(output.count - free)
                // BROTLI_DECODER_RESULT_ERROR and _SUCCESS.
                guard result == 0 else { return result == 1 }
                switch library.errorCode(decoder) {
                case -13: throw .largeWindow
                case -30 ... -21: throw .noMemory
                default: throw .malformed
                }
            case .zstd(let library, let decoder):
                var source = ZstdLibrary.Buffer(bytes: input.baseAddress, size: input.count)
                var target = ZstdLibrary.Buffer(bytes: UnsafeRawPointer(output.baseAddress), size: output.count)
                let result = library.decompress(decoder, &target, &source)
                input.removeFirst(source.position)
                output.removeFirst(target.position)
                guard library.isError(result) != 0 else {
                    try charge(library, decoder)
                    return result == 0
                }
                switch library.errorCode(result) {
                case 16: throw .largeWindow
                case 64: throw .noMemory
                default: throw .malformed
                }
            }
        }

        /// Charges what zstd has allocated since the last time: mostly the window, at the beginning of a frame.
        private func charge(_ library: ZstdLibrary, _ decoder: OpaquePointer) throws(Problem) {
            let size = library.sizeOfDecoder(decoder)
            if size > charged, !memory.charge(size - charged) { throw .noMemory }
            if size < charged { memory.discharge(charged - size) }
            charged = size
        }
    }

    /// The memory that all decoders of one transport share.
    package final class DecoderMemory: Sendable {
        /// In bytes: 512 bodies of gzip, or 28 of zstd with the largest window, at the same time.
        package static let limit = 256 << 20

        private let limit: Int
        private let charged = Atomic(0)
        /// The bytes in front of each block: its size, and padding for alignment.
        private static let prefix = 16

        package init(limit: Int = DecoderMemory.limit) { self.limit = limit }

        /// The bytes that decoders hold now.
        package var used: Int { charged.load(ordering: .relaxed) }

        /// Counts bytes, and returns whether that is within the limit. Otherwise they are not counted.
        fileprivate func charge(_ size: Int) -> Bool {
            if charged.add(size, ordering: .relaxed).newValue <= limit { return true }
            discharge(size)
            return false
        }

        fileprivate func discharge(_ size: Int) { charged.subtract(size, ordering: .relaxed) }

        /// A stream of zlib that allocates here.
        fileprivate var stream: ZStream {
            ZStream(
                allocate: { DecoderMemory.of($0)?.allocate(Int($1) * Int($2)) },
                release: { DecoderMemory.of($0)?.release($1) }, opaque: Unmanaged.passUnretained(self).toOpaque())
        }

        /// A decoder of brotli that allocates here.
        fileprivate func brotli(_ library: BrotliLibrary) -> OpaquePointer? {
            library.create(
                { DecoderMemory.of($0)?.allocate($1) }, { DecoderMemory.of($0)?.release($1) },
                Unmanaged.passUnretained(self).toOpaque())
        }

        private static func of(_ address: UnsafeMutableRawPointer?) -> DecoderMemory? {
            address.map { Unmanaged<DecoderMemory>.fromOpaque($0).takeUnretainedValue() }
        }

        private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
            let size = size + Self.prefix
            guard charge(size) else { return nil }
            guard let block = malloc(size) else {
                discharge(size)
                return nil
            }
            block.storeBytes(of: size, as: Int.self)
            return block + Self.prefix
        }

        private func release(_ address: UnsafeMutableRawPointer?) {
            guard let block = address.map({ $0 - Self.prefix }) else { return }
            discharge(block.load(as: Int.self))
            free(block)
        }
    }
#endif
