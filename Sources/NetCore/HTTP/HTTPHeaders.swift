/// The header fields of a request or a response, in order. Names are compared without regard to case.
///
/// ``add(_:)`` and the initialisers *replace* a field of the same name, as a request needs. ``append(_:)`` keeps both, as a response
/// needs (`Set-Cookie`). ``subscript(_:)`` reads one value, ``values(for:)`` all.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.add(.authorization(bearerToken: token))
/// headers["X-Correlation-Id"] = UUID().uuidString
/// ```
public struct HTTPHeaders: Sendable {
    private var fields: FieldTable

    public init() {
        fields = FieldTable()
    }

    /// Creates a list of fields. If a name is repeated, the last field wins, at the position of the first.
    public init(_ headers: [HTTPHeader]) {
        fields = FieldTable(capacity: headers.count)
        for header in headers { fields.replace(header) }
    }

    /// Creates a list sorted by name, so that equal dictionaries give equal requests.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Keeps the fields as they are, including duplicates. Transports use it for what the server sent.
    public init(received headers: [HTTPHeader]) {
        fields = FieldTable(headers)
    }

    /// Adds a field, replacing all fields of its name.
    public mutating func add(_ header: HTTPHeader) {
        fields.replace(header)
    }

    /// Adds a field, replacing all fields of its name.
    public mutating func add(name: String, value: String) {
        add(HTTPHeader(name: name, value: value))
    }

    /// The same as ``add(_:)``.
    public mutating func update(_ header: HTTPHeader) {
        add(header)
    }

    /// The same as ``add(name:value:)``.
    public mutating func update(name: String, value: String) {
        add(name: name, value: value)
    }

    /// Appends a field after those of the same name, which it keeps.
    public mutating func append(_ header: HTTPHeader) {
        fields.append(header)
    }

    /// Appends a field after those of the same name, which it keeps.
    public mutating func append(name: String, value: String) {
        fields.append(HTTPHeader(name: name, value: value))
    }

    /// Adds the fields of the other list, replacing all fields of their names. Repeated fields of the other list are all added.
    public mutating func add(contentsOf other: HTTPHeaders) {
        fields.replace(contentsOf: other.fields)
    }

    /// Removes all fields of these lower-case names in one pass.
    package mutating func remove(names: Set<String>) {
        guard !names.isEmpty else { return }
        fields.removeAll { names.contains($0.name.asciiLowercased) }
    }

    /// Removes all fields of that name.
    public mutating func remove(name: String) {
        fields.remove(name)
    }

    /// Returns all values of that name, in order.
    public func values(for name: String) -> [String] {
        fields.list.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of the field, or nil if there is none.
    ///
    /// Fields of the same name are joined by `", "` (RFC 9110, section 5.3), except `Set-Cookie`: its values cannot be joined, so this is
    /// the first. Setting a value replaces all fields of the name; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let (first, isRepeated) = fields.lookup(name) else { return nil }
            guard isRepeated, !name.equalsIgnoringASCIICase("Set-Cookie") else { return first.value }
            return values(for: name).joined(separator: ", ")
        }
        set {
            guard let newValue else { return remove(name: name) }
            add(name: name, value: newValue)
        }
    }

    /// Whether there is a field of that name, in any case.
    public func contains(name: String) -> Bool {
        fields.lookup(name) != nil
    }

    /// The fields as a dictionary, for `URLRequest`. Fields of the same name are joined as in ``subscript(_:)``.
    public var dictionary: [String: String] {
        var result = [String: String](minimumCapacity: count)
        for (name, values) in fields.valuesByName {
            let isCookie = name.equalsIgnoringASCIICase("Set-Cookie")
            result[name] = values.count == 1 || isCookie ? values[0] : values.joined(separator: ", ")
        }
        return result
    }

    public var isEmpty: Bool { fields.list.isEmpty }

    /// The number of fields, including duplicates.
    public var count: Int { fields.list.count }

    /// The first field that cannot be sent, or nil if all can: see ``HTTPHeader/isValid``.
    public var firstInvalid: HTTPHeader? {
        fields.list.first { !$0.isValid }
    }
}

extension HTTPHeaders: Sequence, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> {
        fields.list.makeIterator()
    }

    public var underestimatedCount: Int { fields.list.count }

    /// Creates a list in the literal's order. If a name is repeated, the last field wins.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// Creates a list from a literal such as `[.json(), .accept("application/json")]`.
    public init(arrayLiteral elements: HTTPHeader...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Whether each name has the same values in the same order. The order of *different* names does not matter (RFC 9110, section 5.3).
    public static func == (lhs: HTTPHeaders, rhs: HTTPHeaders) -> Bool {
        lhs.count == rhs.count && lhs.valuesByName == rhs.valuesByName
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(valuesByName)
    }

    private var valuesByName: [String: [String]] {
        Dictionary(grouping: fields.list) { $0.name.asciiLowercased }.mapValues { $0.map(\.value) }
    }
}

extension HTTPHeaders: Codable, CustomStringConvertible {
    /// Decodes an array of fields, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        fields = FieldTable(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Encodes an array of `{"name": …, "value": …}`, which keeps the order and duplicates.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fields.list)
    }

    /// One field per line, with the values of credential fields redacted.
    public var description: String {
        fields.list.map(\.description).joined(separator: "\n")
    }
}
