import NetCore

extension RequestHead {
    /// Reads the field list of a request (RFC 9113, section 8.3.1), as strictly as a head of HTTP/1.1.
    init(http2 fields: [HPACKField], endsStream: Bool) throws {
        var pseudo: [String: String] = [:]
        var regular: [HTTPHeader] = []
        var cookies: [String] = []
        for field in fields {
            if field.name.hasPrefix(":") {
                guard regular.isEmpty, cookies.isEmpty else {
                    throw ProtocolError(reason: "A pseudo-field stands behind a field.")
                }
                guard [":method", ":scheme", ":authority", ":path"].contains(field.name), pseudo[field.name] == nil
                else { throw ProtocolError(reason: "The pseudo-field \(field.name) is unknown or repeated.") }
                pseudo[field.name] = field.value
            } else if field.name == "cookie" {
                // The crumbs belong together (RFC 9113, section 8.2.3).
                cookies.append(field.value)
            } else {
                regular.append(try Self.field(http2: field))
            }
        }
        if !cookies.isEmpty { regular.append(HTTPHeader(name: "cookie", value: cookies.joined(separator: "; "))) }
        let method = HTTPMethod(rawValue: pseudo[":method"] ?? "")
        guard method.rawValue.isHTTPToken else { throw ProtocolError(reason: "The method is not a token.") }
        let isTunnel = method.rawValue == "CONNECT"
        let target = pseudo[isTunnel ? ":authority" : ":path"] ?? ""
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProtocolError(reason: "The path is missing, or has characters that must be percent-encoded.")
        }
        guard isTunnel == (pseudo[":scheme"] == nil), !isTunnel || pseudo[":path"] == nil else {
            throw ProtocolError(reason: "The pseudo-fields do not fit the method.")
        }
        if let authority = pseudo[":authority"] { regular.insert(HTTPHeader(name: "host", value: authority), at: 0) }
        try self.init(
            method: method, target: target, version: "HTTP/2", headers: HTTPHeaders(received: regular),
            endsStream: endsStream)
    }

    /// Checks a field, also one of trailers.
    static func field(http2 field: HPACKField) throws -> HTTPHeader {
        let header = HTTPHeader(name: field.name, value: field.value)
        guard header.isValid, !field.name.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else {
            throw ProtocolError(reason: "A field has characters that are not allowed.")
        }
        let isAllowed =
            !HTTP2Script.connectionFields.contains(field.name) && (field.name != "te" || field.value == "trailers")
        guard isAllowed else { throw ProtocolError(reason: "The field \(field.name) is not allowed in HTTP/2.") }
        return header
    }
}
