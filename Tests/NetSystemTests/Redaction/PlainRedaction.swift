import Foundation

@testable import NetSystem

/// Redacts JSON the plain way: byte by byte, recursively, without tables, words of eight bytes or a memory of names. Only for few bytes.
struct PlainRedaction {
    private struct SyntaxError: Error {}

    private struct Context {
        var name: [UInt8]?
        var isShown = false
        var describesError = false
        var isErrorCode = false
        var isErrorMessage = false
    }

    private let bytes: [UInt8]
    private let rules: RedactionRules
    private var index = 0
    private var output: [UInt8] = []

    static func json(_ bytes: [UInt8], _ rules: RedactionRules, isProblem: Bool) -> [UInt8] {
        var plain = PlainRedaction(bytes: bytes, rules: rules)
        do {
            try plain.run(isProblem)
            return plain.output
        } catch { return plain.output + Redactor.mark.utf8 }
    }

    private mutating func run(_ isProblem: Bool) throws {
        var context = Context(describesError: isProblem)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { copy(3) }
        while true {
            copySpace()
            guard index < bytes.count else { return }
            if bytes[index] == 0x1E {
                copy(1)
            } else {
                try value(context)
                context = Context()
            }
        }
    }

    // MARK: Values

    private mutating func value(_ context: Context) throws {
        switch try byte() {
        case UInt8(ascii: "\""):
            let content = Array(bytes[(index + 1)..<(try endOfString(index))])
            let isCode = context.isErrorCode && content.withUnsafeBufferPointer { $0[...].isErrorCode }
            let isShown = context.isShown || context.isErrorMessage || isCode
            replace(content.count + 2, unless: isShown && !holdsSecret(content))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if let name = context.name, !context.isShown, isSecret(name) {
                replace(try endOfContainer() - index, unless: false)
            } else {
                try container(context)
            }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let length = bytes[index...].prefix { "0123456789+-.eE".utf8.contains($0) }.count
            let isShown = context.isShown || context.isErrorCode && length <= 7
            replace(length, unless: isShown && !(length >= 13 && holdsSecret(Array(bytes[index..<(index + length)]))))
        default:
            guard let word = ["true", "false", "null"].first(where: { bytes[index...].starts(with: $0.utf8) }) else {
                throw SyntaxError()
            }
            copy(word.utf8.count)
        }
    }

    private mutating func container(_ context: Context) throws {
        let isObject = bytes[index] == UInt8(ascii: "{")
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        copy(1)
        copySpace()
        if try byte() == end { return copy(1) }
        while true {
            if isObject {
                try member(isInError: context.describesError)
            } else {
                try value(Context(isShown: context.isShown, describesError: context.describesError))
            }
            copySpace()
            let next = try byte()
            guard next == end || next == UInt8(ascii: ",") else { throw SyntaxError() }
            copy(1)
            if next == end { return }
            copySpace()
        }
    }

    private mutating func member(isInError: Bool) throws {
        guard try byte() == UInt8(ascii: "\"") else { throw SyntaxError() }
        let end = try endOfString(index)
        let raw = Array(bytes[(index + 1)..<end])
        let colon = bytes[(end + 1)...].firstIndex { !" \t\r\n".utf8.contains($0) }
        guard let colon, bytes[colon] == UInt8(ascii: ":"), let name = decoded(raw) else { throw SyntaxError() }
        let role = rules.role(of: name)
        let isShown = role.contains(.shown)
        let isLong = raw.count >= 12
        let isSecret = !isShown && isLong && name.withUnsafeBufferPointer { Self.holdsSecret($0, rules) }
        replace(raw.count + 2, unless: !isSecret)
        copySpace()
        copy(1)
        copySpace()
        try value(
            Context(
                name: name, isShown: isShown, describesError: role.contains(.describesError),
                isErrorCode: isInError && role.contains(.errorCode),
                isErrorMessage: isInError && role.contains(.errorMessage)))
    }

    // MARK: Reading

    private func byte() throws -> UInt8 {
        guard index < bytes.count else { throw SyntaxError() }
        return bytes[index]
    }

    private func endOfString(_ start: Int) throws -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            guard bytes[place] >= 0x20 else { throw SyntaxError() }
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count else { throw SyntaxError() }
        return place
    }

    private func endOfContainer() throws -> Int {
        var depth = 0
        var place = index
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = try endOfString(place)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            place += 1
            if depth == 0 { return place }
        }
        throw SyntaxError()
    }

    private mutating func copySpace() { while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { copy(1) } }

    private mutating func copy(_ length: Int) {
        output += bytes[index..<(index + length)]
        index += length
    }

    private mutating func replace(_ length: Int, unless isShown: Bool) {
        if isShown { return copy(length) }
        output += Array("\"\(Redactor.mark)\"".utf8)
        index += length
    }

    // MARK: Secrets

    private func isSecret(_ name: [UInt8]) -> Bool { name.withUnsafeBufferPointer { rules.isSecret($0) } }

    private func holdsSecret(_ content: [UInt8]) -> Bool {
        guard let text = decoded(content) else { return true }
        return text.withUnsafeBufferPointer { Self.holdsSecret($0, rules) }
    }

    private func decoded(_ content: [UInt8]) -> [UInt8]? {
        guard content.contains(UInt8(ascii: "\\")) else { return content }
        let json = Data(Array("[\"".utf8) + content + Array("\"]".utf8))
        return (try? JSONDecoder().decode([String].self, from: json))?.first.map { Array($0.utf8) }
    }

    static func holdsSecret(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        let isAddress = rules.isStrict && bytes.contains(UInt8(ascii: "@"))
        guard bytes.count >= 4 else { return isAddress }
        let first = bytes.first { $0 != UInt8(ascii: " ") }
        return isAddress || first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || !secrets(in: bytes, rules).isEmpty
            || RandomWords.contains(in: bytes, countsUUIDs: rules.isStrict)
    }

    /// Asks at each byte whether a secret starts there.
    static func secrets(in bytes: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var scanner = SecretScanner(bytes)
        var index = 0
        while index < bytes.count {
            let isInWord = index > 0 && bytes[index - 1].isAlphanumeric
            let found = isInWord && bytes[index].isDigit ? nil : scanner.secret(at: index, rules)
            if let found { ranges.append(found) }
            index = max(index + 1, found?.upperBound ?? 0)
        }
        return ranges
    }
}
