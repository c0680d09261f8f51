import NetCore

/// Reads HTTP/1.1 requests out of bytes as they come (RFC 9112).
///
/// It stops behind the head, so that the server can decide what to do with the body before it reads it, and behind the
/// request, so that a pipelined one stays in the queue until this one is answered.
struct RequestParser {
    enum Position: Equatable {
        case head
        /// The head is there: ``startBody()`` goes on.
        case afterHead
        case fixedBody(remaining: Int64)
        case chunkSize
        case chunkData(remaining: Int64)
        case chunkEnd
        case trailers
        case complete
    }

    private(set) var position = Position.head
    private(set) var head: RequestHead?
    private(set) var body = Data()
    private(set) var bodyLength: Int64 = 0
    private(set) var trailers = HTTPHeaders()
    private var searched = 0
    private let keptBody: Int

    static let headLimit = 1 << 20
    static let lineLimit = 8 << 10

    /// - Parameter keptBody: how many bytes of the body are kept. What comes behind them is only counted.
    init(keptBody: Int) {
        self.keptBody = keptBody
    }

    /// Whether nothing of a request was read yet.
    var isAtStart: Bool { position == .head && searched == 0 }

    /// Goes on from ``Position/afterHead``.
    mutating func startBody() {
        guard position == .afterHead else { return }
        switch head?.framing {
        case .length(let length) where length > 0: position = .fixedBody(remaining: length)
        case .chunked: position = .chunkSize
        default: position = .complete
        }
    }

    /// Reads as far as it can without a decision of the server.
    ///
    /// - Returns: how many bytes it took. Zero means that more are needed, or that it stands behind a head or a request.
    /// - Throws: ``ProtocolError``; after that the parser must not be used any more.
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
        case .fixedBody(let remaining):
            let count = keep(bytes, atMost: remaining)
            position = count == remaining ? .complete : .fixedBody(remaining: remaining - count)
            return Int(count)
        case .chunkData(let remaining):
            let count = keep(bytes, atMost: remaining)
            position = count == remaining ? .chunkEnd : .chunkData(remaining: remaining - count)
            return Int(count)
        case .chunkSize:
            guard let (line, count) = try line(bytes) else { return 0 }
            let size = try Self.chunkSize(line)
            position = size == 0 ? .trailers : .chunkData(remaining: size)
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
        case .afterHead, .complete:
            return 0
        }
    }

    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        // Empty lines before a request line are to be ignored (RFC 9112, section 2.2).
        if searched == 0, bytes.count >= 2, bytes[0] == 0x0D, bytes[1] == 0x0A { return 2 }
        while let feed = Self.lineFeed(in: bytes, from: searched) {
            guard feed > 0, bytes[feed - 1] == 0x0D else { throw ProtocolError(reason: "A line ends without CR.") }
            searched = feed + 1
            guard searched <= Self.headLimit else { break }
            guard feed >= 3, bytes[feed - 2] == 0x0A, bytes[feed - 3] == 0x0D else { continue }
            head = try RequestHead(lines: Self.lines(in: UnsafeRawBufferPointer(rebasing: bytes[..<(feed - 3)])))
            position = .afterHead
            return searched
        }
        guard bytes.count <= Self.headLimit else { throw ProtocolError(status: 431, reason: "The head is too long.") }
        return 0
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, atMost remaining: Int64) -> Int64 {
        let count = min(bytes.count, Int(clamping: remaining))
        let kept = max(0, min(count, keptBody - body.count))
        if kept > 0 { body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<kept])) }
        bodyLength += Int64(count)
        return Int64(count)
    }

    private func line(_ bytes: UnsafeRawBufferPointer) throws -> (String, Int)? {
        guard let feed = Self.lineFeed(in: bytes, from: 0) else {
            guard bytes.count <= Self.lineLimit else { throw ProtocolError(reason: "A line of the body is too long.") }
            return nil
        }
        guard feed > 0, bytes[feed - 1] == 0x0D else { throw ProtocolError(reason: "A line ends without CR.") }
        return (Self.text(UnsafeRawBufferPointer(rebasing: bytes[..<(feed - 1)])), feed + 1)
    }

    /// Reads a size; extensions behind a semicolon are ignored, as RFC 9112, section 7.1.1 wants it.
    private static func chunkSize(_ line: String) throws -> Int64 {
        let digits = String(line.prefix { $0 != ";" }).trimmingHTTPWhitespace
        guard !digits.isEmpty, digits.utf8.count <= 15, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let size = Int64(digits, radix: 16)
        else { throw ProtocolError(reason: "A chunk size is not a hexadecimal number.") }
        return size
    }

    private static func lines(in bytes: UnsafeRawBufferPointer) -> [String] {
        var lines: [String] = []
        var start = 0
        while let feed = lineFeed(in: bytes, from: start) {
            lines.append(text(UnsafeRawBufferPointer(rebasing: bytes[start..<(feed - 1)])))
            start = feed + 1
        }
        lines.append(text(UnsafeRawBufferPointer(rebasing: bytes[start...])))
        return lines
    }

    /// Field values are bytes; those that are not UTF-8 are read as ISO 8859-1, which loses none.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(bytes: bytes, encoding: .utf8) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
