import NetCore

struct MultipartEncoder: Sendable {
    typealias Entry = (name: String, part: MultipartFormData.Part)

    let boundary: String
    let isBoundaryGiven: Bool
    let entries: [Entry]

    /// The boundary is quoted unless it is a token. None of its characters needs a backslash.
    var contentType: String { "multipart/form-data; boundary=\(boundary.isHTTPToken ? boundary : "\"\(boundary)\"")" }

    func makeBody() throws -> HTTPBody {
        var layout = MultipartLayout(forbidden: isBoundaryGiven ? boundary : nil)
        for entry in entries {
            let disposition = "form-data; name=\"\(entry.name.inDispositionQuotes)\""
            try Self.add(entry.part, disposition: disposition, boundary: boundary, to: &layout)
        }
        layout.add("--\(boundary)--\r\n")
        return try layout.body()
    }

    private static func add(
        _ part: MultipartFormData.Part, disposition: String, boundary: String, to layout: inout MultipartLayout
    ) throws {
        try part.checkHeaders()
        let filename = part.filename.map { "; filename=\"\($0.inDispositionQuotes)\"" } ?? ""
        var head = "--\(boundary)\r\nContent-Disposition: \(disposition)\(filename)\r\n"
        for header in part.headers { head += "\(header.name): \(header.value)\r\n" }
        switch part.content {
        case .body(let body):
            layout.add(head + "\r\n")
            try layout.add(body)
        case .file(let url):
            layout.add(head + "\r\n")
            try layout.add(HTTPBody(FileSegment(uploading: url)))
        case .mixed(let parts):
            let inner = MultipartBoundary.random()
            layout.add(head + "Content-Type: multipart/mixed; boundary=\(inner)\r\n\r\n")
            for part in parts { try add(part, disposition: "attachment", boundary: inner, to: &layout) }
            layout.add("--\(inner)--")
        }
        layout.add("\r\n")
    }
}

extension HTTPBody {
    init(_ segment: FileSegment) { self.init(source: .file(segment), length: segment.length, isReplayable: true) }
}

extension String {
    /// The text between the quotes of a `name` or `filename`, encoded as in WHATWG HTML. So is NUL, since it ends a header for some servers.
    fileprivate var inDispositionQuotes: String {
        let special: [UInt8] = [0x22, 0x0D, 0x0A, 0x00]
        guard utf8.contains(where: special.contains) else { return self }
        let bytes = utf8.flatMap { special.contains($0) ? PercentEncoding.encode($0) : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The boundary between the parts of a multipart body (RFC 2046, section 5.1.1).
enum MultipartBoundary {
    /// Returns 128 random bits, in characters that need no quotes.
    static func random() -> String {
        "part-" + [UInt64.random(in: 0...(.max)), .random(in: 0...(.max))].withUnsafeBytes(\.hexadecimal)
    }

    static func isValid(_ boundary: String) -> Bool {
        let bytes = boundary.utf8
        return (1...70).contains(bytes.count) && bytes.last != UInt8(ascii: " ")
            && bytes.allSatisfy { $0.isAlphanumeric || $0.isOne(of: "'()+_,-./:=? ") }
    }

    static func occurs(_ boundary: String, in data: Data) -> Bool { data.range(of: Data("--\(boundary)".utf8)) != nil }
}
