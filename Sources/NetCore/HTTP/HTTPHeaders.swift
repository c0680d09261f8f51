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
    private var fields: FieldTable

    /// No fields.
    public init() {
        fields = FieldTable()
    }

    /// The fields given. Of several with the same name the last one stands, in the place of the first.
    public init(_ headers: [HTTPHeader]) {
        fields = FieldTable(capacity: headers.count)
        for header in headers { fields.replace(header) }
    }

    /// The fields of a dictionary, sorted by name, so that the same dictionary gives the same request.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Takes the fields as they are, duplicates included: for transports, which hand on what the server sent.
    public init(received headers: [HTTPHeader]) {
        fields = FieldTable(headers)
    }

    /// Inserts a field, or replaces all of that name.
    public mutating func add(_ header: HTTPHeader) {
        fields.replace(header)
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
        fields.replace(contentsOf: other.fields)
    }

    /// Removes all fields of these names, which are in lower case, in one pass.
    package mutating func remove(names: Set<String>) {
        guard !names.isEmpty else { return }
        fields.removeAll { names.contains($0.name.asciiLowercased) }
    }

    /// Removes all fields of that name. Does nothing if there is none.
    public mutating func remove(name: String) {
        fields.remove(name)
    }

    /// All values of that name, in the order in which they came.
    public func values(for name: String) -> [String] {
        fields.list.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of the field, or nil if there is none.
    ///
    /// Several fields of one name read as one, joined by `", "` (RFC 9110, section 5.3), except `Set-Cookie`, whose values
    /// cannot be joined: there it is the first. Setting replaces all fields of the name; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = fields.first(of: name) else { return nil }
            guard fields.hasSeveral(name), !name.equalsIgnoringASCIICase("Set-Cookie") else { return first.value }
            return values(for: name).joined(separator: ", ")
        }
        set {
            guard let newValue else { return remove(name: name) }
            add(name: name, value: newValue)
        }
    }

    /// Whether there is a field of that name.
    public func contains(name: String) -> Bool {
        fields.first(of: name) != nil
    }

    /// The fields as a dictionary, for `URLRequest`. Several of one name are joined as ``subscript(_:)`` does.
    public var dictionary: [String: String] {
        var result = [String: String](minimumCapacity: count)
        for (name, values) in fields.valuesByName {
            let isCookie = name.equalsIgnoringASCIICase("Set-Cookie")
            result[name] = values.count == 1 || isCookie ? values[0] : values.joined(separator: ", ")
        }
        return result
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.list.isEmpty }

    /// The number of fields, duplicates counted.
    public var count: Int { fields.list.count }

    /// The first field that must not be sent, or nil if all may: see ``HTTPHeader/isValid``.
    public var firstInvalid: HTTPHeader? {
        fields.list.first { !$0.isValid }
    }
}

extension HTTPHeaders: Sequence {
    /// Goes through the fields in order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> {
        fields.list.makeIterator()
    }

    /// The number of fields, exactly.
    public var underestimatedCount: Int { fields.list.count }
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
        lhs.count == rhs.count && lhs.valuesByName == rhs.valuesByName
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(valuesByName)
    }

    private var valuesByName: [String: [String]] {
        Dictionary(grouping: fields.list) { $0.name.asciiLowercased }.mapValues { $0.map(\.value) }
    }
}

extension HTTPHeaders: Codable {
    /// Reads a list of fields, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        fields = FieldTable(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Writes a list of `{"name": …, "value": …}`, which keeps order and duplicates.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fields.list)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One field a line; values of fields that carry credentials are left out.
    public var description: String {
        fields.list.map(\.description).joined(separator: "\n")
    }
}

extension HTTPHeaders {
    /// The fields of a dictionary, sorted by name as ``init(_:)-([String:String])`` does, or of other pairs, in their order.
    package init(fields: some Sequence<(key: String, value: String)>) {
        if let dictionary = fields as? [String: String] {
            self.init(dictionary)
        } else {
            self.init(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
        }
    }
}

extension HTTPHeaders {
    /// What a well-behaved client says of itself: `User-Agent` and, where the user has chosen languages,
    /// `Accept-Language`.
    ///
    /// There is no `Accept-Encoding`: the transport asks for what it can decode.
    public static let `default`: HTTPHeaders = {
        var headers = HTTPHeaders([.userAgent(defaultUserAgent)])
        if let languages = acceptLanguage(for: Locale.preferredLanguages) { headers.add(.acceptLanguage(languages)) }
        return headers
    }()

    /// The value of `Accept-Language` for languages in order of preference: six at most, each worth a tenth less than
    /// the one before (seed 000, cookbook). Nil where there are none.
    public static func acceptLanguage(for languages: [String]) -> String? {
        let tags = languages.prefix(6).filter { !$0.isEmpty }
        guard !tags.isEmpty else { return nil }
        return tags.enumerated()
            .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }
            .joined(separator: ", ")
    }

    /// `app/version (system) Networking/version` (RFC 9110, section 10.1.5): the most significant product first. Without a version of the
    /// app only its name.
    package static let defaultUserAgent: String = {
        let process = ProcessInfo.processInfo.processName.filter { String($0).isHTTPToken }
        let version = (Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String)?.filter {
            String($0).isHTTPToken
        }
        let product = (process.isEmpty ? "app" : process) + (version.map { $0.isEmpty ? "" : "/\($0)" } ?? "")
        #if os(Linux)
            let system = "Linux"
        #elseif os(Android)
            let system = "Android"
        #elseif os(macOS)
            let system = "macOS"
        #elseif os(iOS)
            let system = "iOS"
        #elseif os(tvOS)
            let system = "tvOS"
        #elseif os(watchOS)
            let system = "watchOS"
        #elseif os(visionOS)
            let system = "visionOS"
        #else
            let system = "unknown"
        #endif
        return "\(product) (\(system)) Networking/\(SDKVersion.current)"
    }()
}

/// The version of this SDK, as it stands in `User-Agent` and in the change log.
public enum SDKVersion {
    /// The current version (semantic versioning 2.0).
    public static let current = "0.1.0"
}
