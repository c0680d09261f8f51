import NetCore

/// What a response to a request for a file means for the bytes that are there already.
enum DownloadReply: Equatable {
    /// The whole file begins here: what is there is of no use any more.
    case whole(length: Int64?)
    /// Exactly these bytes follow; the file has that length, if the server knows it.
    case part(Range<Int64>, total: Int64?)
    /// All bytes are there already.
    case complete
    /// What is there and what the server has do not fit together, or the server does not do what it says: ask for all of it.
    case startOver(String)

    /// The part that was asked for.
    struct Asked: Equatable {
        /// Where the missing bytes begin.
        let offset: Int64
        /// Where the next part begins, for one of several; nil for all that follows.
        let end: Int64?

        var field: String { "bytes=\(offset)-\(end.map { String($0 - 1) } ?? "")" }
    }

    /// - Parameters:
    ///   - asked: nil if all of the file was asked for.
    ///   - version: what is known of the file whose bytes are there.
    /// - Throws: ``DownloadError`` if the response cannot be a file.
    /// - Returns: nil for a status that is an error.
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
                    "The server sent the file in the coding '\(coding.prefix(32))', which was not asked for.")
            }
            guard status == 206 else {
                self = .whole(length: bodyLength)
                return
            }
            guard let asked else {
                throw DownloadError(
                    .contradictoryResponse, "The server sent a part (206) of a file of which all was asked for.")
            }
            self = Self.partial(headers, bodyLength, asked, version)
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
        guard range.bytes.upperBound <= limit else { return .startOver("a 206 beyond what was asked for") }
        if let total = range.total, let length = version.length, total != length {
            return .startOver("a 206 of a file of another length")
        }
        if version.validator?.isContradicted(by: headers) == true {
            return .startOver("a 206 of another version of the file")
        }
        if let digest = version.digest, let other = DownloadOptions.Checksum(field: headers["Repr-Digest"]),
            other != digest
        {
            return .startOver("a 206 of a file with another digest")
        }
        if let bodyLength, bodyLength != Int64(range.bytes.count) {
            return .startOver("a 206 whose Content-Length and Content-Range differ")
        }
        return .part(range.bytes, total: range.total)
    }

    /// 416 with `Content-Range: bytes */N`: nothing is missing if what is there has that length.
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

/// What is known of the version of a file whose bytes are there.
struct DownloadVersion: Hashable, Sendable, Codable {
    /// Nil if it cannot be resumed.
    var validator: DownloadValidator?
    /// Nil if the server did not say.
    var length: Int64?
    /// By the server's word (`Repr-Digest`); nil if it gave none.
    var digest: DownloadOptions.Checksum?

    init() {}

    /// The version that a 200 is of.
    init(_ headers: HTTPHeaders, length: Int64?) {
        validator = DownloadValidator(headers)
        self.length = length
        // Of a whole body without a coding both digests mean the same.
        digest =
            DownloadOptions.Checksum(field: headers["Repr-Digest"])
            ?? DownloadOptions.Checksum(field: headers["Content-Digest"])
    }
}

/// What tells one version of a file from another to the byte: the value of `If-Range` (RFC 9110, section 13.1.5).
enum DownloadValidator: Hashable, Sendable, Codable {
    /// To the letter as the server wrote it.
    case entityTag(String)
    /// To the letter as the server wrote it: servers compare the text.
    case lastModified(String)

    /// The validator of a response that may be used for resuming; nil if it has none.
    ///
    /// A weak tag may not be used, and where there is a tag, the date may not either (section 13.1.5). A date is strong only if the
    /// response was made later than the second in which the file was changed last (section 8.8.2.2).
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

    /// The value of `If-Range`.
    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Whether a response says that it is of another version. One that says nothing does not.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        switch self {
        case .entityTag(let text): headers.values(for: "ETag").contains { $0 != text }
        case .lastModified(let text): headers.values(for: "Last-Modified").contains { $0 != text }
        }
    }

    /// `"…"`, without quotes or control characters inside. What is no tag at all would read as a date to the server.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }

    /// Two-digit years are not told apart: who still sends them has no strong date.
    private static func date(_ text: String) -> Date? {
        HTTPDate.parse(text, now: Date(timeIntervalSince1970: 0))
    }
}
