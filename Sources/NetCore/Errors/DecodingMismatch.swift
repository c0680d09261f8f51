/// The mismatch between a body and the type that it is decoded as: types and paths, never a value.
struct DecodingMismatch {
    enum Problem {
        /// Another type than expected. `found` is a JSON type, or nil if the decoder does not say.
        case unexpected(expected: String, found: String?)
        /// A required key is missing.
        case missing(key: String)
        /// The value is invalid for the type: a number that is too large, a date in another format. `type` is nil if the decoder does not say.
        case unfit(type: String?)
        /// The data cannot be parsed.
        case malformed
    }

    let problem: Problem
    /// Nil at the top level.
    let path: String?

    init(_ error: DecodingError) {
        path = error.context?.codingPath.shownPath
        problem =
            switch error {
            case .typeMismatch(let type, let context):
                .unexpected(expected: Self.name(of: type), found: Self.found(in: context.debugDescription))
            case .valueNotFound(let type, let context):
                .unexpected(
                    expected: Self.name(of: type), found: context.debugDescription.contains("at end") ? nil : "null")
            case .keyNotFound(let key, _): .missing(key: SanitizedText.word(Redactor.standard.name(key.stringValue)))
            case .dataCorrupted(let context): Self.problem(ofCorrupted: context)
            @unknown default: .malformed
            }
    }

    /// Parses the message of Foundation's decoder. Only a type's name is taken from it: the rest may hold the value.
    private static func problem(ofCorrupted context: DecodingError.Context) -> Problem {
        let words = context.debugDescription
        let type =
            words.name(between: "Cannot initialize ", and: " from invalid ")
            ?? words.name(between: " does not fit in ", and: ".") ?? formats.first { words.contains($0.words) }?.type
        let isJSON = (context.underlyingError as? DecodedBody)?.isJSON == true
        return type == nil && context.codingPath.isEmpty && !isJSON ? .malformed : .unfit(type: type)
    }

    /// An English text for a log: `expected Int at items[1].owner.age, found string`.
    var summary: String {
        let place = path ?? "the top level"
        switch problem {
        case .unexpected(let expected, let found):
            return "expected \(expected) at \(place)" + (found.map { ", found \($0)" } ?? "")
        case .missing(let key): return "missing key '\(key)' at \(place)"
        case .unfit(let type): return "the value does not fit \(type ?? "the expected type") at \(place)"
        case .malformed: return "malformed data at the top level"
        }
    }

    private static let formats: [(words: String, type: String)] = [
        ("Invalid URL string", "URL"), ("invalid UUID string", "UUID"), ("not valid Base64", "Base64"),
        ("ISO8601-formatted", "Date"), ("Date string does not match format", "Date"),
    ]

    /// The JSON types as decoders name them, and their names in RFC 8259.
    private static let types: [(words: String, name: String)] = [
        ("a string", "string"), ("number", "number"), ("a number", "number"), ("bool", "boolean"),
        ("a bool", "boolean"), ("null", "null"), ("an array", "array"), ("a dictionary", "object"),
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

extension [any CodingKey] {
    /// `items[1].owner.age`, or nil at the top level. Keys may be data, so keys that look like a secret are redacted.
    var shownPath: String? {
        var text = ""
        for key in self {
            if let index = key.intValue, key.stringValue != String(index) {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + SanitizedText.word(Redactor.standard.name(key.stringValue))
            }
        }
        return isEmpty ? nil : text
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

    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The description of the body, if ``describing(_:of:)`` added one.
    var body: DecodedBody? { context?.underlyingError as? DecodedBody }
}

extension Data {
    fileprivate var isJSON: Bool { (try? JSONSerialization.jsonObject(with: self, options: .fragmentsAllowed)) != nil }
}
