/// A value that may hold secrets: `print`, `dump`, `Mirror` and string interpolation show only its ``shownFields``, also inside an array,
/// an optional or a property of another type.
///
/// ```swift
/// struct APIKey: RedactedReflectable {
///     let id: String
///     let secret: String
///
///     var shownFields: KeyValuePairs<String, Any?> { ["id": id] }
/// }
/// ```
public protocol RedactedReflectable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields to show, by name and in this order. They must not hold a secret. Nil values are omitted.
    var shownFields: KeyValuePairs<String, Any?> { get }
}

extension RedactedReflectable {
    /// The type and its ``shownFields`` on one line: `APIKey(id: 7)`.
    public var description: String {
        let fields = shownFields.compactMap { field in field.value.map { "\(field.key): \($0)" } }
        return "\(Self.self)(\(fields.joined(separator: ", ")))".onOneLine
    }

    public var debugDescription: String { description }

    /// Has ``shownFields`` as its children.
    public var customMirror: Mirror {
        let children = shownFields.compactMap { field in field.value.map { (label: Optional(field.key), value: $0) } }
        return Mirror(self, children: children, displayStyle: Self.self is AnyClass ? .class : .struct)
    }
}

extension URL {
    /// The URL with secrets redacted: see ``Redactor/text(of:)``.
    package var redactedText: String { Redactor.standard.text(of: self) }
}

extension Redactor {
    /// The default redactor, which redacts everything that is not known to be harmless.
    package static let standard = Redactor(rules: RedactionRules())
}

extension RedactionRules {
    /// Rules with the header fields of ``KnownField``. Names in `sensitive…` win over those in `allowed…`.
    package convenience init(
        isStrict: Bool = false,
        sensitiveHeaders: [String] = [], sensitiveQueryItems: [String] = [], sensitiveFields: [String] = [],
        allowedHeaders: [String] = [], allowedQueryItems: [String] = [], allowedFields: [String] = []
    ) {
        self.init(
            isStrict: isStrict, harmlessHeaders: KnownField.shownNames(isStrict: isStrict),
            sensitiveHeaders: sensitiveHeaders, sensitiveQueryItems: sensitiveQueryItems,
            sensitiveFields: sensitiveFields, allowedHeaders: allowedHeaders, allowedQueryItems: allowedQueryItems,
            allowedFields: allowedFields)
    }
}

extension String {
    /// The text without secrets that are recognisable by their form. Error texts can come from anywhere.
    package var withoutSecrets: String { Redactor.standard.text(self) }
}
