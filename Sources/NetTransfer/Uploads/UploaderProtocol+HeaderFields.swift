public import NetCore

// Uploads with headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension UploaderProtocol {
    /// Starts an upload.
    @_disfavoredOverload
    public func upload<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        upload(content, to: url, method: method, headers: HTTPHeaders(fields: headers))
    }

    /// Starts an upload, and decodes the value on the main actor.
    @MainActor
    @_disfavoredOverload
    public func upload<Value: Decodable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        upload(content, to: url, method: method, headers: HTTPHeaders(fields: headers))
    }

    /// Uploads bytes from memory. Returns the response, with its value or its error.
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.data(data), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads bytes from memory. Returns the response, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.data(data), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads bytes from memory. Returns the value, or throws the error.
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.data(data), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads bytes from memory. Returns the value, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.data(data), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a file, streamed from the disk. Returns the response, with its value or its error.
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a file, streamed from the disk. Returns the response, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a file, streamed from the disk. Returns the value, or throws the error.
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a file, streamed from the disk. Returns the value, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the response, with its value or its error.
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the response, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<Value> {
        await response(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the value, or throws the error.
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`). Returns the value, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> Value {
        try await value(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the response, with its value or its error.
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the response, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async -> NetworkResponse<Value> {
        await response(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the value, or throws the error.
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await value(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads a form with files (`multipart/form-data`). Returns the value, decoded on the caller's actor.
    @_disfavoredOverload
    public nonisolated(nonsending) func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Value {
        try await value(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress)
    }

    /// Uploads bytes from memory, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads bytes from memory, and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads bytes from memory, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadRawData<Value: Decodable & Sendable>(
        to url: URL, data: Data, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.data(data), to: url, method, HTTPHeaders(fields: headers), queue, progress, completion)
    }

    /// Uploads a file, streamed from the disk, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a file, streamed from the disk, and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a file, streamed from the disk, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadFile<Value: Decodable & Sendable>(
        from fileURL: URL, to url: URL, method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.file(fileURL), to: url, method, HTTPHeaders(fields: headers), queue, progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, progress: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a URL-encoded form (`application/x-www-form-urlencoded`), and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadFormURLEncoded<Value: Decodable & Sendable>(
        to url: URL, parameters: [String: any Encodable & Sendable], method: HTTPMethod = .post,
        headers: some Sequence<(key: String, value: String)>, queue: DispatchQueue,
        progress: (@Sendable (Double) -> Void)? = nil, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.form(parameters), to: url, method, HTTPHeaders(fields: headers), queue, progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on the main actor, where the value is decoded.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        progress: (@MainActor @Sendable (Double) -> Void)? = nil, multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), progress, completion)
    }

    /// Uploads a form with files (`multipart/form-data`), and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func uploadMultipart<Value: Decodable & Sendable>(
        to url: URL, method: HTTPMethod = .post, headers: some Sequence<(key: String, value: String)>,
        queue: DispatchQueue, progress: (@Sendable (Double) -> Void)? = nil,
        multipartFormData: (MultipartFormData) throws -> Void,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> TransferTask<NetworkResponse<Value>> {
        start(.multipart(multipartFormData), to: url, method, HTTPHeaders(fields: headers), queue, progress, completion)
    }
}
