public import NetCore

// The async styles: one returns a `NetworkResponse`, the other returns the value or throws. Cancelling the waiting task stops the upload.
extension UploaderProtocol {
    /// Uploads to a URL. Returns the response, with its value or its error. The first parameters are those of
    /// ``upload(_:to:method:headers:)``. `progress` is called with the completed fraction, from 0 to 1, off the main thread, not after the return.
    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return await task.response(stream, progress: progress)
    }

    /// Uploads to a URL. Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        let response: NetworkResponse<Data> = await upload(
            content, to: url, method: method, headers: headers, progress: progress)
        return response.decoded(by: decoder, timestamp: Date())
    }

    /// Uploads to a URL. Returns the value, or throws the error.
    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await upload(
            content, to: url, method: method, headers: headers, progress: progress)
        return try response.get()
    }

    /// Uploads to a URL. Returns the value, decoded on the caller's actor, or throws the error.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await upload(
            content, to: url, method: method, headers: headers, progress: progress)
        return try response.get()
    }
}

// The completion style. Without a queue, progress and completion are called on the main actor; with a queue, on that.
extension UploaderProtocol {
    /// Uploads to a URL, and calls back on the main actor. The first parameters are those of ``upload(_:to:method:headers:)``.
    ///
    /// `progress` is called with the completed fraction, from 0 to 1. A slow one misses values, but not the last. `completion` is called once,
    /// after the last progress. On Linux, a program that blocks its main thread has to give a `queue`.
    ///
    /// - Returns: the upload, to cancel it.
    @discardableResult
    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return task.call(back: completion, stream, progress: progress)
    }

    /// Uploads to a URL, and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    public func upload<Value: Decodable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) =
            uploadDecodingOnMain(content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return task.call(back: completion, stream, progress: progress)
    }

    /// Uploads to a URL, and calls back on a queue.
    @discardableResult
    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return task.call(back: completion, on: queue, stream, progress: progress)
    }
}

// A name for each kind of content, with a completion. The other styles take the content: `upload(.file(fileURL), to: url)`.
extension UploaderProtocol {
    /// Uploads bytes from memory, and calls back on the main actor: see `upload(_:to:method:headers:progress:completion:)`.
    /// The body is `application/octet-stream` unless `headers` has a `Content-Type`.
    @discardableResult
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        upload(.data(data), to: url, method: method, headers: headers, progress: progress, completion: completion)
    }

    /// Uploads a file, streamed from the disk, and calls back on the main actor: see `upload(_:to:method:headers:progress:completion:)`.
    /// The extension of the file gives the `Content-Type`, unless `headers` has one.
    @discardableResult
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        upload(.file(fileURL), to: url, method: method, headers: headers, progress: progress, completion: completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on the main actor: see
    /// `upload(_:to:method:headers:progress:completion:)`. The client's ``QueryEncoding`` applies.
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        upload(.form(parameters), to: url, method: method, headers: headers, progress: progress, completion: completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on the main actor: see `upload(_:to:method:headers:progress:completion:)`.
    /// `multipartFormData` fills the form at once. An error that it throws fails the upload.
    @discardableResult
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        upload(
            .multipart(multipartFormData), to: url, method: method, headers: headers, progress: progress,
            completion: completion)
    }
}
