#if os(Linux)
    extension Span<UInt8> {
        /// Returns the index of the first NUL, LF or CR at or after `start`, or `count` if there is none.
        @inline(__always)
        func endOfText(from start: Int) -> Int {
            var index = start
            while index &+ 8 <= count {
                let word = word(at: index)
                // The lowest marked byte is below 0x0E. Higher marks may be wrong, so that each byte is compared.
                var marks = (word &- 0x0E0E_0E0E_0E0E_0E0E) & ~word & 0x8080_8080_8080_8080
                while marks != 0 {
                    let found = index &+ marks.trailingZeroBitCount >> 3
                    if self[found].endsText { return found }
                    marks &= marks &- 1
                }
                index &+= 8
            }
            while index < count, !self[index].endsText { index &+= 1 }
            return index
        }

        /// Returns the index of the first byte at or after `start` that is not allowed in a token, or `count`.
        @inline(__always)
        func endOfToken(from start: Int) -> Int {
            var index = start
            while index < count, self[index].isInToken { index &+= 1 }
            return index
        }

        /// The range without spaces and tabs at its ends.
        @inline(__always)
        func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
            var start = start
            var end = end
            while start < end, self[start].isBlank { start &+= 1 }
            while end > start, self[end &- 1].isBlank { end &-= 1 }
            return start..<end
        }

        /// Returns the element of a comma-separated list that begins at `start`, and the index where the next one begins:
        /// after `end` if there is none.
        func listElement(from start: Int, to end: Int) -> (element: Range<Int>, next: Int) {
            var comma = start
            while comma < end, self[comma] != UInt8(ascii: ",") { comma &+= 1 }
            return (trimmed(start, comma), comma &+ 1)
        }

        /// Eight bytes, the first one lowest. The load is checked against the bounds.
        @inline(__always)
        func word(at index: Int) -> UInt64 {
            UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
        }

        /// Whether the bytes are a text in lower case, apart from the case of ASCII letters.
        func equals(_ range: Range<Int>, _ text: String) -> Bool {
            guard range.count == text.utf8.count else { return false }
            var index = range.lowerBound
            for expected in text.utf8 {
                let byte = self[index]
                guard byte == expected || 0x41...0x5A ~= byte && byte | 0x20 == expected else { return false }
                index &+= 1
            }
            return true
        }

        /// The decimal number of the range, or nil if it has another byte than a digit or exceeds `Int64`.
        func number(_ range: Range<Int>) -> Int64? {
            guard !range.isEmpty else { return nil }
            var number: Int64 = 0
            for index in range {
                guard let digit = self[index].decimalDigit else { return nil }
                let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
                let (sum, exceeds) = tenfold.addingReportingOverflow(Int64(digit))
                if overflows || exceeds { return nil }
                number = sum
            }
            return number
        }
    }

    extension UInt8 {
        var endsText: Bool { self == 0x0A || self == 0x0D || self == 0 }
        var isBlank: Bool { self == 0x20 || self == 0x09 }
        /// Whether it is a control character other than tab.
        var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
        var decimalDigit: UInt8? { self &- 0x30 <= 9 ? self &- 0x30 : nil }
        var hexadecimalDigit: UInt8? {
            if let decimalDigit { return decimalDigit }
            let letter = (self | 0x20) &- UInt8(ascii: "a")
            return letter <= 5 ? letter &+ 10 : nil
        }

        /// Whether it may be in a token (RFC 9110, section 5.6.2): one bit for each ASCII character.
        @inline(__always)
        var isInToken: Bool {
            let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
            return self < 128 && bits &>> UInt64(self & 63) & 1 != 0
        }
    }
#endif
