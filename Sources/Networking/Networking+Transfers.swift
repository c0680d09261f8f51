// Downloads: `download`, `pauseDownload`, `resumeDownload`, `cancelDownload`, `cancelAllDownloads`, with a completion or `async`.
extension Networking: DownloaderProtocol {
    public func download(
        _ source: Downloader.Source, to destination: Downloader.Destination? = nil,
        options: Downloader.Options = Downloader.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>) {
        downloader.download(source, to: destination, options: options)
    }

    public func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data? {
        await downloader.pauseDownload(task: task)
    }

    /// Cancels all downloads that this object started, and removes their partial files.
    public func cancelAllDownloads() { downloader.cancelAllDownloads() }

    /// Returns the downloads that can be resumed, of this process and of earlier ones: see ``DownloadRegistry/unfinished()``.
    public func unfinishedDownloads() -> [DownloadRegistry.Entry] { downloader.unfinishedDownloads() }
}

// Uploads: `upload` in every style, and `uploadRawData`, `uploadFile`, `uploadMultipart` and `uploadFormURLEncoded` with a completion.
extension Networking: UploaderProtocol {
    /// The client's decoder.
    public var decoder: any BodyDecoder { client.decoder }

    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        Uploader(client: client).upload(content, to: url, method: method, headers: headers)
    }
}

// Responses that are read while they arrive: see ``ResponseStream`` and ``ServerSentEventSequence``.
extension Networking {
    /// Sends a request and returns the response as soon as its head has arrived.
    ///
    /// ```swift
    /// let stream = try await networking.stream(RequestConfig(url: url))
    /// for try await product in stream.jsonLines(of: Product.self) { print(product) }
    /// ```
    ///
    /// - Parameter config: the request. Its `retryCount` applies until the head has arrived.
    /// - Returns: a stream whose sequences throw a ``NetworkError``.
    /// - Throws: ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted, with up to 1 MiB of the body, and
    ///   the other errors of a request.
    public func stream(_ config: RequestConfig) async throws(NetworkError) -> ResponseStream {
        do { return try await call(config).stream() } catch { throw error.cause }
    }

    /// Sends a request to a URL and returns the response as soon as its head has arrived: see ``stream(_:)``. The parameters are those of a
    /// ``RequestConfig``.
    public func stream(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: HTTPHeaders = HTTPHeaders()
    ) async throws(NetworkError) -> ResponseStream {
        try await stream(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
                headers: headers))
    }

    /// Returns a server's events. The sequence reconnects as a browser does.
    ///
    /// - Parameters:
    ///   - config: the request. If its method is not safe, such as POST, it is only repeated if the configuration says so.
    ///   - configuration: reconnection, limits, the end marker.
    /// - Returns: a sequence that connects when it is read, and throws a ``NetworkError``.
    public func serverSentEvents(
        _ config: RequestConfig,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence { call(config).events(configuration) }

    /// Returns a server's events: see ``serverSentEvents(_:configuration:)``. The other parameters are those of a ``RequestConfig``.
    public func serverSentEvents(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: HTTPHeaders = HTTPHeaders(),
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        serverSentEvents(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
                headers: headers), configuration: configuration)
    }

    private func call(_ config: RequestConfig) -> StreamCall {
        StreamCall(client: client, isPlain: true) { [self] () throws(NetworkFailure) in
            try build(config)
        }
    }
}

// WebSockets (RFC 6455).
extension Networking {
    /// Opens a WebSocket: see `NetworkClient.webSocket(to:protocols:headers:options:)`. Its handshake is logged, adapted and
    /// authenticated like a request.
    ///
    /// ```swift
    /// let socket = try await networking.webSocket(to: URL(string: "wss://example.com/feed")!)
    /// for try await message in socket.messages { print(message.text ?? "") }
    /// ```
    ///
    /// - Throws: a ``NetworkError``. The open WebSocket throws a ``NetworkFailure``.
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: WebSocket.Options = WebSocket.Options()
    ) async throws(NetworkError) -> WebSocket {
        do {
            return try await client.webSocket(to: url, protocols: protocols, headers: headers, options: options)
        } catch {
            throw error.cause
        }
    }
}
