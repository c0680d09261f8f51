import NetCore

/// The reason to refuse a request: the status of the response, and the text for the journal.
struct ProtocolError: Error, Equatable {
    var status = 400
    let reason: String
}

/// A request line and its fields. The checks are strict, since a lenient test server would hide mistakes of the client.
struct RequestHead: Sendable {
    enum Framing: Equatable, Sendable {
        case none
        case length(Int64)
        case chunked
        /// HTTP/2 without a length.
        case untilEndOfStream

        /// The bytes of half a body, or 1 if the length is unknown.
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

    /// Whether the client keeps the connection open after the exchange (RFC 9112, section 9.3).
    var keepsAlive: Bool {
        let options = headers.values(for: "Connection").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.trimmingHTTPWhitespace }
        return version == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    }

    var hasBody: Bool { framing != .none && framing != .length(0) }

    var expectsContinue: Bool {
        version != "HTTP/1.0" && (headers["Expect"] ?? "").equalsIgnoringASCIICase("100-continue")
    }

    /// - Parameter lines: the lines of the head without their line ends, and without the empty line.
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

    /// Parses `name: value` (RFC 9112, section 5), also of trailers.
    static func field(_ line: String) throws -> HTTPHeader {
        guard let colon = line.firstIndex(of: ":") else { throw ProtocolError(reason: "A field has no colon.") }
        let value = line[line.index(after: colon)...].trimmingHTTPWhitespace
        let field = HTTPHeader(name: String(line[..<colon]), value: String(value))
        // This also refuses white space before the colon and obsolete line folding.
        guard field.isValid else { throw ProtocolError(reason: "A field has characters that are not allowed.") }
        return field
    }

    /// Returns the framing by RFC 9112, section 6.3. Each leniency that makes request smuggling possible is an error here.
    static func framing(of headers: HTTPHeaders, version: String) throws -> Framing {
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
        guard lengths.count == 1, first.utf8.allSatisfy(\.isDigit), let length = Int64(first) else {
            throw ProtocolError(reason: "Content-Length is not one number.")
        }
        return .length(length)
    }
}

/// The body of a request as far as it was received.
struct ReceivedBody {
    private(set) var data = Data()
    /// The bytes received, including those beyond the limit.
    private(set) var length: Int64 = 0
    /// The bytes to keep.
    let limit: Int

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let kept = max(0, min(bytes.count, limit - data.count))
        if kept > 0 { data.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<kept])) }
        length += Int64(bytes.count)
    }
}

/// An incremental parser of HTTP/1.1 requests (RFC 9112).
///
/// It stops after the head, so that the server can decide what to do with the body before it reads it. It stops again after the
/// request, so that a pipelined request stays in the queue until this one is answered.
struct RequestParser {
    enum Position: Equatable {
        case head
        /// The head is complete. ``startBody()`` continues.
        case afterHead
        /// In a body of known length, or in a chunk.
        case data(remaining: Int64, isChunk: Bool)
        case chunkSize
        case chunkEnd
        case trailers
        case complete
    }

    private(set) var position = Position.head
    private(set) var head: RequestHead?
    private(set) var body: ReceivedBody
    private(set) var trailers = HTTPHeaders()
    private var searched = 0

    static let headLimit = 1 << 20
    static let lineLimit = 8 << 10

    /// - Parameter keptBody: the bytes of the body to keep. Later bytes are only counted.
    init(keptBody: Int) { body = ReceivedBody(limit: keptBody) }

    /// Whether no byte of a request was parsed.
    var isAtStart: Bool { position == .head && searched == 0 }

    /// Continues from ``Position/afterHead``.
    mutating func startBody() {
        guard position == .afterHead else { return }
        switch head?.framing {
        case .length(let length) where length > 0: position = .data(remaining: length, isChunk: false)
        case .chunked: position = .chunkSize
        default: position = .complete
        }
    }

    /// Parses up to the end of the head or of the request.
    ///
    /// - Returns: the number of bytes parsed. Zero means that more bytes are needed, or that the head or the request is complete.
    /// - Throws: ``ProtocolError``. The parser cannot be used afterwards.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        var taken = 0
        while taken < bytes.count {
            let count = try step(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
            taken += count
            if count == 0 || position == .afterHead || position == .complete { break }
        }
        return taken
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        switch position {
        case .head: return try readHead(bytes)
        case .data(let remaining, let isChunk):
            let count = min(bytes.count, Int(clamping: remaining))
            body.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            let left = remaining - Int64(count)
            position = left > 0 ? .data(remaining: left, isChunk: isChunk) : isChunk ? .chunkEnd : .complete
            return count
        case .chunkSize:
            guard let (line, count) = try line(bytes) else { return 0 }
            let size = try Self.chunkSize(line)
            position = size == 0 ? .trailers : .data(remaining: size, isChunk: true)
            return count
        case .chunkEnd:
            guard let (line, count) = try line(bytes) else { return 0 }
            guard line.isEmpty else { throw ProtocolError(reason: "A chunk is longer than its size.") }
            position = .chunkSize
            return count
        case .trailers:
            guard let (line, count) = try line(bytes) else { return 0 }
            if line.isEmpty { position = .complete } else { trailers.append(try RequestHead.field(line)) }
            return count
        case .afterHead, .complete: return 0
        }
    }

    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        // Empty lines before a request line are ignored (RFC 9112, section 2.2).
        if searched == 0, bytes.count >= 2, bytes[0] == 0x0D, bytes[1] == 0x0A { return 2 }
        while let feed = bytes.firstIndex(of: 0x0A, from: searched) {
            guard feed > 0, bytes[feed - 1] == 0x0D else { throw ProtocolError(reason: "A line ends without CR.") }
            searched = feed + 1
            guard searched <= Self.headLimit else { break }
            guard feed >= 3, bytes[feed - 2] == 0x0A, bytes[feed - 3] == 0x0D else { continue }
            // Each line ends in CR.
            let lines = bytes[..<(feed - 2)].split(separator: 0x0A)
            head = try RequestHead(lines: lines.map { Self.text(UnsafeRawBufferPointer(rebasing: $0.dropLast())) })
            position = .afterHead
            return searched
        }
        guard bytes.count <= Self.headLimit else { throw ProtocolError(status: 431, reason: "The head is too long.") }
        return 0
    }

    private func line(_ bytes: UnsafeRawBufferPointer) throws -> (String, Int)? {
        guard let feed = bytes.firstIndex(of: 0x0A, from: 0) else {
            guard bytes.count <= Self.lineLimit else { throw ProtocolError(reason: "A line of the body is too long.") }
            return nil
        }
        guard feed > 0, bytes[feed - 1] == 0x0D else { throw ProtocolError(reason: "A line ends without CR.") }
        return (Self.text(UnsafeRawBufferPointer(rebasing: bytes[..<(feed - 1)])), feed + 1)
    }

    /// Parses a chunk size. Extensions after a semicolon are ignored (RFC 9112, section 7.1.1).
    private static func chunkSize(_ line: String) throws -> Int64 {
        let digits = String(line.prefix { $0 != ";" }).trimmingHTTPWhitespace
        guard !digits.isEmpty, digits.utf8.count <= 15, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let size = Int64(digits, radix: 16)
        else { throw ProtocolError(reason: "A chunk size is not a hexadecimal number.") }
        return size
    }

    /// Decodes UTF-8, or ISO 8859-1 if the bytes are not UTF-8, which loses none.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(bytes: bytes, encoding: .utf8) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
