import NetClient
import NetCore

/// A file to upload, and its target.
struct ResumableUploadJob: Sendable {
    let sender: UploadSender
    let file: UploadedFile
    let `protocol`: ResumableUpload.WireProtocol
    let options: ResumableUpload.Options

    var client: NetworkClient { sender.client }
    var target: URL { sender.target }

    init(
        client: NetworkClient, fileURL: URL, protocol kind: ResumableUpload.WireProtocol,
        options: ResumableUpload.Options, _ make: () throws -> Call
    ) throws {
        var call = try make()
        // The endpoint's own body is not sent.
        call.body = nil
        if kind != .tus { try UploadCall.checkMethod(call.method) }
        let built = try client.build { call }
        guard let target = built.request.url else { throw NetworkError.invalidURL }
        var headers = HTTPHeaders(built.request.allHTTPHeaderFields ?? [:])
        headers.remove(name: "Content-Type")
        sender = UploadSender(
            client: client, target: target, headers: headers, partition: options.partition,
            timeout: built.request.timeoutInterval, options: built.context.options)
        self.protocol = kind
        self.options = options
        file = UploadedFile(
            url: fileURL.resolvingSymlinksInPath(), identity: try FileIdentity(of: fileURL),
            contentType: call.headers["Content-Type"] ?? MIMEType.forFile(named: fileURL.lastPathComponent),
            method: call.method, metadata: options.metadata)
    }

    var key: String {
        ResumableUpload.Record.key(
            fileURL: file.url, targetURL: target, protocol: `protocol`, partition: options.partition)
    }
}

struct UploadSender: Sendable {
    let client: NetworkClient
    let target: URL
    /// The caller's header fields. Fields that may be secret are sent only to the target's origin.
    let headers: HTTPHeaders
    let partition: String?
    var timeout: TimeInterval?
    var options = RequestOptions()

    /// Sends a message. Returns the response with its body, for any status.
    func send(
        _ message: UploadMessage, to url: URL, progress: (@Sendable (RequestContext.Progress) -> Void)? = nil
    ) async throws -> TransportResponse {
        var request = URLRequest(url: url)
        if let timeout { request.timeoutInterval = timeout }
        request.httpMethod = message.method.rawValue
        // Responses about an upload's state must not come from a cache.
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let isCrossOrigin = CredentialScope.isCrossOrigin(url, from: target)
        var fields = HTTPHeaders(
            received: headers.filter { !isCrossOrigin || !client.credentialFields.isCredential($0.name) })
        for header in message.headers { fields.add(header) }
        request.allHTTPHeaderFields = fields.dictionary
        var context = RequestContext(clock: client.clock)
        context.origin = target
        context.partition = partition
        context.progress = progress
        context.options = options
        return try await client.response(for: request, body: message.body, context: context)
    }
}

/// Identifies a file's content: its size, its modification date, and a digest of its start.
struct FileIdentity: Codable, Hashable, Sendable {
    let size: Int64
    let modificationDate: Date
    /// The SHA-256 of the first 64 KiB, in hexadecimal digits. It notices a file that was rewritten with its old date.
    let startDigest: String

    /// - Throws: ``NetworkError/uploadFailed(_:)`` if the file is not regular, or cannot be read.
    init(of url: URL) throws {
        // For its error message, the same as that of every upload.
        let segment = try FileSegment(uploading: url)
        do {
            let file = try DiskFile(segment.url.path, O_RDONLY)
            let status = try file.status()
            (size, modificationDate) = (status.size, status.modified)
            startDigest = SHA256.hex(try file.read(64 * 1024, at: 0))
        } catch {
            throw NetworkError.uploadFailed(error)
        }
    }
}

extension UploadedFile {
    /// Returns a piece of the file, read when it is sent. If the file is written meanwhile, the body fails before its last byte.
    func body(_ piece: UploadPiece) -> HTTPBody {
        guard piece.length > 0 else { return .empty }
        let part = FileSegment(url: url, offset: piece.offset, length: piece.length, fileLength: identity.size)
        let pieces = [HTTPBody(part)]
        return HTTPBody(
            source: .stream { MultipartReader.chunks(of: pieces) }, length: piece.length, isReplayable: true,
            pieces: pieces)
    }

    /// Returns the checksum of a piece in the format of tus. It reads the piece one more time.
    func checksum(_ piece: UploadPiece) throws -> String {
        let file = try OpenFile(
            FileSegment(url: url, offset: piece.offset, length: piece.length, fileLength: identity.size))
        var hash = SHA256()
        while let chunk = try file.read(upToCount: 256 * 1024) { hash.update(chunk) }
        return "sha256 \(Data(hash.finalize()).base64EncodedString())"
    }
}
