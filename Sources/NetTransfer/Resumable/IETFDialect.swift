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
                Self.version, Self.complete(piece.isLast), HTTPHeader(name: "Upload-Offset", value: "\(piece.offset)"),
                .contentType("application/partial-upload"),
            ])
    }

    func message(_ method: HTTPMethod) -> UploadMessage { UploadMessage(method: method, headers: [Self.version]) }

    func state(in response: TransportResponse, size: Int64, after piece: UploadPiece?) throws -> UploadState {
        guard let offset = response.byteCount("Upload-Offset") ?? piece?.end else {
            throw ResumableUpload.Failure.protocolViolation("its answer to HEAD has no Upload-Offset.")
        }
        return UploadState(offset: offset, isComplete: isFinal(response))
    }

    func expirationDate(in response: TransportResponse) -> Date? {
        UploadLimits(response)?.maxAge.map { clock.now.addingTimeInterval(TimeInterval($0)) }
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
