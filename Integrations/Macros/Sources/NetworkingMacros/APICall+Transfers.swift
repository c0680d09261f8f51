public import NetTransfer

extension APICall {
    /// Begins a download.
    public func download(
        from client: any NetworkClientProtocol, to destination: URL? = nil,
        options: Downloader.Options = Downloader.Options()
    ) -> Download {
        do {
            var (call, options) = (self, options)
            if let seconds = request.timeoutInterval { options.stallTimeout = seconds }
            call.request.timeoutInterval = nil
            let (client, endpoint) = try call.transfer(client)
            return client.download(from: endpoint, to: destination, options: options)
        } catch {
            return failedTransfer(error)
        }
    }

    private func transfer(
        _ client: any NetworkClientProtocol
    ) throws -> (client: any TransferClientProtocol, endpoint: TransferEndpoint<Response>) {
        let object = try request.queryObject.map { "?" + (try QueryEncoding.Encoder.encode(object: $0)) }
        let items =
            try QueryEncoding.Encoder.items(of: request.query) + (URLComponents(string: object ?? "")?.queryItems ?? [])
        let endpoint = TransferEndpoint(request: try checked(), queryItems: items)
        // An `Endpoint` has neither a timeout nor a retry policy.
        guard retryPolicy != nil || request.timeoutInterval != nil else {
            guard let client = client as? any TransferClientProtocol else { throw NetworkFailure.needsNetworkClient }
            return (client, endpoint)
        }
        return (
            try configured(client).with { $0.timeoutInterval = request.timeoutInterval ?? $0.timeoutInterval }, endpoint
        )
    }

    // MARK: The content of an upload

    public mutating func content(_ content: Uploader.Content) { self.content = content }

    public mutating func content(_ data: Data) { content = .data(data) }

    public mutating func content(_ body: HTTPBody) {
        content = Uploader.Content { .init(body, contentType: MIMEType.octetStream) }
    }

    /// Uploads a file.
    public mutating func content(_ file: URL) { content = .file(file) }

    private var uploadContent: Uploader.Content {
        content ?? .multipart(form ?? MultipartFormData())
    }
}

extension APICall where Response: Decodable & Sendable {
    /// Begins an upload.
    public func upload(to client: any NetworkClientProtocol) -> Upload<Response> {
        do {
            let (client, endpoint) = try transfer(client)
            return client.upload(uploadContent, to: endpoint)
        } catch {
            return failedTransfer(error)
        }
    }
}

extension APICall where Response: Decodable {
    /// Begins an upload, whose response is decoded on the main actor.
    @MainActor
    public func upload(to client: any NetworkClientProtocol) -> Upload<Response> {
        do {
            let (client, endpoint) = try transfer(client)
            return client.upload(uploadContent, to: endpoint)
        } catch {
            // A `TransferTask` of a value that may not be Sendable comes from a client only.
            let endpoint = TransferEndpoint(
                request: request, queryItems: [], baseURL: URL(string: "http://localhost"))
            let content = Uploader.Content { throw error }
            return NetworkClient().upload(
                content, to: endpoint)
        }
    }
}

func failedTransfer<Value: Sendable>(_ error: any Error) -> Upload<Value> {
    (AsyncStream { $0.finish() }, TransferTask { throw error })
}

/// The request of a transfer as an endpoint.
private struct TransferEndpoint<Response>: Endpoint {
    let request: Request<Response>
    let queryItems: [URLQueryItem]
    var baseURL: URL?

    var path: String {
        if case .path(let path) = request.target { path } else { "" }
    }

    var pathComponents: [String]? {
        if case .pathComponents(let components) = request.target { components } else { nil }
    }

    var method: HTTPMethod { request.method }
    var headers: [String: String] { request.headers.dictionary }
    var body: (any Encodable & Sendable)? { request.body }
    var contentType: RequestContentType {
        guard let raw = request.rawBody else { return request.contentType }
        return RequestContentType { _, _ in .init(raw, contentType: MIMEType.octetStream) }
    }
    var options: RequestOptions { request.options }
}
