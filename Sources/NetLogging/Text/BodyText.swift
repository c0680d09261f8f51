import NetCore

/// Formats bodies for logs, without their secrets.
struct BodyText {
    let redactor: Redactor
    /// The largest body to show, in bytes. A larger one is only summarised.
    var limit = 64 << 10

    /// Returns the body as text, without secrets. Nil for a body that should be summarised: it is empty, large or binary, or its
    /// kind is unknown, so that secrets cannot be found.
    func shown(_ data: Data, contentType: String?) -> String? {
        guard !data.isEmpty, data.count <= limit else { return nil }
        switch Kind(data, contentType: contentType) {
        case .json(let isProblem): return String(decoding: redactor.json(data, isProblem: isProblem), as: UTF8.self)
        case .form: return String(decoding: redactor.form(data), as: UTF8.self)
        case .multipart(let boundary): return MultipartText(data, boundary: boundary).map { $0.line(redactor) }
        case .other: return redactor.isEnabled || data.contains(0) ? nil : String(data: data, encoding: .utf8)
        }
    }

    /// Returns a body of the same kind without secrets, for trying the rest of a request. Nil for other kinds of bodies.
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

    /// Returns the size, the type and the content coding: `16 bytes, application/json, gzip`.
    static func summary(length: Int64?, contentType: String?, coding: String? = nil) -> String {
        let size = length.map { $0 == 1 ? "1 byte" : "\($0) bytes" } ?? "a stream of unknown length"
        guard contentType != nil || coding != nil else { return size }
        return ([size, contentType, coding] as [String?]).compactMap { $0 }.joined(separator: ", ")
    }

    /// The format of a body.
    enum Kind: Equatable {
        case json(isProblem: Bool = false)
        case form
        case multipart(boundary: String)
        case other

        init(_ data: Data, contentType: String?) {
            let type = contentType.flatMap { MediaType($0) }
            switch type.map({ ($0.type, $0.subtype) }) {
            case (_, let subtype)? where type?.isJSON == true || Self.jsonSequences.contains(subtype):
                self = .json(isProblem: subtype == "problem+json")
            case ("application", "x-www-form-urlencoded")?: self = .form
            case ("multipart", "form-data")?:
                self = contentType.flatMap(MultipartScanner.boundary).map(Self.multipart) ?? .other
            // Servers omit the type of JSON, or declare it as text.
            case nil, ("text", "plain")?: self = Self.looksLikeJSON(data) ? .json() : .other
            default: self = .other
            }
        }

        private static let jsonSequences = ["x-ndjson", "ndjson", "jsonl", "json-seq"]

        private static func looksLikeJSON(_ data: Data) -> Bool {
            let first = data.first { !" \t\r\n".utf8.contains($0) }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        }
    }
}

extension HTTPBody {
    /// Whether the body is a stream, which may still be arriving.
    var isStream: Bool { if case .stream = source { true } else { false } }

    /// The body as a log reads it, and its media type: before the client compressed it, and unknown bytes in any other content coding.
    func readable(_ headers: HTTPHeaders) -> (body: HTTPBody, contentType: String?) {
        if let uncoded { return (uncoded.body, headers["Content-Type"]) }
        let isCoded = headers["Content-Encoding"].map { !$0.equalsIgnoringASCIICase("identity") } ?? false
        return (self, isCoded ? "application/octet-stream" : headers["Content-Type"])
    }

    /// The body as text, without secrets; nil if it should be summarised.
    func shown(_ headers: HTTPHeaders, by text: BodyText) -> String? {
        let (body, contentType) = readable(headers)
        return body.data.flatMap { text.shown($0, contentType: contentType) }
    }
}

/// A body of type `multipart/form-data` (RFC 7578), for display.
struct MultipartText {
    struct Part {
        let name: String
        let fileName: String?
        let contentType: String?
        var content: Data

        /// Returns the content without secrets, or nil if it should be summarised.
        func shown(_ redactor: Redactor) -> String? {
            if fileName == nil, contentType.flatMap({ MediaType($0) }).map({ $0.subtype == "plain" }) ?? true {
                return redactor.fieldValue(String(decoding: content, as: UTF8.self), named: name)
            }
            return BodyText(redactor: redactor).shown(content, contentType: contentType ?? "application/octet-stream")
        }
    }

    let boundary: String
    let parts: [Part]

    /// Nil if the bytes are not such a body.
    init?(_ data: Data, boundary: String) {
        guard var scanner = MultipartScanner(boundary: boundary, headerLimit: data.count) else { return nil }
        scanner.append(data)
        scanner.finish()
        var parts: [Part] = []
        do {
            scan: while let event = try scanner.next() {
                switch event {
                case .end: break scan
                case .content(let content): parts[parts.count - 1].content += content
                case .part(let fields):
                    let parameters = FieldParameters.parse(fields["Content-Disposition"] ?? "")
                    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
                    guard let name = parameter("name") else { return nil }
                    parts.append(
                        Part(
                            name: name, fileName: parameter("filename") ?? parameter("filename*"),
                            contentType: fields["Content-Type"], content: Data()))
                }
            }
        } catch {
            return nil
        }
        self.boundary = boundary
        self.parts = parts
    }

    /// Returns one line: `title=[REDACTED]; avatar=(1234 bytes, image/png)`.
    func line(_ redactor: Redactor) -> String {
        parts.map { part in
            let summary = "(\(BodyText.summary(length: Int64(part.content.count), contentType: part.contentType)))"
            return "\(redactor.name(part.name))=\(part.shown(redactor) ?? summary)"
        }
        .joined(separator: "; ")
    }

    /// Returns the same form without secrets and without names of files.
    func redacted(_ redactor: Redactor) -> Data {
        var result = ""
        for part in parts {
            result += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(redactor.name(part.name))\""
            if part.fileName != nil { result += "; filename=\"\(Redactor.mark)\"" }
            result += "\r\n"
            if let type = part.contentType { result += "Content-Type: \(type)\r\n" }
            result += "\r\n\(part.shown(redactor) ?? Redactor.mark)\r\n"
        }
        return Data((result + "--\(boundary)--\r\n").utf8)
    }
}
