public import NetCore

// The completion style. Without a queue progress and completion are called on the main actor and may touch the interface; with a queue
// they run there.
extension UploaderProtocol {
    /// Uploads bytes from memory, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - data: the body, as `application/octet-stream` unless `headers` say otherwise.
    ///   - method: one that has a body.
    ///   - headers: the headers.
    ///   - progress: gets the part that is done, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. A program on Linux that blocks its main thread never gets there: give
    ///     a `queue` then.
    /// - Returns: the upload, to cancel it; it may be ignored.
    @discardableResult
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads bytes from memory, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    public func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads bytes from memory, and calls back on a queue.
    @discardableResult
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, headers, queue, progress: progress, completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file; its extension gives the `Content-Type`, unless `headers` do.
    ///   - url: where to.
    ///   - method: one that has a body.
    ///   - headers: the headers.
    ///   - progress: gets the part that is done, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. A program on Linux that blocks its main thread never gets there: give
    ///     a `queue` then.
    /// - Returns: the upload, to cancel it; it may be ignored.
    @discardableResult
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    public func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on a queue.
    @discardableResult
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, headers, queue, progress: progress, completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - parameters: written as ``QueryEncoder`` does.
    ///   - method: one that has a body.
    ///   - headers: the headers.
    ///   - progress: gets the part that is done, from 0 to 1. A slow one misses values, but not the last.
    ///   - completion: called once, after the last progress. A program on Linux that blocks its main thread never gets there: give
    ///     a `queue` then.
    /// - Returns: the upload, to cancel it; it may be ignored.
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on a queue.
    @discardableResult
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, headers, queue, progress: progress, completion: completion)
    }

    /// Uploads a form with files, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - method: one that has a body.
    ///   - headers: the headers.
    ///   - progress: gets the part that is done, from 0 to 1. A slow one misses values, but not the last.
    ///   - multipartFormData: fills the form, at once. What it throws fails the upload.
    ///   - completion: called once, after the last progress. A program on Linux that blocks its main thread never gets there: give
    ///     a `queue` then.
    /// - Returns: the upload, to cancel it; it may be ignored.
    @discardableResult
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a form with files, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    public func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, headers, progress: progress, completion: completion)
    }

    /// Uploads a form with files, and calls back on a queue.
    @discardableResult
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(
            .multipart(multipartFormData), to: url, method, headers, queue, progress: progress, completion: completion)
    }

    private func start<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        progress: (@MainActor @Sendable (Double) -> Void)?,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let onMain: (@Sendable (Double) -> Void)? = progress.map { progress in
            { @Sendable fraction in MainActor.assumeIsolated { progress(fraction) } }
        }
        return start(content, to: url, method, headers, .main, progress: onMain) { response in
            MainActor.assumeIsolated { completion(response) }
        }
    }

    @MainActor
    private func start<Value: Decodable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        progress: (@MainActor @Sendable (Double) -> Void)?,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        task.call(back: completion, stream, progress: progress)
        return task
    }

    private func start<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?, _ queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)?, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        task.call(back: completion, on: queue, stream, progress: progress)
        return task
    }
}
