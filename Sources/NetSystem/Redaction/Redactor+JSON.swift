extension Redactor {
    /// Returns JSON with values replaced by the mark, otherwise unchanged, including spaces and order.
    ///
    /// It shows names, `true`, `false`, `null`, and strings and numbers with harmless names that do not look like a secret. Under a secret
    /// name it shows nothing, at any depth. In an object that describes an error, under `error` or `errors`, it also shows the `message` and
    /// a `code` that is a word or a short number. From the first syntax error on, the mark replaces the rest. Several consecutive values
    /// (JSON lines) are supported.
    ///
    /// - Parameter isProblem: whether the whole describes an error (`application/problem+json`).
    package func json(_ data: Data, isProblem: Bool = false) -> Data {
        guard let rules else { return data }
        return data.withUnsafeBytes { raw in
            guard let start = raw.bindMemory(to: UInt8.self).baseAddress else { return Data() }
            let bytes = UnsafeBufferPointer(start: start, count: raw.count)
            var scanner = JSONScanner(bytes: bytes, rules: rules, isProblem: isProblem)
            return scanner.run()
        }
    }
}

/// Scans JSON once and copies what may be shown. It builds no tree, to keep up with the network.
private struct JSONScanner: ~Copyable {
    /// The tokens that may follow.
    private enum Expectation {
        /// A value; with `orEnd`, the end of an empty array; with `orNothing`, the end of the text.
        case value, valueOrEnd, valueOrNothing
        case name, nameOrEnd
        case commaOrEnd
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let rules: RedactionRules
    private let fields: FieldNameSet
    private var output: RedactedOutput
    private var index = 0
    /// The enclosing objects and arrays: bit 0 for an object, bit 1 for an array whose values may be shown, bit 2 for an object that describes
    /// an error or an array of such.
    private var containers: [UInt8] = []
    private var expectation = Expectation.valueOrNothing
    /// Whether the next value may be shown because of its name.
    private var isShown = false
    /// The role of the next value in the description of an error.
    private var errorMember: ErrorMember?
    /// Whether the next value, if it is an object, describes an error, or errors, if it is an array.
    private var describesError: Bool
    /// The range of the next value's name. It is checked for secrecy only if the value is an object or an array.
    private var name: Range<Int>?
    private var nameHash: UInt64 = 0
    /// Recent short names and their properties. Empty for a short text, for which the table would cost more than it saves.
    private var knownNames: [KnownName]
    /// Recent answers of ``isSecret(_:)``, by the name's hash: in a list, the same names come again and again. The lowest bit, which is 1 in
    /// every hash, is the answer. 0 is a free slot.
    private var verdicts = [UInt64](repeating: 0, count: 64)

    /// The limit of nesting, as in `JSONDecoder`.
    private static let maximumDepth = 512

    init(bytes: UnsafeBufferPointer<UInt8>, rules: RedactionRules, isProblem: Bool) {
        self.bytes = bytes
        self.rules = rules
        describesError = isProblem
        fields = rules.fields
        output = RedactedOutput(bytes)
        knownNames = [KnownName](repeating: KnownName(), count: bytes.count < 512 ? 0 : 64)
    }

    mutating func run() -> Data {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while true {
            skipSpace()
            guard index < bytes.count else {
                if expectation != .valueOrNothing { output.markRest(from: index) }
                return output.finish()
            }
            guard step() else {
                output.markRest(from: index)
                return output.finish()
            }
        }
    }

    /// Reads a token, and returns false on a syntax error.
    private mutating func step() -> Bool {
        let byte = bytes[index]
        switch expectation {
        case .name, .nameOrEnd:
            if byte == UInt8(ascii: "\"") { return takeName() }
            return expectation == .nameOrEnd && byte == UInt8(ascii: "}") && close()
        case .commaOrEnd:
            switch byte {
            case UInt8(ascii: ","):
                index += 1
                let container = containers.last ?? 0
                expectation = container & 1 != 0 ? .name : .value
                isShown = container & 2 != 0
                describesError = container & 5 == 4
                name = nil
                return true
            case UInt8(ascii: "}"): return containers.last.map { $0 & 1 != 0 } == true && close()
            case UInt8(ascii: "]"): return containers.last.map { $0 & 1 == 0 } == true && close()
            default: return false
            }
        case .value, .valueOrEnd, .valueOrNothing:
            if byte == UInt8(ascii: "]"), expectation == .valueOrEnd { return close() }
            return takeValue(byte)
        }
    }

    private mutating func takeValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""): return takeString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte == UInt8(ascii: "{"))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return takeNumber()
        case UInt8(ascii: "t"): return takeWord("true")
        case UInt8(ascii: "f"): return takeWord("false")
        case UInt8(ascii: "n"): return takeWord("null")
        // The separator of a JSON text sequence (RFC 7464).
        case 0x1E where containers.isEmpty:
            index += 1
            return true
        default: return false
        }
    }

    private mutating func endValue() -> Bool {
        expectation = containers.isEmpty ? .valueOrNothing : .commaOrEnd
        isShown = false
        describesError = false
        errorMember = nil
        name = nil
        return true
    }

    // MARK: Objects and arrays

    private mutating func open(_ isObject: Bool) -> Bool {
        if let name, !isShown, isSecret(name) {
            let start = index
            guard let end = endOfContainer() else { return false }
            output.replace(start..<end)
            index = end
            return endValue()
        }
        guard containers.count < Self.maximumDepth else { return false }
        index += 1
        containers.append((isObject ? 1 : 0) | (isShown && !isObject ? 2 : 0) | (describesError ? 4 : 0))
        expectation = isObject ? .nameOrEnd : .valueOrEnd
        describesError = describesError && !isObject
        errorMember = nil
        name = nil
        return true
    }

    private mutating func close() -> Bool {
        index += 1
        containers.removeLast()
        return endValue()
    }

    /// Returns the end of the object or array that starts here, or nil if it does not end.
    private func endOfContainer() -> Int? {
        var depth = 0
        var place = index
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                guard let string = endOfString(from: place + 1) else { return nil }
                place = string.end
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return place + 1 }
            default: break
            }
            place += 1
        }
        return nil
    }

    // MARK: Names

    private mutating func takeName() -> Bool {
        let start = index + 1
        guard !knownNames.isEmpty, let name = ShortName(in: bytes, at: start) else { return takeAnyName(from: start) }
        let slot = name.hash & (knownNames.count - 1)
        var known = knownNames[slot]
        if !known.isSet || known.name != name {
            let range = start..<(start + name.length)
            let hash = FieldNameSet.hash(ofNormalized: FieldNames.normalized(bytes[range]))
            known = KnownName(name: name, isSet: true, facts: facts(of: range, hash: hash, decoded: nil))
            knownNames[slot] = known
        }
        return take(name: start..<(start + name.length), known.facts)
    }

    private mutating func takeAnyName(from start: Int) -> Bool {
        var hash = FieldNameSet.start
        var place = start
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") { return takeEscapedName(from: start) }
            guard byte >= 0x20 else { return false }
            if !FieldNames.isSeparator(byte) { FieldNameSet.add(byte.asciiLowercased, to: &hash) }
            place += 1
        }
        guard place < bytes.count else { return false }
        return take(name: start..<place, facts(of: start..<place, hash: FieldNameSet.finish(hash), decoded: nil))
    }

    private mutating func takeEscapedName(from start: Int) -> Bool {
        guard let string = endOfString(from: start), let decoded = Self.decoded(bytes[start..<string.end]) else {
            return false
        }
        let hash = FieldNameSet.hash(ofNormalized: FieldNames.normalized(decoded))
        return take(name: start..<string.end, facts(of: start..<string.end, hash: hash, decoded: decoded))
    }

    private func facts(of name: Range<Int>, hash: UInt64, decoded: [UInt8]?) -> NameFacts {
        let isShown = fields.contains(hash)
        var isSecret = false
        if !isShown, name.count >= 12 {
            isSecret =
                decoded.map { $0.withUnsafeBufferPointer { SecretScanner.holdsSecret($0, rules) } }
                ?? SecretScanner.holdsSecret(UnsafeBufferPointer(rebasing: bytes[name]), rules)
        }
        return NameFacts(
            hash: hash, isShown: isShown, isErrorContainer: ErrorMember.isContainer(hash), holdsSecret: isSecret)
    }

    /// Takes the name and its colon, and the value if the text does not end before it.
    private mutating func take(name range: Range<Int>, _ facts: NameFacts) -> Bool {
        var colon = range.upperBound + 1
        while colon < bytes.count, bytes[colon].isSpace { colon += 1 }
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return false }
        isShown = facts.isShown
        describesError = facts.isErrorContainer
        let isInError = containers.last.map { $0 & 4 != 0 } == true
        errorMember = isInError && rules.errorMembers.contains(facts.hash) ? ErrorMember(facts.hash) : nil
        if facts.holdsSecret { output.replace((range.lowerBound - 1)..<(range.upperBound + 1)) }
        name = range
        nameHash = facts.hash
        index = colon + 1
        expectation = .value
        skipSpace()
        return index == bytes.count || takeValue(bytes[index])
    }

    private mutating func isSecret(_ name: Range<Int>) -> Bool {
        let slot = Int(truncatingIfNeeded: nameHash >> 8) & (verdicts.count - 1)
        let known = verdicts[slot]
        if known != 0, known | 1 == nameHash { return known & 1 == 1 }
        let verdict = decide(name)
        verdicts[slot] = verdict ? nameHash : nameHash & ~1
        return verdict
    }

    private func decide(_ name: Range<Int>) -> Bool {
        guard bytes[name].contains(UInt8(ascii: "\\")) else {
            return rules.isSecret(UnsafeBufferPointer(rebasing: bytes[name]))
        }
        return Self.decoded(bytes[name]).map { rules.isSecret($0) } ?? true
    }

    // MARK: Strings, numbers, words

    private mutating func takeString() -> Bool {
        guard let string = endOfString(from: index + 1) else { return false }
        let content = (index + 1)..<string.end
        let isShown = isShown || errorMember?.fits(bytes[content]) == true
        if !isShown || holdsSecret(content, isEscaped: string.isEscaped) {
            output.replace(index..<(string.end + 1))
        }
        index = string.end + 1
        return endValue()
    }

    private func holdsSecret(_ content: Range<Int>, isEscaped: Bool) -> Bool {
        guard isEscaped else { return SecretScanner.holdsSecret(UnsafeBufferPointer(rebasing: bytes[content]), rules) }
        guard let decoded = Self.decoded(bytes[content]) else { return true }
        return decoded.withUnsafeBufferPointer { SecretScanner.holdsSecret($0, rules) }
    }

    private mutating func takeNumber() -> Bool {
        let start = index
        while index < bytes.count, bytes[index].isNumberPart { index += 1 }
        let isCard = index - start >= 13 && Luhn.isCardNumber(bytes[start..<index])
        let isShown = isShown || errorMember?.fitsNumber(length: index - start) == true
        if !isShown || isCard { output.replace(start..<index) }
        return endValue()
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { return false }
        // `true` under a secret name is not a secret: it only says that there is one.
        index = end
        return endValue()
    }

    // MARK: Reading

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index].isSpace { index += 1 }
    }

    /// Returns the position of the closing quote, and whether there are escapes. Nil if there is none, or a character is invalid in a string.
    @inline(__always)
    private func endOfString(from start: Int) -> (end: Int, isEscaped: Bool)? {
        var place = start
        var isEscaped = false
        while true {
            // Skips eight bytes at a time up to a special one.
            while let word = bytes.word(at: place) {
                let offset = JSONSpecial.offset(in: word)
                place += offset
                if offset < 8 { break }
            }
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") { return (place, isEscaped) }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                place += 2
            } else {
                guard byte >= 0x20 else { return nil }
                place += 1
            }
        }
    }

    /// Decodes a string with escapes, or returns nil if it is malformed.
    private static func decoded(_ content: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
        let quoted = Data([UInt8(ascii: "["), UInt8(ascii: "\"")] + content + [UInt8(ascii: "\""), UInt8(ascii: "]")])
        return (try? JSONDecoder().decode([String].self, from: quoted))?.first.map { Array($0.utf8) }
    }
}

extension UInt8 {
    fileprivate var isNumberPart: Bool {
        isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "+") || self == UInt8(ascii: ".")
            || self | 0x20 == UInt8(ascii: "e")
    }
}
