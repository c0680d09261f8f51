public import NetCore

// The completion style. Without a queue, progress and completion are called on the main actor; with a queue, on that.
extension UploaderProtocol {
    /// Uploads bytes from memory, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - data: the body, as `application/octet-stream` unless `headers` has a `Content-Type`.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. On Linux, a program that blocks its main thread has to give a `queue`.
    /// - Returns: the upload, to cancel it.
    @discardableResult
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> { start(.data(data), to: url, method, headers, progress, completion) }

    /// Uploads bytes from memory, and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    public func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> { start(.data(data), to: url, method, headers, progress, completion) }

    /// Uploads bytes from memory, and calls back on a queue.
    @discardableResult
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, headers, queue, progress, completion)
    }

    /// Uploads a file, streamed from the disk, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file. Its extension gives the `Content-Type`, unless `headers` has one.
    ///   - url: the URL to send to.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. On Linux, a program that blocks its main thread has to give a `queue`.
    /// - Returns: the upload, to cancel it.
    @discardableResult
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> { start(.file(fileURL), to: url, method, headers, progress, completion) }

    /// Uploads a file, streamed from the disk, and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    public func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> { start(.file(fileURL), to: url, method, headers, progress, completion) }

    /// Uploads a file, streamed from the disk, and calls back on a queue.
    @discardableResult
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, headers, queue, progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - parameters: the names and values. The client's ``QueryEncoding`` applies.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. On Linux, a program that blocks its main thread has to give a `queue`.
    /// - Returns: the upload, to cancel it.
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on a queue.
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, queue, progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1. A slow one misses values, but not the last.
    ///   - multipartFormData: fills the form at once. An error that it throws fails the upload.
    ///   - completion: called once, after the last progress. On Linux, a program that blocks its main thread has to give a `queue`.
    /// - Returns: the upload, to cancel it.
    @discardableResult
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, headers, progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    public func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, headers, progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on a queue.
    @discardableResult
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, headers, queue, progress, completion)
    }

    func start<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@MainActor @Sendable (Double) -> Void)?,
        _ completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let onMain: (@Sendable (Double) -> Void)? = progress.map { progress in
            { @Sendable fraction in MainActor.assumeIsolated { progress(fraction) } }
        }
        return start(content, to: url, method, headers, .main, onMain) { response in
            MainActor.assumeIsolated { completion(response) }
        }
    }

    @MainActor
    func start<Value: Decodable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@MainActor @Sendable (Double) -> Void)?,
        _ completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) =
            uploadDecodingOnMain(
                content, to: url, method: method, headers: headers ?? HTTPHeaders())
        task.call(back: completion, stream, progress: progress)
        return task
    }

    func start<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?, _ queue: DispatchQueue,
        _ progress: (@Sendable (Double) -> Void)?, _ completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        task.call(back: completion, on: queue, stream, progress: progress)
        return task
    }
}
