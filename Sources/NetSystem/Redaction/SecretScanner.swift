/// Finds secrets in text by their form: JSON web tokens, card numbers, keys of well-known services, `Bearer …`, private keys,
/// `user:password@`, and everything behind `password=`.
struct SecretScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// The end of the word that ``userInformation(behind:)`` has read, and the last `@` in it.
    private var (wordEnd, wordAt) = (0, nil as Int?)

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the range of the next secret. It takes linear time to find all.
    mutating func next(_ rules: RedactionRules) -> Range<Int>? {
        let (bytes, starts) = (bytes, SecretForms.starts)
        var start = index
        while start < bytes.count {
            let pair = Int(bytes[start]) << 8 | (start + 1 < bytes.count ? Int(bytes[start + 1]) : 0)
            if starts[pair >> 6] >> UInt64(pair & 63) & 1 == 1,
                !(bytes[start].isDigit && start > 0 && bytes[start - 1].isAlphanumeric),
                let found = secret(at: start, rules)
            {
                index = found.upperBound
                return found
            }
            start += 1
        }
        return nil
    }

    /// Returns the secret that starts at a position, or behind the sign there.
    mutating func secret(at index: Int, _ rules: RedactionRules) -> Range<Int>? {
        switch bytes[index] {
        case UInt8(ascii: "e"): webToken(at: index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): cardNumber(at: index)
        case UInt8(ascii: "="), UInt8(ascii: ">"): assignedText(behind: index, rules)
        case UInt8(ascii: ":"): assignedText(behind: index, rules) ?? userInformation(behind: index)
        // A private key, or a certificate.
        case UInt8(ascii: "-"): has("-----BEGIN ", at: index) ? index..<bytes.count : nil
        default: index == 0 || !bytes[index - 1].isNamePart ? credential(at: index) : nil
        }
    }

    /// Returns a JSON web token (RFC 7519), or any other base64 of a JSON object of sufficient length, which starts the same way.
    private func webToken(at start: Int) -> Range<Int>? {
        guard has("eyJ", at: start) else { return nil }
        let end = end(of: start..<bytes.count, \.isInToken)
        return end - start >= 12 ? start..<end : nil
    }

    /// Returns 13 to 19 digits with a valid check digit (ISO/IEC 7812): a whole word, or groups of four to six digits and a last one of any
    /// length, separated by a space, a hyphen or a dot. Digits next to a letter, as in hexadecimal, are not a card number.
    private func cardNumber(at start: Int) -> Range<Int>? {
        var (place, digits) = (start, 0)
        while bytes.count - place + digits >= 13 {
            let end = end(of: place..<min(place + 20, bytes.count), \.isDigit)
            let length = end - place
            digits += length
            guard length > 0, digits <= 19 else { return nil }
            if digits >= 13, end == bytes.count || !bytes[end].isAlphanumeric, isValid(bytes[start..<end]) {
                // `0.4111111111111111` is a decimal number.
                let isFraction = start > 1 && bytes[start - 1] == UInt8(ascii: ".") && bytes[start - 2].isDigit
                return isFraction && place == start ? nil : start..<end
            }
            guard (4...6).contains(length), end < bytes.count, bytes[end].isOne(of: " -.") else { return nil }
            place = end + 1
        }
        return nil
    }

    /// Whether it starts like a card number, and the check digit is right (Luhn).
    private func isValid(_ number: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = number.first, first >= UInt8(ascii: "2"), first <= UInt8(ascii: "6") else { return false }
        let digits = number.reversed().filter(\.isDigit).map { Int($0 & 15) }.enumerated()
        return digits.reduce(0) { $0 + ($1.offset % 2 == 0 ? $1.element : $1.element * 2 % 9 + $1.element / 9 * 9) }
            % 10 == 0
    }

    /// Returns the credentials after `Bearer ` and similar schemes, or a service's key with a known prefix.
    private func credential(at start: Int) -> Range<Int>? {
        for scheme in SecretForms.schemes where has(scheme, at: start, ignoringCase: true) {
            let gap = start + scheme.utf8.count
            let begin = end(of: gap..<bytes.count, \.isHTTPWhitespace)
            guard begin > gap else { break }
            let end = end(of: begin..<bytes.count, \.isInToken)
            // Not a lower-case word, as in "Basic authentication failed".
            return end - begin >= 4 && !bytes[begin..<end].allSatisfy(\.isLower) ? begin..<end : nil
        }
        guard let prefix = SecretForms.prefixesByLetter[Int(bytes[start])].first(where: { has($0, at: start) }) else {
            return nil
        }
        // A longer word is not read again for each prefix in it.
        let tail = (start + prefix.utf8.count)..<end(of: start..<min(start + 256, bytes.count), \.isInToken)
        // `sk-` may also start a harmless name.
        let isKey =
            prefix.utf8.count > 4 || bytes[tail].contains(where: \.isDigit) && !bytes[tail].allSatisfy(\.isDigit)
        return tail.count >= 8 && isKey ? start..<end(of: start..<bytes.count, \.isInToken) : nil
    }

    /// Returns `user:password` in `://user:password@host`, given the first colon, and `password` in `user:password@host`.
    private mutating func userInformation(behind colon: Int) -> Range<Int>? {
        if has("://", at: colon) {
            let end = end(of: (colon + 3)..<bytes.count) { !$0.endsWord && !$0.isOne(of: "/?#") }
            let at = bytes[(colon + 3)..<end].lastIndex(of: UInt8(ascii: "@"))
            return at.flatMap { has(":" + Redactor.mark, at: $0 - 11) ? nil : (colon + 3)..<$0 }
        }
        if colon >= wordEnd {
            // Each word is read once, and its last `@` is kept for its other colons.
            wordEnd = end(of: colon..<bytes.count) { !$0.endsWord }
            wordAt = bytes[colon..<wordEnd].lastIndex(of: UInt8(ascii: "@"))
        }
        guard let at = wordAt, at - colon > 4, colon > 0, !bytes[colon - 1].endsWord, at + 1 < wordEnd,
            !has("mailto", at: colon - 6), !has("sha256:", at: at + 1)
        else { return nil }
        return (colon + 1)..<at
    }

    /// Returns the rest of the text behind `password=`, `"token": ` or `<secret>`, since text does not say where a value ends.
    private func assignedText(behind sign: Int, _ rules: RedactionRules) -> Range<Int>? {
        guard let name = name(before: sign), rules.isSecret(UnsafeBufferPointer(rebasing: bytes[name])) else {
            return nil
        }
        let start = end(of: (sign + 1)..<bytes.count) { $0.isSpace || $0.isOne(of: "=>\"'\\") }
        if rules.role(of: bytes[name]).contains(.errorCode), isStatus(at: start) { return nil }
        return start < bytes.count && !has(Redactor.mark, at: start) ? start..<bytes.count : nil
    }

    /// Whether a status such as `-1001` is here, which is shorter than a one-time password.
    private func isStatus(at start: Int) -> Bool {
        let digits = has("-", at: start) ? start + 1 : start
        let end = end(of: digits..<bytes.count, \.isDigit)
        let isWhole = end == bytes.count || bytes[end].endsWord || bytes[end].isOne(of: ",;)]}")
        return isWhole && (1...(digits > start ? 5 : 3)).contains(end - digits)
    }

    /// Returns the word before a sign, which may be quoted: `"token" :`, `user[token]=`. It has a letter, unlike a time of day.
    private func name(before sign: Int) -> Range<Int>? {
        var end = sign
        while end > 0, sign - end < 8, bytes[end - 1].isOne(of: " \"'\\]") || has("\\u0022", at: end - 6) {
            end -= bytes[end - 1] == UInt8(ascii: "2") ? 6 : 1
        }
        var start = end
        while start > 0, bytes[start - 1].isNamePart, end - start < 64 { start -= 1 }
        if bytes[sign] == UInt8(ascii: ">"), end != sign || start == 0 || !bytes[start - 1].isOne(of: "<:") {
            return nil
        }
        return bytes[start..<end].contains { $0 > UInt8(ascii: "9") } ? start..<end : nil
    }

    /// Returns the end of the bytes at the start of a range that fulfil a condition.
    @inline(__always)
    private func end(of range: Range<Int>, _ condition: (UInt8) -> Bool) -> Int {
        var end = range.lowerBound
        while end < range.upperBound, condition(bytes[end]) { end += 1 }
        return end
    }

    /// - Parameter ignoringCase: whether the text, which is in lower case, may be in any case.
    private func has(_ text: String, at index: Int, ignoringCase: Bool = false) -> Bool {
        guard index >= 0, index + text.utf8.count <= bytes.count else { return false }
        let part = bytes[index..<(index + text.utf8.count)]
        return part.elementsEqual(text.utf8) { (ignoringCase ? $0.asciiLowercased : $0) == $1 }
    }
}

extension SecretScanner {
    /// Returns the text with each secret replaced by the mark.
    static func scrub(_ text: String, _ rules: RedactionRules) -> String {
        var copy = text
        return copy.withUTF8 { bytes -> String? in
            var scanner = SecretScanner(bytes)
            var output = RedactedOutput(bytes, mark: "[REDACTED]")
            while let range = scanner.next(rules) { output.replace(range) }
            return output.isEmpty ? nil : String(decoding: output.data(), as: UTF8.self)
        } ?? text
    }

    /// Whether a value is or contains a secret: the forms above, a long random word, or JSON or base64 of JSON, which may contain anything.
    static func holdsSecret(_ value: String, _ rules: RedactionRules) -> Bool {
        var copy = value
        return copy.withUTF8 { holdsSecret($0, rules) }
    }

    static func holdsSecret(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        if rules.isStrict, bytes.contains(UInt8(ascii: "@")) { return true }
        // The length of `pw=x`.
        guard bytes.count >= 4 else { return false }
        if bytes.first(where: { $0 != UInt8(ascii: " ") })?.isOne(of: "{[") == true { return true }
        var scanner = SecretScanner(bytes)
        return scanner.next(rules) != nil || RandomWords.contains(in: bytes, countsUUIDs: rules.isStrict)
    }
}

extension UInt8 {
    /// Whether the byte is white space of JSON and of text in lines.
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    /// Whether the byte can be in a name: `api-key`, `access_token`.
    fileprivate var isNamePart: Bool { isAlphanumeric || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
    /// Whether the byte can be in a bearer token (RFC 6750), such as base64 or base64url.
    fileprivate var isInToken: Bool { isNamePart || isOne(of: "+/=.~") }
    fileprivate var endsWord: Bool { isSpace || isOne(of: "\"'<>") }
}
