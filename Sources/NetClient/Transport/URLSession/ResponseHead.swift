/// The head of a response, taken out of Foundation's type and checked.
struct ResponseHead: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let url: URL?
    /// How long the body is that the reader gets; nil if that is known at its end only.
    let bodyLength: Int64?
    let isContentEncoded: Bool
    /// Whether URLSession gives the body decoded.
    let isDecoded: Bool

    /// What the head breaks, if it does.
    enum Flaw: Error {
        case tooLarge
        case conflictingLengths(String)
    }

    init(_ response: HTTPURLResponse, method: String?, headerLimit: Int) throws(Flaw) {
        var fields: [HTTPHeader] = []
        var size = 0
        for (key, value) in response.allHeaderFields {
            guard let name = key as? String, let text = value as? String else { continue }
            let value = text.withoutControlCharacters
            size += name.utf8.count + value.utf8.count + 4
            if name.equalsIgnoringASCIICase("Set-Cookie") {
                fields += Self.cookies(in: value).map { HTTPHeader(name: name, value: $0) }
            } else {
                fields.append(HTTPHeader(name: name, value: value))
            }
        }
        guard size <= headerLimit else { throw .tooLarge }
        // A dictionary has no order: sorted, so that the same response gives the same headers.
        headers = HTTPHeaders(received: fields.sorted { $0.name < $1.name })
        status = response.statusCode
        url = response.url
        let encoding = headers["Content-Encoding"]?.lowercased() ?? "identity"
        isContentEncoded = encoding != "identity" && !encoding.isEmpty
        let declared = try Self.declaredLength(in: headers)
        let hasBody = method != "HEAD" && ![204, 205, 304].contains(status)
        isDecoded = isContentEncoded && hasBody && URLSessionPlatform.decodedCodings.contains(encoding)
        bodyLength = hasBody ? (isContentEncoded ? nil : declared) : 0
    }

    /// Foundation joins several `Content-Length` with commas; libcurl takes any of them.
    private static func declaredLength(in headers: HTTPHeaders) throws(Flaw) -> Int64? {
        guard let text = headers["Content-Length"], !headers.contains(name: "Transfer-Encoding") else { return nil }
        let values = Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard values.count == 1 else { throw .conflictingLengths(text) }
        return values.first.flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Foundation joins several `Set-Cookie` with commas, which their dates have too. A comma parts two cookies if a name
    /// and `=` come after it (RFC 6265, section 4.1.1).
    static func cookies(in joined: String) -> [String] {
        var result: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" && $0 != " " }
            let startsCookie = !name.isEmpty && part.drop { $0 == " " }.dropFirst(name.count).first == "="
            if startsCookie || result.isEmpty {
                result.append(String(part.drop { $0 == " " }))
            } else {
                result[result.count - 1] += "," + part
            }
        }
        return result
    }
}
