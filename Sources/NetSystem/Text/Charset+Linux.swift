#if !canImport(Darwin) && (canImport(Glibc) || canImport(Musl))
    extension Charset {
        /// Decodes with the C library. `.some(nil)` if the bytes are invalid, nil if the library does not support the character set.
        static func convert(_ data: Data, from name: String) -> String?? {
            guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
            defer { iconv_close(converter) }
            var input = data
            return .some(input.withUnsafeMutableBytes { convert($0, with: converter) })
        }

        private static func convert(_ bytes: UnsafeMutableRawBufferPointer, with converter: iconv_t) -> String? {
            var source = bytes.bindMemory(to: CChar.self).baseAddress
            var left = bytes.count
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count)
            return withUnsafeTemporaryAllocation(byteCount: pieceLength, alignment: 1) { piece in
                var isFlushed = false
                while !isFlushed {
                    var target = piece.bindMemory(to: CChar.self).baseAddress
                    var free = piece.count
                    let before = left
                    // After the last byte, the converter flushes a letter that it kept for a possible accent.
                    let isLast = left == 0
                    let outcome =
                        isLast
                        ? iconv(converter, nil, nil, &target, &free) : iconv(converter, &source, &left, &target, &free)
                    let isFull = outcome == -1 && errno == E2BIG
                    result.append(contentsOf: piece[..<(piece.count - free)])
                    let hasMoved = left < before || free < piece.count
                    guard outcome != -1 || isFull, isLast && !isFull || hasMoved else { return nil }
                    isFlushed = isLast && !isFull
                }
                return String(decoding: result, as: UTF8.self)
            }
        }

        private static let pieceLength = 16 << 10
    }
#elseif !canImport(Darwin)
    extension Charset {
        /// This platform has no converter.
        static func convert(_ data: Data, from name: String) -> String?? { nil }
    }
#endif
