public import NetCore

// The async styles: one returns a `NetworkResponse`, the other returns the value or throws. Cancelling the task that waits stops the
// upload.
extension UploaderProtocol {
    /// Uploads bytes from memory. Returns the response, with its value or its error.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - data: the body, as `application/octet-stream` unless `headers` has a `Content-Type`.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1, off the main thread. It is not called after the return.
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.data(data), to: url, method, headers, progress) }

    /// Uploads bytes from memory. Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.data(data), to: url, method, headers, progress) }

    /// Uploads bytes from memory. Returns the value, or throws the error.
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.data(data), to: url, method, headers, progress) }

    /// Uploads bytes from memory. Returns the value, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.data(data), to: url, method, headers, progress) }

    /// Uploads a file, streamed from the disk. Returns the response, with its value or its error.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file. Its extension gives the `Content-Type`, unless `headers` has one.
    ///   - url: the URL to send to.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1, off the main thread. It is not called after the return.
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.file(fileURL), to: url, method, headers, progress) }

    /// Uploads a file, streamed from the disk. Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.file(fileURL), to: url, method, headers, progress) }

    /// Uploads a file, streamed from the disk. Returns the value, or throws the error.
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.file(fileURL), to: url, method, headers, progress) }

    /// Uploads a file, streamed from the disk. Returns the value, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.file(fileURL), to: url, method, headers, progress) }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the response, with its value or its error.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - parameters: the names and values. The client's ``QueryEncoding`` applies.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1, off the main thread. It is not called after the return.
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.form(parameters), to: url, method, headers, progress) }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> { await response(.form(parameters), to: url, method, headers, progress) }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the value, or throws the error.
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.form(parameters), to: url, method, headers, progress) }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the value, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value { try await value(.form(parameters), to: url, method, headers, progress) }

    /// Uploads a form with files (`multipart/form-data`). Returns the response, with its value or its error.
    ///
    /// - Parameters:
    ///   - url: the URL to send to.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request.
    ///   - progress: called with the completed fraction, from 0 to 1, off the main thread. It is not called after the return.
    ///   - multipartFormData: fills the form at once. An error that it throws fails the upload.
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, headers, progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, headers, progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the value, or throws the error.
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await value(.multipart(multipartFormData), to: url, method, headers, progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the value, decoded on the caller's actor.
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await value(.multipart(multipartFormData), to: url, method, headers, progress)
    }

    nonisolated(nonsending) func response<Value: Decodable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@Sendable (Double) -> Void)?
    ) async -> NetworkResponse<Value> {
        let response: NetworkResponse<Data> = await response(content, to: url, method, headers, progress)
        return response.decoded(by: decoder, timestamp: Date())
    }

    func response<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@Sendable (Double) -> Void)?
    ) async -> NetworkResponse<Value> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return await task.response(stream, progress: progress)
    }

    nonisolated(nonsending) func value<Value: Decodable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@Sendable (Double) -> Void)?
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(content, to: url, method, headers, progress)
        return try response.get()
    }

    func value<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ progress: (@Sendable (Double) -> Void)?
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(content, to: url, method, headers, progress)
        return try response.get()
    }
}
