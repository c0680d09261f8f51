/// Where a body does not fit the type that it is decoded as, and how: types and places, never a value.
enum DecodingMismatch: Equatable {
    /// Another type than the one expected. `path` is nil at the top level; `found` is a type of JSON, or nil if the decoder does not say.
    case unexpected(path: String?, expected: String, found: String?)
    /// A key that is needed is not there.
    case missing(key: String, path: String?)
    /// The value does not fit the type: a number that is too large, a date in another format. `type` is nil if the decoder does not say.
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
            self = .missing(key: ShownText.word(Redactor.standard.name(key.stringValue)), path: context.path)
        case .dataCorrupted(let context):
            self.init(corrupted: context)
        @unknown default:
            self = .malformed
        }
    }

    /// Goes by the words of Foundation's decoder. Only the name of a type is shown of them: the rest may hold the value.
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

    /// In English, for a log: `expected Int at items[1].owner.age, found string`.
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

    /// The types of JSON as decoders name them, and as RFC 8259 does.
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
        default: ShownText.word(String(describing: type))
        }
    }
}

extension DecodingError.Context {
    /// `items[1].owner.age`; nil at the top level. Keys may be data, so those that look like a secret are left out.
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
                text += (text.isEmpty ? "" : ".") + ShownText.word(Redactor.standard.name(key.stringValue))
            }
        }
        return text
    }
}

extension String {
    /// The name of a type between two marks; nil if what is there is not the name of a type.
    fileprivate func name(between start: String, and end: String) -> String? {
        guard let from = range(of: start), let to = range(of: end, range: from.upperBound..<endIndex) else {
            return nil
        }
        let name = self[from.upperBound..<to.lowerBound]
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "_.<>, ".contains($0) }
        return isName && !name.isEmpty && name.count <= 100 ? String(name) : nil
    }
}
