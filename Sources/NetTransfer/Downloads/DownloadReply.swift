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
        if let digest = version.digest, let other = DownloadChecksum(field: headers["Repr-Digest"]), other != digest {
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
    var digest: DownloadChecksum?

    init() {}

    /// The version that a 200 is of.
    init(_ headers: HTTPHeaders, length: Int64?) {
        validator = DownloadValidator(headers)
        self.length = length
        // Of a whole body without a coding both digests mean the same.
        digest =
            DownloadChecksum(field: headers["Repr-Digest"]) ?? DownloadChecksum(field: headers["Content-Digest"])
    }
}
