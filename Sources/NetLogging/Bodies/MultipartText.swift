import NetCore

/// A body of type `multipart/form-data` (RFC 7578), to be shown.
struct MultipartText {
    struct Part {
        let name: String
        let fileName: String?
        let contentType: String?
        let content: Data

        /// The content as it may be shown; nil if it is to be summarised.
        func shown(_ redactor: Redactor) -> String? {
            if fileName == nil, contentType.flatMap({ MediaType($0) }).map({ $0.subtype == "plain" }) ?? true {
                return redactor.fieldValue(String(decoding: content, as: UTF8.self), named: name)
            }
            return BodyText(redactor: redactor).shown(content, contentType: contentType ?? "application/octet-stream")
        }
    }

    let boundary: String
    let parts: [Part]

    /// Nil if the bytes are no such body.
    init?(_ data: Data, boundary: String) {
        let delimiter = Data("--\(boundary)".utf8)
        guard var place = data.range(of: delimiter), place.lowerBound == data.startIndex else { return nil }
        var parts: [Part] = []
        while true {
            let rest = data[place.upperBound...]
            if rest.starts(with: "--".utf8) { break }
            guard let end = data.range(of: Data("\r\n".utf8) + delimiter, in: place.upperBound..<data.endIndex),
                let part = Self.part(data[place.upperBound..<end.lowerBound])
            else { return nil }
            parts.append(part)
            place = end
        }
        self.boundary = boundary
        self.parts = parts
    }

    /// One line: `title=[REDACTED]; avatar=(1234 bytes, image/png)`.
    func line(_ redactor: Redactor) -> String {
        parts.map { part in
            let summary = "(\(BodyText.summary(length: Int64(part.content.count), contentType: part.contentType)))"
            return "\(redactor.name(part.name))=\(part.shown(redactor) ?? summary)"
        }
        .joined(separator: "; ")
    }

    /// The same form without what is secret, names of files among it.
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

    /// The `boundary` of a `Content-Type`.
    static func boundary(in contentType: String) -> String? {
        parameter("boundary", in: contentType)
    }

    private static func part(_ bytes: Data) -> Part? {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        var fields = HTTPHeaders()
        for line in head.components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.append(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
        }
        guard let disposition = fields["Content-Disposition"], let name = parameter("name", in: disposition) else {
            return nil
        }
        return Part(
            name: name, fileName: parameter("filename", in: disposition) ?? parameter("filename*", in: disposition),
            contentType: fields["Content-Type"], content: Data(bytes[end.upperBound...]))
    }

    /// The value of a parameter, out of its quotes.
    private static func parameter(_ name: String, in field: String) -> String? {
        var rest = Array(field.utf8)[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(semicolon + 1)...].drop { $0.isHTTPWhitespace }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let found = String(decoding: rest[..<equals], as: UTF8.self)
            rest = rest[(equals + 1)...]
            let value: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                value = rest[..<quote]
                rest = rest[(quote + 1)...]
            } else {
                value = rest.prefix { $0 != UInt8(ascii: ";") && !$0.isHTTPWhitespace }
                rest = rest[value.endIndex...]
            }
            if found.equalsIgnoringASCIICase(name) { return String(decoding: value, as: UTF8.self) }
        }
        return nil
    }
}
