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
    private var fields: [HTTPHeader] = []
    /// The place of each name, in lower case. It keeps work linear, as a server may send thousands of fields. Nil for few, where a search is faster.
    private var places: [String: Place]?

    private struct Place {
        /// The index of the first field of the name.
        var first: Int
        var count: Int
    }

    /// The number of fields from which there are ``places``.
    private static let indexedCount = 33

    public init() {}

    /// Creates a list of fields. If a name is repeated, the last field wins, at the position of the first.
    public init(_ headers: [HTTPHeader]) {
        fields.reserveCapacity(headers.count)
        for header in headers { add(header) }
    }

    /// Creates a list sorted by name, so that equal dictionaries give equal requests.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Keeps the fields as they are, including duplicates. Transports use it for what the server sent.
    public init(received headers: [HTTPHeader]) {
        fields = headers
        findPlaces()
    }

    /// Adds a field, replacing all fields of its name.
    public mutating func add(_ header: HTTPHeader) {
        guard let place = place(of: header.name) else { return append(header) }
        fields[place.first] = header
        guard place.count > 1 else { return }
        var index = -1
        removeAll { other in
            index += 1
            return index > place.first && other.name.equalsIgnoringASCIICase(header.name)
        }
    }

    /// Adds a field, replacing all fields of its name.
    public mutating func add(name: String, value: String) { add(HTTPHeader(name: name, value: value)) }
    /// The same as ``add(_:)``.
    public mutating func update(_ header: HTTPHeader) { add(header) }
    /// The same as ``add(name:value:)``.
    public mutating func update(name: String, value: String) { add(name: name, value: value) }

    /// Appends a field after those of the same name, which it keeps.
    public mutating func append(_ header: HTTPHeader) {
        fields.append(header)
        if places == nil { findPlaces() } else { notePlace(of: header.name, at: count - 1) }
    }

    /// Appends a field after those of the same name, which it keeps.
    public mutating func append(name: String, value: String) { append(HTTPHeader(name: name, value: value)) }

    /// Adds the fields of the other list, replacing all fields of their names. Repeated fields of the other list are all added.
    public mutating func add(contentsOf other: HTTPHeaders) {
        var unplaced = Dictionary(other.lazy.map { ($0.name.asciiLowercased, $0) }) { first, _ in first }
        let names = Set(unplaced.keys)
        let kept = fields.compactMap { field in
            let name = field.name.asciiLowercased
            return names.contains(name) ? unplaced.removeValue(forKey: name) : field
        }
        var placed = names.subtracting(unplaced.keys)
        self = HTTPHeaders(received: kept + other.filter { placed.remove($0.name.asciiLowercased) == nil })
    }

    /// Removes all fields of these lower-case names in one pass.
    package mutating func remove(names: Set<String>) {
        guard !names.isEmpty else { return }
        removeAll { names.contains($0.name.asciiLowercased) }
    }

    /// Removes all fields of that name.
    public mutating func remove(name: String) {
        guard contains(name: name) else { return }
        removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Returns all values of that name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of the field, or nil if there is none.
    ///
    /// Fields of the same name are joined by `", "` (RFC 9110, section 5.3), except `Set-Cookie`: its values cannot be joined, so this is
    /// the first. Setting a value replaces all fields of the name; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let place = place(of: name) else { return nil }
            return place.count == 1 ? fields[place.first].value : Self.joined(values(for: name), of: name)
        }
        set {
            guard let newValue else { return remove(name: name) }
            add(name: name, value: newValue)
        }
    }

    private static func joined(_ values: [String], of name: String) -> String {
        name.equalsIgnoringASCIICase("Set-Cookie") ? values[0] : values.joined(separator: ", ")
    }

    /// Whether there is a field of that name, in any case.
    public func contains(name: String) -> Bool { place(of: name) != nil }

    /// The fields as a dictionary, for `URLRequest`. Fields of the same name are joined as in ``subscript(_:)``.
    public var dictionary: [String: String] {
        var result = [String: String](minimumCapacity: count)
        for fields in fieldsByName.values {
            let name = fields[0].name
            result[name] = fields.count == 1 ? fields[0].value : Self.joined(fields.map(\.value), of: name)
        }
        return result
    }

    /// The fields by their names in lower case.
    private var fieldsByName: [String: [HTTPHeader]] { Dictionary(grouping: fields) { $0.name.asciiLowercased } }
    public var isEmpty: Bool { fields.isEmpty }

    /// The number of fields, including duplicates.
    public var count: Int { fields.count }

    /// The first field that cannot be sent, or nil if all can: see ``HTTPHeader/isValid``.
    public var firstInvalid: HTTPHeader? { fields.first { !$0.isValid } }

    private mutating func removeAll(where isRemoved: (HTTPHeader) -> Bool) {
        let count = count
        fields.removeAll(where: isRemoved)
        if fields.count != count { findPlaces() }
    }

    private func place(of name: String) -> Place? {
        if let places { return places[name.asciiLowercased] }
        guard let first = fields.firstIndex(where: { $0.name.equalsIgnoringASCIICase(name) }) else { return nil }
        let isRepeated = fields[(first + 1)...].contains { $0.name.equalsIgnoringASCIICase(name) }
        return Place(first: first, count: isRepeated ? 2 : 1)
    }

    private mutating func findPlaces() {
        places = nil
        guard count >= Self.indexedCount else { return }
        places = Dictionary(minimumCapacity: count)
        for (index, field) in fields.enumerated() { notePlace(of: field.name, at: index) }
    }

    private mutating func notePlace(of name: String, at index: Int) {
        places?[name.asciiLowercased, default: Place(first: index, count: 0)].count += 1
    }
}

extension HTTPHeaders: Sequence, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, Hashable, Codable,
    CustomStringConvertible
{
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> { fields.makeIterator() }
    public var underestimatedCount: Int { count }

    /// Creates a list in the literal's order. If a name is repeated, the last field wins.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// Creates a list from a literal such as `[.json(), .accept("application/json")]`.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }

    /// Whether each name has the same values in the same order. The order of *different* names does not matter (RFC 9110, section 5.3).
    public static func == (lhs: HTTPHeaders, rhs: HTTPHeaders) -> Bool {
        lhs.count == rhs.count && lhs.fieldsByName == rhs.fieldsByName
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fieldsByName) }

    /// Decodes an array of fields, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        self.init(received: try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Encodes an array of `{"name": …, "value": …}`, which keeps the order and duplicates.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fields)
    }

    /// One field per line, with the values of credential fields redacted.
    public var description: String { map(\.description).joined(separator: "\n") }
}
