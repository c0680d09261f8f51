import NetCore

/// What may be shown of a body.
struct BodyText {
    let redactor: Redactor
    /// Longer bodies are only summarised.
    var limit = BodyText.usualLimit

    static let usualLimit = 64 << 10

    /// The body as text, without secrets; nil if it is to be summarised: it is empty, long, binary, or of a kind of which nobody can say what
    /// in it is secret.
    func shown(_ data: Data, contentType: String?) -> String? {
        guard !data.isEmpty, data.count <= limit else { return nil }
        switch Kind(data, contentType: contentType) {
        case .json(let isProblem):
            return String(decoding: redactor.json(data, isProblem: isProblem), as: UTF8.self)
        case .form: return String(decoding: redactor.form(data), as: UTF8.self)
        case .multipart(let boundary):
            return MultipartText(data, boundary: boundary).map { $0.line(redactor) }
        case .other:
            guard !redactor.isEnabled, !data.contains(0) else { return nil }
            return String(data: data, encoding: .utf8)
        }
    }

    /// The bytes to send in place of the body so that the rest of a request can be tried: of the same kind, without secrets. Nil where there
    /// is no such thing.
    func replacement(for data: Data, contentType: String?) -> Data? {
        guard redactor.isEnabled else { return data }
        guard data.count <= limit else { return nil }
        switch Kind(data, contentType: contentType) {
        case .json(let isProblem): return redactor.json(data, isProblem: isProblem)
        case .form: return redactor.form(data)
        case .multipart(let boundary): return MultipartText(data, boundary: boundary).map { $0.redacted(redactor) }
        case .other: return nil
        }
    }

    /// The size and the type: `16 bytes, application/json`.
    static func summary(length: Int64?, contentType: String?) -> String {
        let size = length.map { $0 == 1 ? "1 byte" : "\($0) bytes" } ?? "a stream of unknown length"
        return size + (contentType.map { ", \($0)" } ?? "")
    }

    /// How a body is to be read.
    enum Kind: Equatable {
        case json(isProblem: Bool = false)
        case form
        case multipart(boundary: String)
        case other

        init(_ data: Data, contentType: String?) {
            let type = contentType.flatMap { MediaType($0) }
            switch type.map({ ($0.type, $0.subtype) }) {
            case (_, let subtype)? where Self.isJSON(subtype): self = .json(isProblem: subtype == "problem+json")
            case ("application", "x-www-form-urlencoded")?: self = .form
            case ("multipart", "form-data")?:
                self = contentType.flatMap(MultipartText.boundary).map(Self.multipart) ?? .other
            // Servers forget to say so, or say that it is text.
            case nil, ("text", "plain")?: self = Self.looksLikeJSON(data) ? .json() : .other
            default: self = .other
            }
        }

        private static func isJSON(_ subtype: String) -> Bool {
            ["json", "x-ndjson", "ndjson", "jsonl", "json-seq"].contains(subtype) || subtype.hasSuffix("+json")
        }

        private static func looksLikeJSON(_ data: Data) -> Bool {
            let first = data.first { !" \t\r\n".utf8.contains($0) }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        }
    }
}
