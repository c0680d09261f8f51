/// Tells long random words from those that people write.
enum RandomWords {
    /// Whether there is one: at least 20 characters with small and capital letters and digits among them, or 16 letters and
    /// digits in one piece with several changes between them, as hexadecimal has.
    ///
    /// - Parameter countsUUIDs: whether a UUID is one. Mostly they name things.
    static func contains(in bytes: UnsafeBufferPointer<UInt8>, countsUUIDs: Bool) -> Bool {
        var start = 0
        while start < bytes.count {
            guard !isBreak(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.count, !isBreak(bytes[end]) { end += 1 }
            if end - start >= 16, isRandom(bytes[start..<end], countsUUIDs: countsUUIDs) { return true }
            start = end
        }
        return false
    }

    private static func isBreak(_ byte: UInt8) -> Bool {
        switch byte {
        case ...UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "("), UInt8(ascii: ")"):
            true
        default: false
        }
    }

    private static func isRandom(_ word: Slice<UnsafeBufferPointer<UInt8>>, countsUUIDs: Bool) -> Bool {
        var (hasUpper, hasLower, hasDigit) = (false, false, false)
        // Of the present piece of letters and digits.
        var (length, changes, letterRunChanges) = (0, 0, 0)
        var previous = Kind.other
        var isPieceRandom = false
        for byte in word {
            let kind = Kind(byte)
            switch kind {
            case .upper: hasUpper = true
            case .lower: hasLower = true
            case .digit: hasDigit = true
            case .other: break
            }
            if kind == .other {
                (length, changes, letterRunChanges) = (0, 0, 0)
            } else {
                if length > 0, kind != previous {
                    if kind == .digit || previous == .digit { changes += 1 } else { letterRunChanges += 1 }
                }
                length += 1
                if length >= 16, changes >= 3 || letterRunChanges >= 6 && letterRunChanges * 3 >= length {
                    isPieceRandom = true
                }
            }
            previous = kind
        }
        guard isPieceRandom || word.count >= 20 && hasUpper && hasLower && hasDigit else {
            return countsUUIDs && isUUID(word)
        }
        return true
    }

    private static func isUUID(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        word.count == 36
            && word.enumerated().allSatisfy { offset, byte in
                [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : PercentDecoding.hex(byte) != nil
            }
    }

    private enum Kind {
        case upper, lower, digit, other

        init(_ byte: UInt8) {
            self = byte.isDigit ? .digit : byte.isUpper ? .upper : byte.isLower ? .lower : .other
        }
    }
}
