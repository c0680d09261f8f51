import NetCore

/// Why a request was refused: what the server answers, and what it notes in its journal.
struct ProtocolError: Error, Equatable {
    var status = 400
    let reason: String
}

/// A request line and its fields, checked strictly: a test server that forgives hides the client's mistakes.
struct RequestHead: Sendable {
    enum Framing: Equatable, Sendable {
        case none
        case length(Int64)
        case chunked
        /// HTTP/2 without a length.
        case untilEndOfStream

        /// The bytes of half a body, or of a first part if the length is unknown.
        var half: Int64 {
            switch self {
            case .length(let length): length / 2 + length % 2
            case .chunked, .untilEndOfStream: 1
            case .none: 0
            }
        }
    }

    let method: HTTPMethod
    let target: String
    let version: String
    let headers: HTTPHeaders
    let framing: Framing

    /// Whether the connection outlives the exchange if nobody objects (RFC 9112, section 9.3).
    var keepsAlive: Bool {
        let options = headers.values(for: "Connection").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.trimmingHTTPWhitespace }
        return version == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    }

    var hasBody: Bool { framing != .none && framing != .length(0) }

    var expectsContinue: Bool {
        version != "HTTP/1.0" && (headers["Expect"] ?? "").equalsIgnoringASCIICase("100-continue")
    }

    /// The path of a request target in origin form or absolute form (RFC 9112, section 3.2).
    static func path(of target: String) -> Substring {
        let path = target.prefix { $0 != "?" }
        guard !path.hasPrefix("/"), let scheme = path.range(of: "://") else { return path }
        return path[scheme.upperBound...].firstIndex(of: "/").map { path[$0...] } ?? "/"
    }

    /// Reads a head.
    ///
    /// - Parameter lines: the lines without their line ends, and without the empty one.
    init(lines: [String]) throws {
        let parts = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw ProtocolError(reason: "The request line has not three parts.") }
        method = HTTPMethod(rawValue: String(parts[0]))
        target = String(parts[1])
        version = String(parts[2])
        guard method.rawValue.isHTTPToken else { throw ProtocolError(reason: "The method is not a token.") }
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProtocolError(reason: "The request target has characters that must be percent-encoded.")
        }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw ProtocolError(status: 505, reason: "The version is not HTTP/1.1.")
        }
        headers = HTTPHeaders(received: try lines.dropFirst().map(Self.field))
        if version == "HTTP/1.1", headers.values(for: "Host").count != 1 {
            throw ProtocolError(reason: "There is not exactly one Host field.")
        }
        framing = try Self.framing(of: headers, version: version)
    }

    /// A head of HTTP/2, whose body ends with its stream.
    init(method: HTTPMethod, target: String, version: String, headers: HTTPHeaders, endsStream: Bool) throws {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        let framing = try Self.framing(of: headers, version: version)
        self.framing = framing == .none && !endsStream ? .untilEndOfStream : framing
    }

    /// Reads `name: value` (RFC 9112, section 5), for trailers too.
    static func field(_ line: String) throws -> HTTPHeader {
        guard let colon = line.firstIndex(of: ":") else { throw ProtocolError(reason: "A field has no colon.") }
        let field = HTTPHeader(
            name: String(line[..<colon]),
            value: String(line[line.index(after: colon)...].trimmingHTTPWhitespace)
        )
        // Refuses white space before the colon and at the start of the line (the obsolete folding), too.
        guard field.isValid else { throw ProtocolError(reason: "A field has characters that are not allowed.") }
        return field
    }

    /// RFC 9112, section 6.3, with each leniency that made request smuggling possible turned into a refusal.
    private static func framing(of headers: HTTPHeaders, version: String) throws -> Framing {
        let lengths = headers.values(for: "Content-Length")
        let codings = headers.values(for: "Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw ProtocolError(reason: "Content-Length beside Transfer-Encoding.") }
            guard version == "HTTP/1.1" else { throw ProtocolError(reason: "Transfer-Encoding in HTTP/1.0.") }
            guard codings.count == 1, codings[0].equalsIgnoringASCIICase("chunked") else {
                throw ProtocolError(status: 501, reason: "A transfer coding other than chunked.")
            }
            return .chunked
        }
        guard let first = lengths.first else { return .none }
        guard lengths.count == 1, first.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int64(first) else {
            throw ProtocolError(reason: "Content-Length is not one number.")
        }
        return .length(length)
    }
}
