#if os(Linux)
    package import Foundation

    /// Makes bodies in content codings, by the same libraries that servers use: zlib, brotli and zstd, found at run time.
    package enum ContentCoder: String, CaseIterable, Sendable {
        case gzip
        case deflate
        case brotli = "br"
        case zstd

        package func encode(_ data: Data) throws -> Data {
            switch self {
            case .gzip: try Self.gzip(data)
            case .deflate: try Self.zlib(data)
            case .brotli: try Self.brotli(data)
            case .zstd: try Self.zstd(data)
            }
        }

        /// What some servers send as `deflate`: RFC 1951 without the wrapping of RFC 1950.
        package static func rawDeflate(_ data: Data) throws -> Data { try zlib(data).dropFirst(2).dropLast(4) }

        /// Of zeros, made piece by piece: about a thousandth of their number (RFC 1952).
        package static func gzippedZeros(count: Int) throws -> Data {
            let piece = try gzip(Data(count: min(count, 16 << 20)))
            let whole = count / (16 << 20)
            guard whole > 0 else { return piece }
            return try Data((0..<whole).map { _ in piece }.joined()) + gzip(Data(count: count % (16 << 20)))
        }

        private static func gzip(_ data: Data) throws -> Data {
            let checksum = try function(
                "libz.so.1", "crc32", (@convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt).self)
            var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
            result += try rawDeflate(data)
            let sum = data.withUnsafeBytes { checksum(0, $0.bindMemory(to: UInt8.self).baseAddress, UInt32($0.count)) }
            for number in [UInt32(truncatingIfNeeded: sum), UInt32(truncatingIfNeeded: data.count)] {
                withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
            }
            return result
        }

        private static func zlib(_ data: Data) throws -> Data {
            typealias Compress =
                @convention(c) (
                    UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt>, UnsafePointer<UInt8>, UInt, Int32
                )
                -> Int32
            let compress = try function("libz.so.1", "compress2", Compress.self)
            return try filled(capacity: data.count + data.count / 100 + 64, from: data) {
                output, capacity, input, count in
                var size = UInt(capacity)
                return compress(output, &size, input, UInt(count), 9) == 0 ? Int(size) : nil
            }
        }

        private static func brotli(_ data: Data) throws -> Data {
            typealias Compress =
                @convention(c) (
                    Int32, Int32, Int32, Int, UnsafePointer<UInt8>, UnsafeMutablePointer<Int>,
                    UnsafeMutablePointer<UInt8>
                ) -> Int32
            let compress = try function("libbrotlienc.so.1", "BrotliEncoderCompress", Compress.self)
            return try filled(capacity: data.count + data.count / 10 + 1024, from: data) {
                output, capacity, input, count in
                var size = capacity
                return compress(4, 22, 0, count, input, &size, output) == 1 ? size : nil
            }
        }

        private static func zstd(_ data: Data) throws -> Data {
            typealias Compress =
                @convention(c) (UnsafeMutablePointer<UInt8>, Int, UnsafePointer<UInt8>, Int, Int32) -> Int
            let compress = try function("libzstd.so.1", "ZSTD_compress", Compress.self)
            return try filled(capacity: data.count + data.count / 10 + 1024, from: data) {
                output, capacity, input, count in
                let size = compress(output, capacity, input, count, 3)
                return size <= capacity ? size : nil
            }
        }

        private static func filled(
            capacity: Int, from data: Data,
            _ work: (UnsafeMutablePointer<UInt8>, Int, UnsafePointer<UInt8>, Int) -> Int?
        ) throws -> Data {
            var output = Data(count: capacity)
            let input = Array(data) + [0]
            let size = output.withUnsafeMutableBytes { bytes -> Int? in
                guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
                return input.withUnsafeBufferPointer { input in
                    input.baseAddress.flatMap { work(base, capacity, $0, data.count) }
                }
            }
            guard let size else { throw LabError("the compressor failed") }
            return output.prefix(size)
        }

        private static func function<Function>(_ library: String, _ name: String, _: Function.Type) throws -> Function {
            guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(handle, name) else {
                throw LabError("\(library) has no \(name), or cannot be loaded")
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
    }
#endif
