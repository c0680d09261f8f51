import NetClient
import NetCore

/// A file to upload, and the requests for it.
struct ResumableUploadJob: Sendable {
    let client: NetworkClient
    let target: URL
    let file: UploadedFile
    let `protocol`: ResumableUpload.WireProtocol
    let options: ResumableUpload.Options
    /// The caller's header fields.
    private let headers: HTTPHeaders
    private let timeout: TimeInterval
    /// The settings of the endpoint.
    private let requestOptions: RequestOptions

    /// - Parameter make: makes the call.
    init(
        client: NetworkClient, fileURL: URL, protocol kind: ResumableUpload.WireProtocol,
        options: ResumableUpload.Options, _ make: () throws -> Call
    ) throws {
        var call = try make()
        // The endpoint's own body is not sent.
        call.body = nil
        if kind != .tus { try UploadCall.checkMethod(call.method) }
        let prepared = try client.prepared { call }
        let request = prepared.request
        requestOptions = prepared.context.options
        guard let target = request.url else { throw NetworkError.invalidURL }
        var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let contentType = call.headers["Content-Type"] ?? MIMEType.forFile(named: fileURL.lastPathComponent)
        headers.remove(name: "Content-Type")
        self.client = client
        self.target = target
        self.protocol = kind
        self.options = options
        self.headers = headers
        timeout = request.timeoutInterval
        file = UploadedFile(
            url: fileURL.resolvingSymlinksInPath(), identity: try FileIdentity(of: fileURL), contentType: contentType,
            method: call.method, metadata: options.metadata)
    }

    var key: String {
        ResumableUpload.Record.key(
            fileURL: file.url, targetURL: target, protocol: `protocol`, partition: options.partition)
    }

    /// Sends a message. Returns the response with its body, for any status.
    func send(
        _ message: UploadMessage, to url: URL, progress: (@Sendable (RequestContext.Progress) -> Void)? = nil
    ) async throws -> TransportResponse {
        try await client.send(
            message, to: url, target: target, headers: headers, partition: options.partition, timeout: timeout,
            options: requestOptions, progress: progress)
    }
}

extension NetworkClient {
    /// Sends a message of a resumable upload. The caller's headers that may be secret are sent only to the target's origin.
    func send(
        _ message: UploadMessage, to url: URL, target: URL, headers: HTTPHeaders, partition: String?,
        timeout: TimeInterval? = nil, options: RequestOptions = RequestOptions(),
        progress: (@Sendable (RequestContext.Progress) -> Void)? = nil
    ) async throws -> TransportResponse {
        var request = URLRequest(url: url)
        if let timeout { request.timeoutInterval = timeout }
        request.httpMethod = message.method.rawValue
        // Responses about an upload's state must not come from a cache.
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let isCrossOrigin = CredentialScope.isCrossOrigin(url, from: target)
        var fields = HTTPHeaders(
            received: headers.filter { !isCrossOrigin || !credentialFields.isCredential($0.name) })
        for header in message.headers { fields.add(header) }
        request.allHTTPHeaderFields = fields.dictionary
        var context = RequestContext(clock: clock)
        context.origin = target
        context.partition = partition
        context.progress = progress
        context.options = options
        return try await response(for: request, body: message.body, context: context)
    }
}

/// Identifies a file's content: its size, its modification date, and a digest of its start.
struct FileIdentity: Codable, Hashable, Sendable {
    let size: Int64
    let modificationDate: Date
    /// The SHA-256 of the first 64 KiB, in hexadecimal digits. It notices a file that was rewritten with its old date.
    let startDigest: String

    private static let startSize = 64 * 1024

    /// - Throws: ``NetworkError/uploadFailed(_:)`` if the file is not regular, or cannot be read.
    init(of url: URL) throws {
        // For its error message, the same as that of every upload.
        let segment = try FileSegment(uploading: url)
        do {
            let file = try DiskFile(segment.url.path, O_RDONLY)
            let status = try file.status()
            (size, modificationDate) = (status.size, status.modified)
            startDigest = SHA256.hex(try file.read(Self.startSize, at: 0))
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
        let pieces = [HTTPBody(source: .file(part), length: piece.length, isReplayable: true)]
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
