/// Recognises a secret of one kind at a position in text.
struct TextCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The end of the current run of digits and their separators.
    private var digitsEnd = 0
    /// The end of the word that ``password(behind:)`` has read, and the last `@` in it.
    private var wordEnd = 0
    private var wordAt: Int?
    /// The end of the digits that were examined.
    private(set) var digitsSeen = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Returns a JSON web token (RFC 7519), or any other base64 of a JSON object of sufficient length, which starts the same way.
    func webToken(at start: Int) -> Range<Int>? {
        guard has("eyJ", at: start) else { return nil }
        var end = start + 3
        while end < bytes.count, bytes[end].isBase64 || bytes[end] == UInt8(ascii: ".") { end += 1 }
        return end - start >= 12 ? start..<end : nil
    }

    /// Returns 13 to 19 digits with a valid check digit (ISO/IEC 7812), in one run or in groups separated by a space, a hyphen or a dot.
    ///
    /// It takes linear time: each call continues where the last one ended.
    mutating func cardNumber(at start: Int) -> Range<Int>? {
        guard start >= digitsSeen else { return nil }
        if start >= digitsEnd {
            digitsEnd = start
            while digitsEnd < bytes.count,
                bytes[digitsEnd].isDigit || bytes[digitsEnd].separatesDigits && isDigit(digitsEnd + 1)
            {
                digitsEnd += 1
            }
        }
        guard digitsEnd - start >= 13 else {
            digitsSeen = digitsEnd
            return nil
        }
        var first = start
        while first < digitsEnd {
            // `0.4111111111111111` is a decimal number.
            let isFraction = first > 0 && bytes[first - 1] == UInt8(ascii: ".")
            var place = first
            var digits = 0
            while place < digitsEnd, digits <= 19 {
                if !bytes[place].isDigit { place += 1 }
                while place < digitsEnd, bytes[place].isDigit, digits <= 19 {
                    place += 1
                    digits += 1
                }
                let isGroupEnd = place == digitsEnd || !bytes[place].isDigit
                let isOneGroup = digits == place - first
                if isGroupEnd, (13...19).contains(digits), !(isFraction && isOneGroup),
                    Luhn.isCardNumber(bytes[first..<place])
                {
                    digitsSeen = place
                    return first..<place
                }
            }
            while first < digitsEnd, bytes[first].isDigit { first += 1 }
            while first < digitsEnd, !bytes[first].isDigit { first += 1 }
        }
        digitsSeen = digitsEnd
        return nil
    }

    private func isDigit(_ index: Int) -> Bool { index < bytes.count && bytes[index].isDigit }

    /// Returns `user:password` in `://user:password@host`, given the colon of `://`. Authorities do not overlap, so each byte is read once.
    func userInformation(behind colon: Int) -> Range<Int>? {
        guard colon + 1 < bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), has("://", at: colon) else { return nil }
        let start = colon + 3
        var end = start
        var at: Int?
        while end < bytes.count, !bytes[end].endsAuthority {
            if bytes[end] == UInt8(ascii: "@") { at = end }
            end += 1
        }
        guard let at, at > start, !has(":" + Redactor.mark, at: max(start, at - Redactor.mark.utf8.count - 1)) else {
            return nil
        }
        return start..<at
    }

    /// Returns `password` in `user:password@host`, given the colon, unless `://` precedes it.
    ///
    /// Each word is read once, and its last `@` is kept for its other colons.
    mutating func password(behind colon: Int) -> Range<Int>? {
        guard colon > 0, bytes[colon - 1].isNamePart || bytes[colon - 1] == UInt8(ascii: ".") else { return nil }
        if colon >= wordEnd {
            (wordEnd, wordAt) = (colon, nil)
            while wordEnd < bytes.count, !bytes[wordEnd].endsWord {
                if bytes[wordEnd] == UInt8(ascii: "@") { wordAt = wordEnd }
                wordEnd += 1
            }
        }
        guard let at = wordAt, at - colon > 4, at + 1 < bytes.count, bytes[at + 1].isNamePart,
            !has("sha256:", at: at + 1),
            !has("//", at: colon + 1), !has(Redactor.mark, at: colon + 1), !isAddressScheme(before: colon)
        else { return nil }
        return (colon + 1)..<at
    }

    /// Whether the colon is part of `mailto:jane@example.com` or similar.
    private func isAddressScheme(before colon: Int) -> Bool {
        ["mailto", "sip", "sips", "xmpp", "acct", "email", "mail", "from", "to", "cc", "bcc"].contains {
            let start = colon - $0.utf8.count
            return start >= 0 && hasIgnoringCase($0, at: start) && isWordStart(start)
        }
    }

    /// Returns a PEM key, up to its end or that of the text.
    func privateKey(at start: Int) -> Range<Int>? {
        guard has("-----BEGIN ", at: start) else { return nil }
        let end = (start..<bytes.count).first { $0 > start + 10 && has("-----END ", at: $0) }
        return start..<(end ?? bytes.count)
    }

    /// Returns the credentials after `Bearer ` and similar schemes, or a service's key with a known prefix.
    func credential(at start: Int) -> Range<Int>? {
        for scheme in KeyPrefixes.schemes where hasIgnoringCase(scheme, at: start) {
            var begin = start + scheme.utf8.count
            while begin < bytes.count, bytes[begin].isHTTPWhitespace { begin += 1 }
            guard begin > start + scheme.utf8.count else { break }
            let end = wordEnd(from: begin)
            return end - begin >= 4 && !isPlainWord(begin..<end) ? begin..<end : nil
        }
        guard let prefix = KeyPrefixes.byLetter[Int(bytes[start])].first(where: { has($0, at: start) }) else {
            return nil
        }
        let end = wordEnd(from: start)
        let tail = bytes[(start + prefix.utf8.count)..<max(end, start + prefix.utf8.count)]
        guard tail.count >= 8 else { return nil }
        // `sk-` may also start a harmless name.
        return prefix.utf8.count > 4 || tail.contains(where: \.isDigit) && !tail.allSatisfy(\.isDigit)
            ? start..<end : nil
    }

    func isWordStart(_ index: Int) -> Bool { index == 0 || !bytes[index - 1].isNamePart }

    private func wordEnd(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end].isBase64 || ".~".utf8.contains(bytes[end]) { end += 1 }
        return end
    }

    /// Whether the text is a lower-case word, as in "Basic authentication failed".
    private func isPlainWord(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
    }

    func has(_ text: String, at index: Int) -> Bool {
        index >= 0 && index + text.utf8.count <= bytes.count
            && text.utf8.elementsEqual(bytes[index..<(index + text.utf8.count)])
    }

    private func hasIgnoringCase(_ text: String, at index: Int) -> Bool {
        guard index + text.utf8.count <= bytes.count else { return false }
        return zip(text.utf8, bytes[index...]).allSatisfy { $0 == $1.asciiLowercased }
    }
}

/// The Luhn check of card numbers.
enum Luhn {
    /// Whether 13 to 19 digits, with separators, may be a card number.
    static func isCardNumber(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = bytes.first, (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(first) else { return false }
        var sum = 0
        var doubles = false
        for byte in bytes.reversed() where byte.isDigit {
            let digit = Int(byte - UInt8(ascii: "0")) << (doubles ? 1 : 0)
            sum += digit > 9 ? digit - 9 : digit
            doubles.toggle()
        }
        return sum % 10 == 0
    }
}

extension UInt8 {
    /// Whether the byte can separate the groups of a card number.
    var separatesDigits: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") }
    var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    /// Whether the byte is white space of JSON and of text in lines.
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    var endsWord: Bool { isSpace || isQuote || self == UInt8(ascii: "<") || self == UInt8(ascii: ">") }
    /// Whether the byte ends the authority of a URL in text.
    var endsAuthority: Bool {
        endsWord || self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
    /// Whether the byte ends a value without quotes.
    var endsValue: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ")"), UInt8(ascii: "}"),
            UInt8(ascii: "]"):
            true
        default: endsWord
        }
    }
    /// Whether the byte can be in a name: `api-key`, `access_token`.
    var isNamePart: Bool {
        isLower || isUpper || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }
    /// Whether the byte can be in base64 or base64url, including padding.
    var isBase64: Bool {
        isNamePart || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
    }
}
