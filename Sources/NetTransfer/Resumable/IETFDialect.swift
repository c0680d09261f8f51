import NetCore

/// draft-ietf-httpbis-resumable-upload-12 (interop version 8), with its *careful* creation: an empty request first, whose response names
/// the upload's resource. So it needs no interim responses (104), which transports do not show and proxies may drop.
struct IETFDialect: UploadDialect {
    let clock: any NetworkClock

    private static let version = HTTPHeader(name: "Upload-Draft-Interop-Version", value: "8")

    var discovery: UploadMessage? { nil }

    func abilities(in response: TransportResponse) throws -> UploadAbilities { UploadAbilities() }

    func creation(of file: UploadedFile) throws -> UploadMessage {
        UploadMessage(
            method: file.method,
            headers: [
                Self.version,
                // An empty file is complete without a further request.
                Self.complete(file.identity.size == 0),
                HTTPHeader(name: "Upload-Length", value: "\(file.identity.size)"),
                .contentType(file.contentType),
                .contentDisposition(Self.disposition(file.url.lastPathComponent)),
            ], body: .empty)
    }

    func append(_ piece: UploadPiece, checksum: String?) -> UploadMessage {
        UploadMessage(
            method: .patch,
            headers: [
                Self.version,
                Self.complete(piece.isLast),
                HTTPHeader(name: "Upload-Offset", value: "\(piece.offset)"),
                .contentType("application/partial-upload"),
            ])
    }

    func message(_ method: HTTPMethod) -> UploadMessage { UploadMessage(method: method, headers: [Self.version]) }

    func state(in response: TransportResponse, size: Int64, after piece: UploadPiece?) throws -> UploadState {
        guard let offset = response.byteCount("Upload-Offset") ?? piece?.end else {
            throw ResumableUploadError.protocolViolation("its answer to HEAD has no Upload-Offset.").failure
        }
        return UploadState(offset: offset, isComplete: isFinal(response))
    }

    func limits(in response: TransportResponse) -> UploadLimits? { UploadLimits(response) }

    func expirationDate(in response: TransportResponse) -> Date? {
        limits(in: response)?.maxAge.map { clock.now.addingTimeInterval(TimeInterval($0)) }
    }

    func isFinal(_ response: TransportResponse) -> Bool {
        response.headers["Upload-Complete"].flatMap { StructuredField.boolean($0) } ?? false
    }

    private static func complete(_ isComplete: Bool) -> HTTPHeader {
        HTTPHeader(name: "Upload-Complete", value: isComplete ? "?1" : "?0")
    }

    /// Returns the `Content-Disposition` that the draft recommends: `inline`, with `filename*` (RFC 6266) for a name that is not plain ASCII.
    private static func disposition(_ name: String) -> String {
        let plain = String(
            name.map { $0.isASCII && $0 != "\"" && $0 != "\\" && !$0.isNewline && $0 != "\0" ? $0 : "_" })
        let simple = "inline; filename=\"\(plain)\""
        return plain == name ? simple : "\(simple); filename*=UTF-8''\(PercentEncoding.encode(name))"
    }
}

/// The parts of structured fields (RFC 9651) that the IETF's draft needs.
enum StructuredField {
    /// Returns the members of a dictionary or list as text, split at the commas outside of strings and inner lists.
    static func members(of field: String) -> [Substring] {
        var members: [Substring] = []
        var start = field.startIndex
        var isInString = false
        var isEscaped = false
        var depth = 0
        for index in field.indices {
            switch field[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isInString: isEscaped = true
            case "\"": isInString.toggle()
            case _ where isInString: break
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth <= 0:
                members.append(field[start..<index])
                start = field.index(after: index)
            default: break
            }
        }
        members.append(field[start...])
        return members
    }

    /// Returns the key and the value of a dictionary's member, without parameters, or nil if it is malformed.
    static func keyAndItem(_ member: Substring) -> (key: String, item: String)? {
        let text = member.trimmingHTTPWhitespace
        let key = text.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber || "_-.*".contains($0)) }
        guard let first = key.first, first.isLowercase || first == "*" else { return nil }
        let rest = text.dropFirst(key.count)
        guard let sign = rest.first else { return (String(key), "?1") }
        switch sign {
        case "=": return (String(key), String(rest.dropFirst()))
        case ";": return (String(key), "?1")
        default: return nil
        }
    }

    /// Returns an integer of up to 15 digits, or nil for anything else.
    static func integer(_ item: some StringProtocol) -> Int64? {
        let text = bare(item)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }

    /// Returns the boolean of `?0` or `?1`, or nil for anything else.
    static func boolean(_ item: some StringProtocol) -> Bool? {
        switch bare(item) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Removes the parameters.
    private static func bare(_ item: some StringProtocol) -> String {
        String(Substring(item).prefix { $0 != ";" }.trimmingHTTPWhitespace)
    }
}
