import NetClient
import NetCore

/// What is to be uploaded, and how requests are sent for it.
struct ResumableUploadJob: Sendable {
    let client: NetworkClient
    let target: URL
    let file: UploadedFile
    let `protocol`: ResumableUploadProtocol
    let options: ResumableUploadOptions
    /// What the caller wants to go with each request.
    private let headers: HTTPHeaders
    private let timeout: TimeInterval

    /// - Parameter lower: gives the request, without a body.
    init(
        client: NetworkClient, fileURL: URL, protocol kind: ResumableUploadProtocol, options: ResumableUploadOptions,
        lower: () throws -> RequestBuilder
    ) throws {
        var builder = try lower()
        // What an endpoint may have of its own is not sent.
        builder.body = nil
        guard kind == .tus || builder.method != .get && builder.method != .head else {
            throw RequestBuildingError(
                "An upload needs a method that has a body: POST, PUT or PATCH. The request says \(builder.method.rawValue)."
            )
        }
        let request = try client.prepared(CallOptions()) { builder }.request
        guard let target = request.url else { throw NetworkError.invalidURL }
        var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let contentType = builder.headers["Content-Type"] ?? MIMEType.forFile(named: fileURL.lastPathComponent)
        headers.remove(name: "Content-Type")
        self.client = client
        self.target = target
        self.protocol = kind
        self.options = options
        self.headers = headers
        timeout = request.timeoutInterval
        file = UploadedFile(
            url: fileURL.resolvingSymlinksInPath(), identity: try FileIdentity(of: fileURL), contentType: contentType,
            method: builder.method, metadata: options.metadata)
    }

    var key: String {
        ResumableUploadRecord.key(
            fileURL: file.url, targetURL: target, protocol: `protocol`, partition: options.partition)
    }

    /// Sends a message, and gives the answer of any status with its body.
    func send(
        _ message: UploadMessage, to url: URL, progress: (@Sendable (TransportProgress) -> Void)? = nil
    ) async throws -> TransportResponse {
        try await client.send(
            message, to: url, target: target, headers: headers, partition: options.partition, timeout: timeout,
            progress: progress)
    }
}

extension NetworkClient {
    /// Sends a message of a resumable upload: the caller's headers, but for what may be secret on another origin than the target's.
    func send(
        _ message: UploadMessage, to url: URL, target: URL, headers: HTTPHeaders, partition: String?,
        timeout: TimeInterval? = nil, progress: (@Sendable (TransportProgress) -> Void)? = nil
    ) async throws -> TransportResponse {
        var request = URLRequest(url: url)
        if let timeout { request.timeoutInterval = timeout }
        request.httpMethod = message.method.rawValue
        // The state of an upload is nothing for a cache.
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
        return try await response(for: request, body: message.body, context: context)
    }
}
