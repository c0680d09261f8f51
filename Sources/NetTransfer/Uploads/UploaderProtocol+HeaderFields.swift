public import NetCore

// Uploads, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension UploaderProtocol {
    /// Starts an upload.
    @_disfavoredOverload
    public func upload<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        upload(content, to: url, method: method, headers: HTTPHeaders(fields: headers))
    }

    /// Starts an upload, and decodes the answer on the main actor.
    @MainActor
    @_disfavoredOverload
    public func upload<Value: Decodable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        upload(content, to: url, method: method, headers: HTTPHeaders(fields: headers))
    }

    /// Uploads bytes from memory, and gives the response with its value or its error. Never throws.
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads bytes from memory, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads bytes from memory, and gives the answer's value.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads bytes from memory, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadRawData(
            to: url, data: data, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the response with its value or its error. Never throws.
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer's value.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadFile(
            from: fileURL, to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the response with its value or its error. Never throws.
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the answer's value.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a form of names and values (`application/x-www-form-urlencoded`), and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await uploadFormURLEncoded(
            to: url, parameters: parameters, method: method, headers: HTTPHeaders(fields: headers), progress: progress)
    }

    /// Uploads a form with files, and gives the response with its value or its error. Never throws.
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData)
    }

    /// Uploads a form with files, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData)
    }

    /// Uploads a form with files, and gives the answer's value.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData)
    }

    /// Uploads a form with files, and gives the answer's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await uploadMultipart(
            to: url, method: method, headers: HTTPHeaders(fields: headers), progress: progress,
            multipartFormData: multipartFormData)
    }
}
