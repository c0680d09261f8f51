public import NetCore

// Uploads in the completion style, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension UploaderProtocol {
    /// Uploads bytes from memory, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads bytes from memory, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads bytes from memory, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), queue: queue,
            progress: progress, completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads a file as it is, streamed from the disk, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), queue: queue,
            progress: progress, completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            completion: completion)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), queue: queue,
            progress: progress, completion: completion)
    }

    /// Uploads a form with files, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData, completion: completion)
    }

    /// Uploads a form with files, and calls back on the main actor with the answer decoded there.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData, completion: completion)
    }

    /// Uploads a form with files, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), queue: queue, progress: progress,
            multipartFormData: multipartFormData, completion: completion)
    }
}
