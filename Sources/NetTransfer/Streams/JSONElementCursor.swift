import NetCore

/// Finds the elements of a JSON array (RFC 8259) that may be below a key path.
///
/// It looks at each byte once, and checks the structure: brackets, commas, colons and quotes. What the elements contain is left to a decoder.
struct JSONElementCursor: ChunkCursor {
    private enum State: Equatable {
        case value(orEnd: Bool)
        case key(orEnd: Bool)
        case colon
        case string(isKey: Bool)
        case escape(isKey: Bool)
        /// In a number, `true`, `false` or `null`.
        case scalar
        case afterValue
        case end
    }

    /// The deepest nesting, as of `JSONDecoder`.
    static let depthLimit = 512

    private let limit: Int
    private let path: [String]
    private let converted: @Sendable (String, [any CodingKey]) -> String
    private let keyLimit: Int

    private var state = State.value(orEnd: false)
    private var stack: [UInt8] = []
    /// The number of open containers that lead to the array.
    private var pathDepth = 0
    /// Whether the next value leads to the array, or is it.
    private var isOnPath = true
    /// The index of the next value of the innermost container on the path.
    private var index = 0
    private var key: [UInt8] = []
    /// The depth of the elements, once the array is found.
    private var elementDepth: Int?
    private var position = 0
    private var start: Int?
    /// The number of bytes before those in the buffer.
    private var offset: Int64 = 0

    /// Finds elements of up to `limit` bytes in the array at a path, to which the decoder's key strategy applies.
    init(limit: Int, path: ResponseKeyPath, decoder: any BodyDecoder) {
        self.limit = max(0, limit)
        self.path = path.components
        converted = decoder.convertedKey
        keyLimit = 4096 + 18 * (path.components.map(\.utf8.count).max() ?? 0)
    }

    mutating func moveToFront() -> Int {
        let consumed = start ?? position
        position -= consumed
        if start != nil { start = 0 }
        offset += Int64(consumed)
        return consumed
    }

    mutating func next(in bytes: UnsafeRawBufferPointer, isFinished: Bool) throws(NetworkError) -> Range<Int>? {
        while position < bytes.count {
            let byte = bytes[position]
            switch state {
            case .string(let isKey):
                let first = position
                while position < bytes.count, !Self.isSpecial(bytes[position]) { position += 1 }
                if isKey { keep(bytes[first..<position]) }
                guard position < bytes.count else { continue }
                if bytes[position] == UInt8(ascii: "\\") {
                    state = .escape(isKey: isKey)
                    if isKey { keep(bytes[position...position]) }
                } else if bytes[position] != UInt8(ascii: "\"") {
                    throw malformed()
                } else if isKey {
                    matchKey()
                    state = .colon
                }
                position += 1
                if case .string = state, let element = try endValue() { return element }
            case .escape(let isKey):
                if isKey { keep(bytes[position...position]) }
                state = .string(isKey: isKey)
                position += 1
            case .scalar where Self.isScalar(byte): position += 1
            case .scalar: if let element = try endValue() { return element }
            case _ where byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09: position += 1
            default: if let element = try readStructure(byte) { return element }
            }
        }
        if let start, position - start > limit { throw .responseTooLarge(limit: limit) }
        if isFinished, state != .end { throw .decodingError(ResponseStream.JSONElementError.truncated) }
        return nil
    }

    /// Reads a byte that is not part of a string, scalar or white space.
    private mutating func readStructure(_ byte: UInt8) throws(NetworkError) -> Range<Int>? {
        switch (state, byte) {
        case (.value(true), UInt8(ascii: "]")), (.key(true), UInt8(ascii: "}")), (.afterValue, UInt8(ascii: "]")),
            (.afterValue, UInt8(ascii: "}")):
            return try close(byte)
        case (.value, _): try beginValue(byte)
        case (.key, UInt8(ascii: "\"")):
            key = []
            state = .string(isKey: true)
        case (.colon, UInt8(ascii: ":")): state = .value(orEnd: false)
        case (.afterValue, UInt8(ascii: ",")):
            let isObject = stack.last == UInt8(ascii: "{")
            state = isObject ? .key(orEnd: false) : .value(orEnd: false)
            if !isObject, isSearching {
                index += 1
                isOnPath = ResponseKeyPath.index(path[pathDepth - 1]) == index
            }
        default: throw malformed()
        }
        position += 1
        return nil
    }

    /// Whether the innermost container leads to the array, which was not found yet.
    private var isSearching: Bool { elementDepth == nil && pathDepth == stack.count && pathDepth > 0 }

    private mutating func beginValue(_ byte: UInt8) throws(NetworkError) {
        // A byte order mark.
        let place = offset + Int64(position)
        if place < 3, stack.isEmpty, [0xEF, 0xBB, 0xBF][Int(place)] == byte { return }
        if stack.count == elementDepth { start = position }
        let isContainer = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
        if isOnPath { try followPath(byte) }
        guard isContainer else {
            state = byte == UInt8(ascii: "\"") ? .string(isKey: false) : .scalar
            guard byte == UInt8(ascii: "\"") || Self.isScalar(byte) else { throw malformed() }
            return
        }
        guard stack.count < Self.depthLimit else {
            throw .decodingError(ResponseStream.JSONElementError.tooDeep(limit: Self.depthLimit))
        }
        stack.append(byte)
        let isArray = byte == UInt8(ascii: "[")
        state = isArray ? .value(orEnd: true) : .key(orEnd: true)
        guard isOnPath else { return }
        isOnPath = false
        if stack.count > path.count {
            elementDepth = stack.count
        } else {
            pathDepth += 1
            index = 0
            isOnPath = isArray && ResponseKeyPath.index(path[pathDepth - 1]) == 0
        }
    }

    /// Checks that a value on the path can lead further.
    private func followPath(_ byte: UInt8) throws(NetworkError) {
        let isTarget = stack.count == path.count
        let isIndexed = !isTarget && ResponseKeyPath.index(path[stack.count]) != nil
        switch byte {
        case UInt8(ascii: "["): if isTarget || isIndexed { return }
        case UInt8(ascii: "{"): if !isTarget { return }
        default: if !Self.isScalar(byte), byte != UInt8(ascii: "\"") { throw malformed() }
        }
        let found =
            switch byte {
            case UInt8(ascii: "["): "an array"
            case UInt8(ascii: "{"): "a dictionary"
            case UInt8(ascii: "\""): "a string"
            case UInt8(ascii: "t"), UInt8(ascii: "f"): "bool"
            case UInt8(ascii: "n"): "null"
            default: "number"
            }
        let text = "The key path needs a container but found \(found) instead."
        let context = DecodingError.Context(codingPath: keys(upTo: stack.count), debugDescription: text)
        let wanted: Any.Type = isTarget || isIndexed ? [Any].self : [String: Any].self
        throw .decodingError(DecodingError.typeMismatch(wanted, context))
    }

    private mutating func close(_ byte: UInt8) throws(NetworkError) -> Range<Int>? {
        // Brackets differ from their counterparts by two.
        guard let opening = stack.last, opening + 2 == byte else { throw malformed() }
        if isSearching {
            let text = "The key path leads to no value."
            let context = DecodingError.Context(codingPath: keys(upTo: pathDepth - 1), debugDescription: text)
            throw .decodingError(DecodingError.keyNotFound(AnyKey(stringValue: path[pathDepth - 1]), context))
        }
        stack.removeLast()
        if pathDepth > stack.count { pathDepth = stack.count }
        if let depth = elementDepth, depth > stack.count { elementDepth = .max }
        position += 1
        return try endValue()
    }

    /// Ends a value before the current position. Returns it if it is an element.
    private mutating func endValue() throws(NetworkError) -> Range<Int>? {
        state = stack.isEmpty ? .end : .afterValue
        guard stack.count == elementDepth, let first = start else { return nil }
        start = nil
        guard position - first <= limit else { throw .responseTooLarge(limit: limit) }
        return first..<position
    }

    private mutating func keep(_ part: Slice<UnsafeRawBufferPointer>) {
        if isSearching, key.count <= keyLimit { key.append(contentsOf: part) }
    }

    private mutating func matchKey() {
        guard isSearching else { return }
        isOnPath = false
        guard key.count <= keyLimit else { return }
        let component = path[pathDepth - 1]
        let quoted = Data([UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")])
        guard
            let name = key.contains(UInt8(ascii: "\\"))
                ? try? JSONDecoder().decode(String.self, from: quoted) : String(decoding: key, as: UTF8.self)
        else { return }
        isOnPath = name == component || converted(name, keys(upTo: pathDepth - 1)) == component
    }

    private func keys(upTo count: Int) -> [any CodingKey] { path.prefix(count).map { AnyKey(stringValue: $0) } }

    private func malformed() -> NetworkError {
        .decodingError(ResponseStream.JSONElementError.malformed(offset: offset + Int64(position)))
    }

    /// Whether a byte ends a run of ordinary characters in a string.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
