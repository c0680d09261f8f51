public import NetCore

// The async styles: one that gives a `NetworkResponse` and never throws, one that gives the value or throws. Cancelling the task that
// waits stops the upload.
extension UploaderProtocol {
    /// Uploads bytes from memory, and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - data: the bytes.
    ///   - method: one that has a body.
    ///   - headers: of the request.
    ///   - progress: gets the part that is done, from 0 to 1, off the main thread, and is not called after the return.
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.data(data), to: url, method, headers, progress: progress)
    }

    /// Uploads bytes from memory, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.data(data), to: url, method, headers, progress: progress)
    }

    /// Uploads bytes from memory, and gives the answer's value.
    ///
    /// - Throws: what went wrong.
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .data(data), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads bytes from memory, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .data(data), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a file as it is, streamed from the disk, and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - url: where to.
    ///   - method: one that has a body.
    ///   - headers: of the request.
    ///   - progress: gets the part that is done, from 0 to 1, off the main thread, and is not called after the return.
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.file(fileURL), to: url, method, headers, progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.file(fileURL), to: url, method, headers, progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer's value.
    ///
    /// - Throws: what went wrong.
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .file(fileURL), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .file(fileURL), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - parameters: the names and values.
    ///   - method: one that has a body.
    ///   - headers: of the request.
    ///   - progress: gets the part that is done, from 0 to 1, off the main thread, and is not called after the return.
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.form(parameters), to: url, method, headers, progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.form(parameters), to: url, method, headers, progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the answer's value.
    ///
    /// - Throws: what went wrong.
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .form(parameters), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .form(parameters), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a form with files, and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - method: one that has a body.
    ///   - headers: of the request.
    ///   - progress: gets the part that is done, from 0 to 1, off the main thread, and is not called after the return.
    ///   - multipartFormData: puts the parts into the form. What it throws is the response's error.
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, headers, progress: progress)
    }

    /// Uploads a form with files, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, headers, progress: progress)
    }

    /// Uploads a form with files, and gives the answer's value.
    ///
    /// - Throws: what went wrong.
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .multipart(multipartFormData), to: url, method, headers, progress: progress)
        return try response.get()
    }

    /// Uploads a form with files, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(
            .multipart(multipartFormData), to: url, method, headers, progress: progress)
        return try response.get()
    }

    private nonisolated(nonsending) func response<Value: Decodable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        progress: (@Sendable (Double) -> Void)?
    ) async -> NetworkResponse<Value> {
        let response: NetworkResponse<Data> = await response(content, to: url, method, headers, progress: progress)
        return response.decoded(by: decoder, timestamp: Date())
    }

    private func response<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        progress: (@Sendable (Double) -> Void)?
    ) async -> NetworkResponse<Value> {
        let (stream, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Value>>) = upload(
            content, to: url, method: method, headers: headers ?? HTTPHeaders())
        return await task.response(stream, progress: progress)
    }
}
