/// The mismatch between a body and the type that it is decoded as: types and paths, never a value.
enum DecodingMismatch: Equatable {
    /// Another type than expected. `path` is nil at the top level; `found` is a JSON type, or nil if the decoder does not say.
    case unexpected(path: String?, expected: String, found: String?)
    /// A required key is missing.
    case missing(key: String, path: String?)
    /// The value is invalid for the type: a number that is too large, a date in another format. `type` is nil if the decoder does not say.
    case unfit(path: String?, type: String?)
    /// The data cannot be parsed.
    case malformed

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self = .unexpected(
                path: context.path, expected: Self.name(of: type), found: Self.found(in: context.debugDescription))
        case .valueNotFound(let type, let context):
            let isAtEnd = context.debugDescription.contains("at end")
            self = .unexpected(path: context.path, expected: Self.name(of: type), found: isAtEnd ? nil : "null")
        case .keyNotFound(let key, let context):
            self = .missing(key: SanitizedText.word(Redactor.standard.name(key.stringValue)), path: context.path)
        case .dataCorrupted(let context):
            self.init(corrupted: context)
        @unknown default:
            self = .malformed
        }
    }

    /// Parses the message of Foundation's decoder. Only a type's name is taken from it: the rest may hold the value.
    private init(corrupted context: DecodingError.Context) {
        let words = context.debugDescription
        let type =
            words.name(between: "Cannot initialize ", and: " from invalid ") ?? words.name(
                between: " does not fit in ", and: ".")
            ?? Self.formats.first { words.contains($0.words) }?.type
        let isJSON = (context.underlyingError as? DecodedBody)?.isJSON == true
        self =
            type == nil && context.codingPath.isEmpty && !isJSON ? .malformed : .unfit(path: context.path, type: type)
    }

    /// An English text for a log: `expected Int at items[1].owner.age, found string`.
    var summary: String {
        func place(_ path: String?) -> String { path ?? "the top level" }
        switch self {
        case .unexpected(let path, let expected, let found):
            return "expected \(expected) at \(place(path))" + (found.map { ", found \($0)" } ?? "")
        case .missing(let key, let path): return "missing key '\(key)' at \(place(path))"
        case .unfit(let path, let type):
            return "the value does not fit \(type ?? "the expected type") at \(place(path))"
        case .malformed: return "malformed data at the top level"
        }
    }

    private static let formats: [(words: String, type: String)] = [
        ("Invalid URL string", "URL"), ("invalid UUID string", "UUID"), ("not valid Base64", "Base64"),
        ("ISO8601-formatted", "Date"),
        ("Date string does not match format", "Date"),
    ]

    /// The JSON types as decoders name them, and their names in RFC 8259.
    private static let types: [(words: String, name: String)] = [
        ("a string", "string"), ("number", "number"), ("a number", "number"), ("bool", "boolean"),
        ("a bool", "boolean"),
        ("null", "null"), ("an array", "array"), ("a dictionary", "object"),
    ]

    private static func found(in words: String) -> String? {
        guard let start = words.range(of: "but found ", options: .backwards) else { return nil }
        let rest = words[start.upperBound...]
        return types.first { rest.hasPrefix($0.words) }?.name
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "object"
        case is [Any].Type: "array"
        default: SanitizedText.word(String(describing: type))
        }
    }
}

extension DecodingError.Context {
    /// `items[1].owner.age`, or nil at the top level. Keys may be data, so keys that look like a secret are redacted.
    fileprivate var path: String? { codingPath.isEmpty ? nil : codingPath.shownPath }
}

extension [any CodingKey] {
    /// `items[1].owner.age`.
    var shownPath: String {
        var text = ""
        for key in self {
            if let index = key.intValue, key.stringValue != String(index) {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + SanitizedText.word(Redactor.standard.name(key.stringValue))
            }
        }
        return text
    }
}

extension String {
    /// Returns the type name between two marks, or nil if the text there is not a type name.
    fileprivate func name(between start: String, and end: String) -> String? {
        guard let from = range(of: start), let to = range(of: end, range: from.upperBound..<endIndex) else {
            return nil
        }
        let name = self[from.upperBound..<to.lowerBound]
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "_.<>, ".contains($0) }
        return isName && !name.isEmpty && name.count <= 100 ? String(name) : nil
    }
}

/// The description of a body that could not be decoded. ``DecodableSerializer`` makes it the underlying error of the `DecodingError`'s
/// context, because neither `DecodingError` nor ``NetworkError/decodingError(_:)`` has another place for it.
struct DecodedBody: SecretFreeError {
    /// The media type without its parameters, if the response has one.
    let contentType: String?
    /// Whether the bytes are JSON, or nil if that was not checked.
    let isJSON: Bool?
    /// The context's original underlying error.
    let underlyingError: (any Error)?

    /// The media type if it is not JSON.
    var foreignContentType: String? {
        contentType.flatMap { $0.hasSuffix("/json") || $0.hasSuffix("+json") ? nil : $0 }
    }

    var description: String { contentType.map { "the response is \($0)" } ?? "the response has no content type" }
}

extension DecodingError {
    /// Returns the same error with a description of its body.
    package func describing(_ data: Data, of contentType: String?) -> DecodingError {
        let mediaType = (contentType ?? "").prefix { $0 != ";" }.trimmingHTTPWhitespace
        let contentType = mediaType.isEmpty ? nil : SanitizedText.word(String(mediaType).asciiLowercased)
        func knowing(_ context: Context, isJSON: Bool? = nil) -> Context {
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription,
                underlyingError: DecodedBody(
                    contentType: contentType, isJSON: isJSON, underlyingError: context.underlyingError))
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, knowing(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, knowing(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, knowing(context))
        case .dataCorrupted(let context):
            // Foundation reports a number that does not fit as "not valid JSON", too.
            let isJSON = context.codingPath.isEmpty && data.count <= Self.parsedLength ? data.isJSON : nil
            return .dataCorrupted(knowing(context, isJSON: isJSON))
        @unknown default: return self
        }
    }

    /// The largest body that is parsed again to find the problem, in bytes: 1 MiB.
    private static var parsedLength: Int { 1 << 20 }

    /// The description of the body, if ``describing(_:of:)`` added one.
    var body: DecodedBody? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.underlyingError as? DecodedBody
        @unknown default: nil
        }
    }
}

extension Data {
    fileprivate var isJSON: Bool { (try? JSONSerialization.jsonObject(with: self, options: .fragmentsAllowed)) != nil }
}
