/// Encodes a value as a ``ParameterValue``. It is the encoder of one node of the tree.
///
/// `JSONEncoder` cannot take its place: it omits properties that are nil, and does not tell 1.0 from 1.
final class ParameterEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    // The node is the first of these that is set.
    private var value: ParameterValue?
    private var elements: [ParameterEncoder]?
    private var members: [String: ParameterEncoder]?

    private init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// - Parameter name: the name of the value, where an error's path begins; nil for none.
    static func encode(_ value: any Encodable, named name: String? = nil) throws -> ParameterValue {
        func path() -> [any CodingKey] { name.map { [AnyKey(stringValue: $0)] } ?? [] }
        if let known = try ParameterValue(known: value, path: path()) { return known }
        let encoder = ParameterEncoder(path())
        try value.encode(to: encoder)
        return encoder.result
    }

    /// The node with those below it. A value that encodes nothing is an empty object.
    private var result: ParameterValue {
        if let value { return value }
        return elements.map { .array($0.map(\.result)) } ?? .object((members ?? [:]).mapValues(\.result))
    }

    private func encode(_ value: any Encodable) throws {
        if let known = try ParameterValue(known: value, path: codingPath) {
            self.value = known
        } else {
            try value.encode(to: self)
        }
    }

    /// Returns the encoder of a member: a new one that replaces an earlier one, unless that is to be added to.
    private func member(_ key: any CodingKey, adding: Bool = false) -> ParameterEncoder {
        if adding, let earlier = members?[key.stringValue] { return earlier }
        let member = ParameterEncoder(codingPath + [key])
        members?[key.stringValue] = member
        return member
    }

    private func nextElement() -> ParameterEncoder {
        let element = ParameterEncoder(codingPath + [AnyKey(intValue: elements?.count ?? 0)])
        elements?.append(element)
        return element
    }

    func container<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
        members = members ?? [:]
        return KeyedEncodingContainer(Members(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        elements = elements ?? []
        return Elements(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: self) }
}

extension ParameterEncoder {
    private struct Single: SingleValueEncodingContainer {
        let node: ParameterEncoder
        var codingPath: [any CodingKey] { node.codingPath }
        func encodeNil() { node.value = .scalar(.null) }
        func encode<T: Encodable>(_ value: T) throws { try node.encode(value) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let node: ParameterEncoder
        var codingPath: [any CodingKey] { node.codingPath }
        var count: Int { node.elements?.count ?? 0 }
        func encodeNil() { node.nextElement().value = .scalar(.null) }
        func encode<T: Encodable>(_ value: T) throws { try node.nextElement().encode(value) }
        func nestedContainer<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
            node.nextElement().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.nextElement().unkeyedContainer() }
        func superEncoder() -> any Encoder { node.nextElement() }
    }

    private struct Members<K: CodingKey>: KeyedEncodingContainerProtocol {
        let node: ParameterEncoder
        var codingPath: [any CodingKey] { node.codingPath }
        func encodeNil(forKey key: K) { node.member(key).value = .scalar(.null) }
        func encode<T: Encodable>(_ value: T, forKey key: K) throws { try node.member(key).encode(value) }
        func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: K) -> KeyedEncodingContainer<N> {
            node.member(key, adding: true).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: K) -> any UnkeyedEncodingContainer {
            node.member(key, adding: true).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { node.member(AnyKey(stringValue: "super")) }
        func superEncoder(forKey key: K) -> any Encoder { node.member(key) }

        private func encodeOrNil<T: Encodable>(_ value: T?, _ key: K) throws {
            if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
        }

        // Nil is kept. The generic function does not replace the defaults for these types, which omit it.
        func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Bool?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: K) throws { try encodeOrNil(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: K) throws { try encodeOrNil(value, key) }
    }
}
