extension Redactor {
    /// Returns JSON with values replaced by the mark, otherwise unchanged, including spaces and order.
    ///
    /// It shows names, `true`, `false`, `null`, and strings and numbers with harmless names that do not look like a secret. Under a secret name it
    /// shows nothing, at any depth. In an object that describes an error, under `error` or `errors`, it also shows the `message` and a `code` that is
    /// a word or a short number. From the first syntax error on, the mark replaces the rest. Several consecutive values (JSON lines) are supported.
    ///
    /// - Parameter isProblem: whether the whole describes an error (`application/problem+json`).
    package func json(_ data: Data, isProblem: Bool = false) -> Data {
        guard let rules else { return data }
        return data.withUnsafeBytes { raw in
            var scanner = JSONScanner(raw.bindMemory(to: UInt8.self), rules)
            return scanner.run(isProblem)
        }
    }
}

/// Scans JSON once and notes what to replace. It builds no tree, to keep up with the network.
private struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let rules: RedactionRules
    private var output: RedactedOutput
    private var index = 0
    /// The enclosing objects and arrays, with the role of each element of an array.
    private var containers: [(isObject: Bool, element: FieldRole)] = []
    /// Whether the innermost container was only just opened.
    private var isFirst = false
    /// The names that were read last: in a list, the same names come again and again. Empty for a short text.
    private var names: [(key: UInt64, range: Range<Int>, role: FieldRole)]

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) {
        self.bytes = bytes
        self.rules = rules
        output = RedactedOutput(bytes, mark: "\"[REDACTED]\"")
        names = Array(repeating: (0, 0..<0, []), count: bytes.count < 512 ? 0 : min(1_024, bytes.count / 16))
    }

    mutating func run(_ isProblem: Bool) -> Data {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        var role: FieldRole = isProblem ? .describesError : []
        while true {
            index = endOfSpace(from: index)
            guard index < bytes.count else { return output.data() }
            if bytes[index] == 0x1E {
                // The separator of a JSON text sequence (RFC 7464).
                index += 1
            } else if takeDocument(role) {
                role = []
            } else {
                return output.data(upTo: index) + Redactor.mark.utf8
            }
        }
    }

    /// Reads a value with everything in it. Like the other functions, it returns false on a syntax error.
    private mutating func takeDocument(_ role: FieldRole) -> Bool {
        guard takeValue(role) else { return false }
        while let (isObject, element) = containers.last {
            index = endOfSpace(from: index)
            guard index < bytes.count else { return false }
            if bytes[index] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                index += 1
                isFirst = false
                containers.removeLast()
                continue
            }
            if !isFirst {
                guard bytes[index] == UInt8(ascii: ",") else { return false }
                index += 1
                index = endOfSpace(from: index)
            }
            isFirst = false
            let isInError = element.contains(.describesError)
            guard let role = isObject ? takeName(inError: isInError) : element, takeValue(role) else { return false }
        }
        return true
    }

    private mutating func takeValue(_ role: FieldRole) -> Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: "\""): return takeString(role)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return open(role, isObject: bytes[index] == UInt8(ascii: "{"))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return takeNumber(role)
        // `true` under a secret name is not a secret: it only says that there is one.
        case UInt8(ascii: "t"): return takeWord("true")
        case UInt8(ascii: "f"): return takeWord("false")
        case UInt8(ascii: "n"): return takeWord("null")
        default: return false
        }
    }

    private mutating func open(_ role: FieldRole, isObject: Bool) -> Bool {
        if role.contains(.secret) {
            guard let end = endOfContainer() else { return false }
            output.replace(index..<end)
            index = end
            return true
        }
        // The limit of nesting, as in `JSONDecoder`.
        guard containers.count < 512 else { return false }
        containers.append((isObject, role.intersection([.shown, .describesError])))
        isFirst = true
        index += 1
        return true
    }

    /// Returns the end of the object or array that starts here, or nil if it does not end.
    private func endOfContainer() -> Int? {
        var (place, depth) = (index, 0)
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                guard let string = endOfString(from: place + 1) else { return nil }
                place = string.end
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            place += 1
            if depth == 0 { return place }
        }
        return nil
    }

    // MARK: Names

    /// Reads a name and its colon.
    private mutating func takeName(inError: Bool) -> FieldRole? {
        let isString = index < bytes.count && bytes[index] == UInt8(ascii: "\"")
        guard isString, let (end, isEscaped) = endOfString(from: index + 1) else { return nil }
        let colon = endOfSpace(from: end + 1)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
        let value = endOfSpace(from: colon + 1)
        // A brace or a bracket.
        let isContainer = value < bytes.count && bytes[value] | 0x20 == UInt8(ascii: "{")
        guard var role = role(of: (index + 1)..<end, isEscaped: isEscaped, isContainer: isContainer) else { return nil }
        if role.contains(.isSecretItself) { output.replace(index..<(end + 1)) }
        if !inError { role.subtract([.errorCode, .errorMessage]) }
        index = value
        return role
    }

    private mutating func role(of range: Range<Int>, isEscaped: Bool, isContainer: Bool) -> FieldRole? {
        guard let start = bytes.baseAddress, !names.isEmpty, var key = bytes.word(at: range.lowerBound) else {
            return newRole(of: range, isEscaped: isEscaped, isContainer: isContainer)
        }
        // The whole of a name of up to seven bytes, else the sum of the first and the last eight.
        if range.count < 8 { key &= 1 << UInt64(8 * range.count) &- 1 }
        key &+= range.count < 8 ? 0 : bytes.word(at: range.upperBound - 8) ?? 0
        let slot = Int((key &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: UInt64(names.count)).high)
        let known = names[slot]
        if known.key == key, known.range.lowerBound > 0, known.range.count == range.count,
            range.count < 8 || memcmp(start + known.range.lowerBound, start + range.lowerBound, range.count) == 0
        {
            return known.role
        }
        guard let role = newRole(of: range, isEscaped: isEscaped, isContainer: true) else { return nil }
        names[slot] = (key, range, role)
        return role
    }

    private func newRole(of range: Range<Int>, isEscaped: Bool, isContainer: Bool) -> FieldRole? {
        text(range, isEscaped: isEscaped) { name in
            var role = rules.role(of: name)
            if role.contains(.shown) { return role.subtracting(.secret) }
            if isContainer, rules.isSecret(name) { role.insert(.secret) }
            if range.count >= 12, SecretScanner.holdsSecret(name, rules) { role.insert(.isSecretItself) }
            return role
        }
    }

    // MARK: Strings, numbers, words

    private mutating func takeString(_ role: FieldRole) -> Bool {
        guard let (end, isEscaped) = endOfString(from: index + 1) else { return false }
        let content = (index + 1)..<end
        let isShown =
            !role.isDisjoint(with: [.shown, .errorMessage]) || role.contains(.errorCode) && bytes[content].isErrorCode
        if !isShown || holdsSecret(content, isEscaped: isEscaped) { output.replace(index..<(end + 1)) }
        index = end + 1
        return true
    }

    private mutating func takeNumber(_ role: FieldRole) -> Bool {
        let start = index
        while index < bytes.count, bytes[index].isDigit || bytes[index].isOne(of: "-+.eE") { index += 1 }
        let isShown = role.contains(.shown) || role.contains(.errorCode) && index - start <= 7
        let isLong = index - start >= 13
        if !isShown || isLong && holdsSecret(start..<index, isEscaped: false) { output.replace(start..<index) }
        return true
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { return false }
        index = end
        return true
    }

    private func holdsSecret(_ content: Range<Int>, isEscaped: Bool) -> Bool {
        text(content, isEscaped: isEscaped) { SecretScanner.holdsSecret($0, rules) } ?? true
    }

    /// Calls a function with the text of a string, or returns nil if an escape is malformed.
    @inline(__always)
    private func text<Result>(
        _ content: Range<Int>, isEscaped: Bool, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        guard isEscaped else { return body(UnsafeBufferPointer(rebasing: bytes[content])) }
        let quoted = Data(Array("[\"".utf8) + bytes[content] + Array("\"]".utf8))
        var text = (try? JSONDecoder().decode([String].self, from: quoted))?.first
        return text?.withUTF8(body)
    }

    @inline(__always)
    private func endOfSpace(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end].isSpace { end += 1 }
        return end
    }

    /// Returns the position of the closing quote, and whether there are escapes. Nil if there is none, or a character is invalid in a string.
    @inline(__always)
    private func endOfString(from start: Int) -> (end: Int, isEscaped: Bool)? {
        var (place, isEscaped) = (start, false)
        while true {
            // Skips eight bytes at a time up to a special one.
            while let word = bytes.word(at: place) {
                let offset = Self.specialOffset(in: word)
                place += offset
                if offset < 8 { break }
            }
            guard place < bytes.count, bytes[place] >= 0x20 else { return nil }
            if bytes[place] == UInt8(ascii: "\"") { return (place, isEscaped) }
            let isEscape = bytes[place] == UInt8(ascii: "\\")
            isEscaped = isEscaped || isEscape
            place += isEscape ? 2 : 1
        }
    }

    /// Returns the number of bytes of a word before its first quote, backslash or control character; 8 if there is none.
    @inline(__always)
    private static func specialOffset(in word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // A borrow may set the bit of a byte above a special one, never below: the lowest is right.
        let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
        return (found & (ones &* 0x80)).trailingZeroBitCount / 8
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the eight bytes from a position, the first of them lowest, or nil if there are fewer.
    @inline(__always)
    fileprivate func word(at place: Int) -> UInt64? {
        guard place >= 0, place <= count - 8, let baseAddress else { return nil }
        return UInt64(littleEndian: UnsafeRawPointer(baseAddress + place).loadUnaligned(as: UInt64.self))
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Whether the text consists of words (`card_declined`, `ERR-42`, `InvalidArgument`, `E1001`), unlike a generated password.
    var isErrorCode: Bool {
        guard !isEmpty, count <= 48 else { return false }
        var (letters, digits, humps) = (0, 0, 1)
        var previous = UInt8(ascii: "_")
        for byte in self {
            if byte.isDigit {
                digits += 1
            } else if byte.isAlphanumeric {
                letters += 1
                if previous.isDigit || byte.isUpper && previous.isLower { humps += 1 }
            } else if !byte.isOne(of: "_-./: ") || !previous.isAlphanumeric {
                return false
            }
            previous = byte
        }
        // Several camel-case words have at least three letters each on average.
        return digits <= 6 && (humps == 1 || letters >= humps * 3)
    }
}
