import NetCore

/// The meaning of a response to a request for a file or a part of it.
enum DownloadReply: Equatable {
    /// The whole file follows. Bytes of an earlier response are obsolete.
    case whole(length: Int64?)
    /// Exactly these bytes follow. The total is nil if the server does not know it.
    case part(Range<Int64>, total: Int64?)
    /// All bytes are there already.
    case complete
    /// The server has another version, or contradicts itself: request the whole file.
    case startOver(String)

    struct Asked: Equatable {
        /// The first missing position.
        let offset: Int64
        /// The first position of the next part, or nil for the rest of the file.
        let end: Int64?

        var field: String { "bytes=\(offset)-\(end.map { String($0 - 1) } ?? "")" }
    }

    /// Nil for a status that is an error. Throws ``DownloadError`` if the response cannot be a file.
    ///
    /// - Parameters:
    ///   - asked: the range that was requested, or nil for the whole file.
    ///   - version: the version of the bytes that exist.
    init?(
        status: Int, headers: HTTPHeaders, bodyLength: Int64?, asked: Asked?, version: DownloadVersion
    ) throws(DownloadError) {
        switch status {
        case 416:
            guard let asked else { return nil }
            self = Self.unsatisfied(headers, asked, version)
        case 200..<300:
            let codings = headers.values(for: "Content-Encoding").flatMap { $0.listMembers() }
            if let coding = codings.first(where: { !String($0).equalsIgnoringASCIICase("identity") }) {
                throw DownloadError(
                    .contentCoding,
                    "The server sent the file in the coding '\(coding.prefix(32))', which was not requested.")
            }
            switch asked {
            case _ where status != 206: self = .whole(length: bodyLength)
            case let asked?: self = Self.partial(headers, bodyLength, asked, version)
            case nil:
                throw DownloadError(
                    .contradictoryResponse, "The server sent a part (206), but the whole file was requested.")
            }
        default: return nil
        }
    }

    private static func partial(
        _ headers: HTTPHeaders, _ bodyLength: Int64?, _ asked: Asked, _ version: DownloadVersion
    ) -> DownloadReply {
        let ranges = headers.values(for: "Content-Range")
        guard ranges.count == 1, let range = ContentRange(ranges[0]) else {
            return .startOver("a 206 without one well-formed Content-Range")
        }
        guard range.bytes.lowerBound == asked.offset else { return .startOver("a 206 for another range") }
        let limit = asked.end ?? version.length ?? range.total ?? .max
        guard range.bytes.upperBound <= limit else { return .startOver("a 206 beyond the requested range") }
        if let total = range.total, let length = version.length, total != length {
            return .startOver("a 206 of a file of another length")
        }
        if version.validator?.isContradicted(by: headers) == true {
            return .startOver("a 206 of another version of the file")
        }
        if let digest = version.digest, Downloader.Options.Checksum(field: headers["Repr-Digest"]) ?? digest != digest {
            return .startOver("a 206 of a file with another digest")
        }
        if let bodyLength, bodyLength != Int64(range.bytes.count) {
            return .startOver("a 206 whose Content-Length and Content-Range differ")
        }
        return .part(range.bytes, total: range.total)
    }

    /// A 416 with `Content-Range: bytes */N` means that nothing is missing, if there are N bytes.
    private static func unsatisfied(
        _ headers: HTTPHeaders, _ asked: Asked, _ version: DownloadVersion
    ) -> DownloadReply {
        let prefix = "bytes */"
        guard let value = headers["Content-Range"], value.asciiLowercased.hasPrefix(prefix),
            let length = ContentRange.position(value.dropFirst(prefix.count)), length == asked.offset, length > 0,
            version.length ?? length == length, version.validator?.isContradicted(by: headers) != true
        else { return .startOver("the server has no such range") }
        return .complete
    }
}

struct DownloadVersion: Hashable, Sendable, Codable {
    /// Nil if the download cannot be resumed.
    var validator: DownloadValidator?
    /// Nil if the server did not tell.
    var length: Int64?
    /// The server's digest (`Repr-Digest`), or nil if it sent none.
    var digest: Downloader.Options.Checksum?

    init() {}

    init(_ headers: HTTPHeaders, length: Int64?) {
        validator = DownloadValidator(headers)
        self.length = length
        // Both digests are the same for a whole body without a coding.
        digest =
            Downloader.Options.Checksum(field: headers["Repr-Digest"])
            ?? Downloader.Options.Checksum(field: headers["Content-Digest"])
    }
}

/// Distinguishes versions of a file that differ in any byte: the value of `If-Range` (RFC 9110, section 13.1.5).
enum DownloadValidator: Hashable, Sendable, Codable {
    /// An entity tag, exactly as the server sent it.
    case entityTag(String)
    /// A date, exactly as the server sent it, since servers compare the text.
    case lastModified(String)

    /// Creates the validator of a response, or nil if it has none that permits resumption.
    ///
    /// A weak tag does not permit it, nor a date beside a tag (section 13.1.5) or less than a second before the response (section 8.8.2.2).
    init?(_ headers: HTTPHeaders) {
        let tags = headers.values(for: "ETag")
        if let text = tags.first {
            guard tags.count == 1, Self.isStrongTag(text) else { return nil }
            self = .entityTag(text)
            return
        }
        let dates = headers.values(for: "Last-Modified")
        guard dates.count == 1, let modified = Self.date(dates[0]), let sent = headers["Date"].flatMap(Self.date),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(dates[0])
    }

    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Returns whether a response has another validator. A response without one does not contradict.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        switch self {
        case .entityTag(let text): headers.values(for: "ETag").contains { $0 != text }
        case .lastModified(let text): headers.values(for: "Last-Modified").contains { $0 != text }
        }
    }

    /// Whether this is `"…"` without quotes or control characters inside. A server would read anything else as a date.
    private static func isStrongTag(_ text: String) -> Bool {
        let (bytes, quote) = (text.utf8, UInt8(ascii: "\""))
        return bytes.count >= 2 && bytes.first == quote && bytes.last == quote
            && bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != quote && $0 != 0x7F }
    }

    /// Two-digit years are read without the current date. No server that sends them has a strong date.
    private static func date(_ text: String) -> Date? { HTTPDate.parse(text, now: Date(timeIntervalSince1970: 0)) }
}
