import NetCore

/// tus 1.0.0.
struct TusDialect: UploadDialect {
    let clock: any NetworkClock

    private static let version = HTTPHeader(name: "Tus-Resumable", value: "1.0.0")

    var discovery: UploadMessage? { UploadMessage(method: .options, headers: []) }

    func abilities(in response: TransportResponse) throws -> UploadAbilities {
        // A response to OPTIONS may be for browsers only (CORS), and tell nothing about tus.
        guard response.headers.contains(name: "Tus-Version") else { return UploadAbilities() }
        guard Self.list("Tus-Version", in: response).contains("1.0.0") else {
            throw NetworkError.unsupported("The server does not support tus 1.0.0. Update it.")
        }
        let extensions = Self.list("Tus-Extension", in: response)
        guard extensions.contains("creation") else {
            throw NetworkError.unsupported(
                "The server does not allow uploads to be created (Tus-Extension has no 'creation'). Update or configure it."
            )
        }
        let offersDigest =
            extensions.contains("checksum") && Self.list("Tus-Checksum-Algorithm", in: response).contains("sha256")
        return UploadAbilities(maxSize: response.byteCount("Tus-Max-Size"), verifiesSHA256: offersDigest)
    }

    func creation(of file: UploadedFile) throws -> UploadMessage {
        UploadMessage(
            method: .post,
            headers: [
                Self.version, HTTPHeader(name: "Upload-Length", value: "\(file.identity.size)"),
                HTTPHeader(name: "Upload-Metadata", value: try Self.metadata(of: file)),
            ], body: .empty)
    }

    func append(_ piece: UploadPiece, checksum: String?) -> UploadMessage {
        var headers: HTTPHeaders = [
            Self.version, HTTPHeader(name: "Upload-Offset", value: "\(piece.offset)"),
            .contentType("application/offset+octet-stream"),
        ]
        if let checksum { headers.add(name: "Upload-Checksum", value: checksum) }
        return UploadMessage(method: .patch, headers: headers)
    }

    func message(_ method: HTTPMethod) -> UploadMessage { UploadMessage(method: method, headers: [Self.version]) }

    func state(in response: TransportResponse, size: Int64, after piece: UploadPiece?) throws -> UploadState {
        guard let offset = response.byteCount("Upload-Offset") else {
            throw ResumableUpload.Failure.protocolViolation(
                "its response to \(piece == nil ? "HEAD" : "PATCH") has no Upload-Offset.")
        }
        return UploadState(offset: offset, isComplete: offset == size)
    }

    func expirationDate(in response: TransportResponse) -> Date? {
        response.headers["Upload-Expires"].flatMap { HTTPDate.parse($0, now: clock.now) }
    }

    func isFinal(_ response: TransportResponse) -> Bool { false }

    private static func metadata(of file: UploadedFile) throws -> String {
        var metadata = ["filename": file.url.lastPathComponent, "filetype": file.contentType]
        metadata.merge(file.metadata) { $1 }
        return try metadata.sorted { $0.key < $1.key }.map { key, value in
            guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else {
                throw RequestBuildingError(
                    "'\(key.prefix(64))' cannot be a key of tus's metadata: use printable ASCII without spaces and commas."
                )
            }
            return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
        }.joined(separator: ",")
    }

    private static func list(_ name: String, in response: TransportResponse) -> [String] {
        response.headers[name]?.split(separator: ",").map { String($0.trimmingHTTPWhitespace) } ?? []
    }
}
