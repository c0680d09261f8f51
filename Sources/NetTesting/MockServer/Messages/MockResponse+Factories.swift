public import NetCore

extension MockResponse {
    /// 200 without content.
    public static let ok = MockResponse()
    /// 204 (RFC 9110, section 15.3.5).
    public static let noContent = MockResponse(status: 204)
    /// 404 without content.
    public static let notFound = MockResponse(status: 404)

    /// A response without content.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers)
    }

    /// Text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response whose body is the data.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> MockResponse {
        MockResponse(status: status, headers: ["Content-Type": contentType], body: .data(data))
    }

    /// A value as JSON with sorted keys, or a 500 with the error if the value cannot be encoded.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - status: the status code.
    ///   - encoder: encodes the value; by default dates are numbers and names are unchanged. Pass the counterpart of the client's decoder,
    ///     such as `.iso8601` for a client of `NetworkManager`.
    public static func json(_ value: some Encodable, status: Int = 200, encoder: JSONEncoder? = nil) -> MockResponse {
        let plain = JSONEncoder()
        plain.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try (encoder ?? plain).encode(value), contentType: "application/json", status: status)
        } catch {
            return text("MockResponse.json could not encode the value: \(error)", status: 500)
        }
    }

    /// A text as JSON, which is not checked.
    public static func json(text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// A redirect (RFC 9110, section 15.4).
    ///
    /// - Parameters:
    ///   - location: the value of `Location`, which may be relative.
    ///   - status: the status code. For 307 and 308 the client must keep the method and the body.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status: status, headers: ["Location": location])
    }

    /// Each element as one chunk (RFC 9112, section 7.1), with `delay` seconds between them.
    public static func chunked(_ chunks: [Data], delay: TimeInterval = 0) -> MockResponse {
        let pause = delay > 0 ? [Piece.pause(delay)] : []
        let pieces = chunks.filter { !$0.isEmpty }.map { [Piece.bytes($0)] }.joined(separator: pause)
        return MockResponse(headers: ["Content-Type": "application/octet-stream"], body: .stream(Array(pieces)))
    }

    /// Each string as one chunk, with `delay` seconds between them.
    public static func chunked(_ chunks: [String], delay: TimeInterval = 0) -> MockResponse {
        chunked(chunks.map { Data($0.utf8) }, delay: delay)
    }

    /// A body of that many bytes, which is made while it is sent. ``generatedBytes(count:)`` returns the same bytes.
    public static func bytes(count: Int64) -> MockResponse {
        MockResponse(headers: ["Content-Type": "application/octet-stream"], body: .generated(count: max(0, count)))
    }

    /// A body with `Content-Encoding: gzip` that decodes to that many zeros, up to 159 per byte, to test limits on the decoded size.
    public static func gzippedZeros(count: Int64) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"],
            body: .gzippedZeros(count: max(0, count)))
    }

    /// Exactly these bytes in place of a response. Then the connection is closed, unless you set ``closingConnection(_:)`` to false.
    public static func raw(_ bytes: Data) -> MockResponse {
        var response = MockResponse()
        response.rawBytes = bytes
        response.closesConnection = true
        return response
    }

    /// Exactly the bytes of this text in place of a response: see ``raw(_:)-(Data)``. Write the line ends yourself: `\r\n`.
    public static func raw(_ text: String) -> MockResponse { raw(Data(text.utf8)) }

    /// A stream of server-sent events, each in a chunk. The body ends after the last event, and the client connects again.
    public static func events(_ events: [MockEvent]) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
            body: .stream(events.map(\.piece)))
    }

    /// Opens a WebSocket.
    public static func webSocket(_ socket: MockWebSocket = MockWebSocket()) -> MockResponse {
        var response = MockResponse(status: 101)
        response.webSocket = socket
        return response
    }

    /// A 200 with a fault.
    public static func fault(_ fault: MockFault) -> MockResponse { MockResponse.ok.fault(fault) }

    /// Returns the first bytes of every generated body: lines of 63 characters and a line feed.
    public static func generatedBytes(count: Int) -> Data {
        var bytes = Data(capacity: max(0, count))
        while bytes.count < count { bytes.append(generatedLine.prefix(count - bytes.count)) }
        return bytes
    }

    private static let generatedLine = Data("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-\n".utf8)
}

/// An element of a stream of server-sent events (HTML standard, section 9.2).
///
/// ```swift
/// server.on("/news", .events([.event("one", id: "1"), .pause(0.1), .event("two", name: "update", id: "2"), .hold]))
/// ```
public enum MockEvent: Hashable, Sendable {
    /// An event. Each line of the data becomes a field.
    case event(_ data: String, name: String? = nil, id: String? = nil)
    /// The milliseconds that a client waits before it connects again.
    case retry(Int)
    /// A line that clients ignore. Servers send it to keep a connection alive.
    case comment(String)
    /// A pause in seconds.
    case pause(TimeInterval)
    /// No more events. The connection stays open.
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
