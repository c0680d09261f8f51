#if !canImport(Darwin) && (canImport(Glibc) || canImport(Musl))
    extension Charset {
        /// The text of the bytes by the C library: `.some(nil)` if they are not text in that character set, nil if the library does not know
        /// it.
        static func convert(_ data: Data, from name: String) -> String?? {
            guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1)
            else { return nil }
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
                    // Behind the last byte, what the converter has kept back: a letter to which an accent might have come.
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
        /// No converter is known here.
        static func convert(_ data: Data, from name: String) -> String?? { nil }
    }
#endif
