public import NetCore

extension MockResponse {
    /// 200 without content.
    public static let ok = MockResponse()
    /// 204 (RFC 9110, section 15.3.5).
    public static let noContent = MockResponse(status: 204)
    /// 404 without content.
    public static let notFound = MockResponse(status: 404)

    /// A status without content.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers)
    }

    /// Text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Bytes.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream",
        status: Int = 200
    ) -> MockResponse {
        MockResponse(status: status, headers: ["Content-Type": contentType], body: .data(data))
    }

    /// A value as JSON, with the keys sorted.
    ///
    /// A value that cannot be encoded becomes a 500 whose text says why, so that the test sees it.
    public static func json(
        _ value: some Encodable,
        status: Int = 200,
        encoder: JSONEncoder? = nil
    ) -> MockResponse {
        let plain = JSONEncoder()
        plain.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try (encoder ?? plain).encode(value), contentType: "application/json", status: status)
        } catch {
            return text("MockResponse.json could not encode the value: \(error)", status: 500)
        }
    }

    /// JSON that is text already, valid or not.
    public static func json(text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// A redirection.
    ///
    /// - Parameters:
    ///   - location: the value of `Location`, which may be relative.
    ///   - status: 302 unless given.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status: status, headers: ["Location": location])
    }

    /// Each element as one chunk (RFC 9112, section 7.1), with `delay` seconds between them.
    public static func chunked(_ chunks: [Data], delay: TimeInterval = 0) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .chunks(chunks, delay: delay)
        )
    }

    /// Each string as one chunk, with `delay` seconds between them.
    public static func chunked(_ chunks: [String], delay: TimeInterval = 0) -> MockResponse {
        chunked(chunks.map { Data($0.utf8) }, delay: delay)
    }

    /// A body of that many bytes that is made while it is sent. ``generatedBytes(count:)`` tells which bytes they are.
    public static func bytes(count: Int64) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .generated(count: max(0, count))
        )
    }

    /// A body with `Content-Encoding: gzip` that decodes to that many zeros, 159 for each byte sent: for limits on the decoded
    /// size.
    public static func gzippedZeros(count: Int64) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"],
            body: .gzippedZeros(count: max(0, count))
        )
    }

    /// Exactly these bytes in place of a response, whatever they are; then the connection is closed, unless
    /// ``closingConnection(_:)`` says otherwise.
    public static func raw(_ bytes: Data) -> MockResponse {
        var response = MockResponse()
        response.rawBytes = bytes
        response.closesConnection = true
        return response
    }

    /// Exactly the bytes of this text in place of a response: see ``raw(_:)-(Data)``. Line ends are yours to write: `\r\n`.
    public static func raw(_ text: String) -> MockResponse {
        raw(Data(text.utf8))
    }

    /// A response with a fault, otherwise 200.
    public static func fault(_ fault: MockFault) -> MockResponse {
        MockResponse.ok.fault(fault)
    }

    /// The first bytes of every generated body: lines of 63 letters and digits, the line feed is the 64th.
    public static func generatedBytes(count: Int) -> Data {
        var bytes = Data(capacity: max(0, count))
        while bytes.count < count { bytes.append(generatedLine.prefix(count - bytes.count)) }
        return bytes
    }

    static let generatedLine = Data("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-\n".utf8)
}

/// A server-sent event, or something else that stands in a stream of them (HTML standard, section 9.2).
///
/// ```swift
/// server.on("/news", .events([.event("one", id: "1"), .pause(0.1), .event("two", name: "update", id: "2"), .hold]))
/// ```
public enum MockEvent: Hashable, Sendable {
    /// An event. Each line of its data becomes a field of its own.
    case event(_ data: String, name: String? = nil, id: String? = nil)
    /// How many milliseconds a client waits before it connects again.
    case retry(Int)
    /// A line that clients pass over, as servers send it to keep a connection alive.
    case comment(String)
    /// Nothing for that many seconds.
    case pause(TimeInterval)
    /// Nothing any more, and the connection stays open.
    case hold

    fileprivate var piece: MockResponse.Piece {
        switch self {
        case .event(let data, let name, let id):
            let fields = [id.map { "id: \($0)\n" }, name.map { "event: \($0)\n" }].compactMap { $0 }
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
            return .bytes(Data(((fields + lines).joined() + "\n").utf8))
        case .retry(let milliseconds): return .bytes(Data("retry: \(milliseconds)\n\n".utf8))
        case .comment(let text): return .bytes(Data(": \(text)\n\n".utf8))
        case .pause(let seconds): return .pause(seconds)
        case .hold: return .hold
        }
    }
}

extension MockResponse {
    /// A stream of server-sent events, each in a chunk of its own. Behind the last one the body ends, and the client connects again.
    public static func events(_ events: [MockEvent]) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
            body: .stream(events.map(\.piece)))
    }
}

/// The redirections of RFC 9110, section 15.4, so that a test can loop over them.
public enum MockRedirect: Int, Sendable, CaseIterable {
    /// 301.
    case movedPermanently = 301
    /// 302.
    case found = 302
    /// 303: the answer is elsewhere, and is asked for with GET.
    case seeOther = 303
    /// 307.
    case temporary = 307
    /// 308.
    case permanent = 308

    /// Whether the method and the body have to stay. Those that do not keep them are for history's sake turned into GET from POST.
    public var keepsMethod: Bool { self == .temporary || self == .permanent }
}

extension MockResponse {
    /// A redirection of that kind: see ``redirect(to:status:)``.
    public static func redirect(_ kind: MockRedirect, to location: String) -> MockResponse {
        redirect(to: location, status: kind.rawValue)
    }
}

/// A cookie as a server sets it (RFC 6265, section 4.1). Nothing of it is checked, so that a test can send a bad one.
public struct MockCookie: Hashable, Sendable {
    /// What `SameSite` says.
    public enum SameSite: String, Sendable, CaseIterable {
        /// On requests of the same site.
        case strict = "Strict"
        /// And when a user follows a link.
        case lax = "Lax"
        /// Always.
        case none = "None"
    }

    /// Its name.
    public var name: String
    /// Its value, as it stands in the field.
    public var value: String
    /// The paths that get it; nil for those beside the one that set it.
    public var path: String?
    /// The hosts that get it; nil for the one that set it.
    public var domain: String?
    /// Seconds that it lives; zero and below removes it; nil for as long as the client likes.
    public var maxAge: Int?
    /// When it ends. `Max-Age` counts for more.
    public var expires: Date?
    /// Whether it goes over TLS only.
    public var isSecure = false
    /// Whether scripts cannot see it.
    public var isHTTPOnly = false
    /// Which requests get it; nil for what the client does by default.
    public var sameSite: SameSite?

    /// A cookie.
    public init(_ name: String, _ value: String, path: String? = nil, domain: String? = nil, maxAge: Int? = nil) {
        self.name = name
        self.value = value
        self.path = path
        self.domain = domain
        self.maxAge = maxAge
    }

    /// The value of `Set-Cookie`.
    public var headerValue: String {
        let attributes: [String?] = [
            "\(name)=\(value)", path.map { "Path=\($0)" }, domain.map { "Domain=\($0)" },
            maxAge.map { "Max-Age=\($0)" },
            expires.map { "Expires=\(HTTPDate.string(from: $0))" }, isSecure ? "Secure" : nil,
            isHTTPOnly ? "HttpOnly" : nil, sameSite.map { "SameSite=\($0.rawValue)" },
        ]
        return attributes.compactMap { $0 }.joined(separator: "; ")
    }
}

extension MockResponse {
    /// Sets a cookie, besides others.
    public func setting(_ cookie: MockCookie) -> MockResponse {
        addingHeader("Set-Cookie", cookie.headerValue)
    }
}
