/// The header fields of a request or a response: ordered, and looked up without regard to case.
///
/// One type for both directions. ``add(_:)`` and the initialisers *replace* a field of the same name, which is what a
/// request wants; ``append(_:)`` keeps both, which is what a response needs (`Set-Cookie`). ``subscript(_:)`` reads the
/// one value a caller usually wants, ``values(for:)`` reads all.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.add(.authorization(bearerToken: token))
/// headers["X-Correlation-Id"] = UUID().uuidString
/// ```
public struct HTTPHeaders: Sendable {
    private var fields: [HTTPHeader]

    /// No fields.
    public init() {
        fields = []
    }

    /// The fields given. Of several with the same name the last one stands, in the place of the first.
    public init(_ headers: [HTTPHeader]) {
        fields = []
        fields.reserveCapacity(headers.count)
        for header in headers { add(header) }
    }

    /// The fields of a dictionary, sorted by name, so that the same dictionary gives the same request.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Takes the fields as they are, duplicates included: for transports, which hand on what the server sent.
    public init(received headers: [HTTPHeader]) {
        fields = headers
    }

    /// Inserts a field, or replaces all of that name.
    public mutating func add(_ header: HTTPHeader) {
        guard let first = firstIndex(of: header.name) else { return fields.append(header) }
        fields[first] = header
        var index = fields.count - 1
        while index > first {
            if fields[index].name.equalsIgnoringASCIICase(header.name) { fields.remove(at: index) }
            index -= 1
        }
    }

    /// Inserts a field, or replaces all of that name.
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

    /// Inserts a field behind those of the same name, which stay.
    public mutating func append(_ header: HTTPHeader) {
        fields.append(header)
    }

    /// Inserts a field behind those of the same name, which stay.
    public mutating func append(name: String, value: String) {
        fields.append(HTTPHeader(name: name, value: value))
    }

    /// Adds each field of the other collection, replacing those of the same names that are here. Where the other one has
    /// several of a name, all of them come.
    public mutating func add(contentsOf other: HTTPHeaders) {
        for (index, header) in other.fields.enumerated() {
            if other.firstIndex(of: header.name) == index { add(header) } else { append(header) }
        }
    }

    /// Removes all fields of that name. Does nothing if there is none.
    public mutating func remove(name: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// All values of that name, in the order in which they came.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of the field, or nil if there is none.
    ///
    /// Several fields of one name read as one, joined by `", "` (RFC 9110, section 5.3), except `Set-Cookie`, whose values
    /// cannot be joined: there it is the first. Setting replaces all fields of the name; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = firstIndex(of: name) else { return nil }
            let value = fields[first].value
            guard let second = fields[(first + 1)...].firstIndex(where: { $0.name.equalsIgnoringASCIICase(name) }),
                !name.equalsIgnoringASCIICase("Set-Cookie")
            else { return value }
            return value + ", "
                + fields[second...].lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
                .joined(separator: ", ")
        }
        set {
            guard let newValue else { return remove(name: name) }
            add(name: name, value: newValue)
        }
    }

    /// Whether there is a field of that name.
    public func contains(name: String) -> Bool {
        firstIndex(of: name) != nil
    }

    /// The fields as a dictionary, for `URLRequest`. Several of one name are joined as ``subscript(_:)`` does.
    public var dictionary: [String: String] {
        var result = [String: String](minimumCapacity: fields.count)
        for (index, field) in fields.enumerated() where firstIndex(of: field.name) == index {
            result[field.name] = self[field.name]
        }
        return result
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The number of fields, duplicates counted.
    public var count: Int { fields.count }

    /// The first field that must not be sent, or nil if all may: see ``HTTPHeader/isValid``.
    public var firstInvalid: HTTPHeader? {
        fields.first { !$0.isValid }
    }

    private func firstIndex(of name: String) -> Int? {
        fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
    }
}

extension HTTPHeaders: Sequence {
    /// Goes through the fields in order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> {
        fields.makeIterator()
    }

    /// The number of fields, exactly.
    public var underestimatedCount: Int { fields.count }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields of a literal, in its order; of several with the same name the last one stands.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// The fields of a literal: `[.json(), .accept("application/json")]`.
    public init(arrayLiteral elements: HTTPHeader...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Equal if each name has the same values in the same order; the order of *different* names does not matter
    /// (RFC 9110, section 5.3).
    public static func == (lhs: HTTPHeaders, rhs: HTTPHeaders) -> Bool {
        lhs.fields.count == rhs.fields.count && lhs.valuesByName == rhs.valuesByName
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(valuesByName)
    }

    private var valuesByName: [String: [String]] {
        Dictionary(grouping: fields) { $0.name.asciiLowercased }.mapValues { $0.map(\.value) }
    }
}

extension HTTPHeaders: Codable {
    /// Reads a list of fields, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([HTTPHeader].self)
    }

    /// Writes a list of `{"name": …, "value": …}`, which keeps order and duplicates.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fields)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One field a line; values of fields that carry credentials are left out.
    public var description: String {
        fields.map(\.description).joined(separator: "\n")
    }
}
