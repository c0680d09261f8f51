public import NetClient
public import NetCore

/// A type that uploads to URLs: ``Uploader``, the facade `Networking`, or a test double.
///
/// All other methods call the one that it requires: `upload` in the completion and async styles, and `uploadRawData`, `uploadFile`,
/// `uploadMultipart` and `uploadFormURLEncoded` with a completion.
public protocol UploaderProtocol: Sendable {
    /// Starts an upload.
    ///
    /// - Parameters:
    ///   - content: the content to send.
    ///   - url: the URL to send to.
    ///   - method: a method that has a body.
    ///   - headers: header fields of the request. A `Content-Type` replaces that of the content, except for a form with files.
    /// - Returns: `progress` ends with the transfer; the last value is complete after a success. `task` returns the response, with its value or
    ///   error, also if cancelled.
    func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod, headers: HTTPHeaders
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>)

    /// The decoder for values that belong to the caller's actor. ``upload(_:to:method:headers:)`` returns those as `Data`.
    var decoder: any BodyDecoder { get }
}

extension UploaderProtocol {
    /// Starts an upload, and decodes the response on the main actor.
    @MainActor
    public func upload<Value: Decodable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        uploadDecodingOnMain(content, to: url, method: method, headers: headers)
    }

    // A name of its own: the compiler prefers the form for `Sendable` values, also for a value that is not.
    @MainActor
    func uploadDecodingOnMain<Value: Decodable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod, headers: HTTPHeaders
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        let (progress, sent): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Data>>) = upload(
            content, to: url, method: method, headers: headers)
        let decoder = decoder
        let task = TransferTask<NetworkResponse<Value>>(sent) { @MainActor response in
            UncheckedSendable(response.decoded(by: decoder, as: Value.self, timestamp: Date()))
        }
        return (progress, task)
    }
}

/// Uploads through a ``NetworkClient``: with its interceptors, retry policy and transport.
///
/// ```swift
/// let uploader = Uploader(client: client)
/// let user: User = try await uploader.upload(.file(fileURL), to: url, headers: ["Authorization": "Bearer \(token)"])
/// ```
public final class Uploader: UploaderProtocol {
    private let client: NetworkClient

    /// Creates an uploader.
    ///
    /// - Parameter client: sends the requests.
    public init(client: NetworkClient) { self.client = client }

    public var decoder: any BodyDecoder { client.decoder }

    /// Starts an upload: see ``UploaderProtocol``.
    public func upload<Value: Decodable & Sendable>(
        _ content: Uploader.Content, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        let call = UploadCall(client: client, content: content) {
            Call(url: url, method: method, headers: headers, queryEncoding: client.queryEncoding)
        }
        return call.start { outcome in
            let response: NetworkResponse<Value> = call.response(of: outcome)
            return (response, response.isSuccess)
        }
    }
}

extension Uploader {
    /// The content of an upload: bytes, a file, a form, or another body.
    ///
    /// The body is made when the upload starts. If a file cannot be read, the upload fails then.
    public struct Content: Sendable {
        private let make: @Sendable (QueryEncoding) throws -> RequestContentType.EncodedBody
        /// Whether the body needs its own `Content-Type`, which contains the boundary.
        let fixesContentType: Bool

        /// Creates content from a body.
        ///
        /// - Parameter makeBody: returns the body and its type. An error fails the upload. Wrap errors other than ``NetworkError`` in
        ///   ``NetworkError/uploadFailed(_:)``.
        public init(makeBody: @escaping @Sendable () throws -> RequestContentType.EncodedBody) {
            self.init(fixesContentType: false) { _ in try makeBody() }
        }

        private init(
            fixesContentType: Bool,
            makeBody: @escaping @Sendable (QueryEncoding) throws -> RequestContentType.EncodedBody
        ) {
            make = makeBody
            self.fixesContentType = fixesContentType
        }

        /// Bytes in memory.
        public static func data(_ data: Data, mimeType: String = MIMEType.octetStream) -> Uploader.Content {
            Uploader.Content { RequestContentType.EncodedBody(HTTPBody(data), contentType: mimeType) }
        }

        /// A file, streamed from the disk.
        ///
        /// - Parameters:
        ///   - url: a regular file.
        ///   - mimeType: the file's type, or nil to derive it from the extension: see ``MIMEType``.
        public static func file(_ url: URL, mimeType: String? = nil) -> Uploader.Content {
            Uploader.Content {
                let type = mimeType ?? MIMEType.forFile(named: url.lastPathComponent)
                return RequestContentType.EncodedBody(HTTPBody(try FileSegment(uploading: url)), contentType: type)
            }
        }

        /// A URL-encoded form (`application/x-www-form-urlencoded`) with the client's conventions: see ``QueryEncoding``.
        public static func form(_ parameters: [String: any Encodable & Sendable]) -> Uploader.Content {
            // Encoded now, since the values may belong to the caller's actor.
            let form = Result { ParameterValue.object(try ParameterValue.members(parameters)) }
            return Uploader.Content(fixesContentType: false) { encoding in
                do {
                    let body = HTTPBody(try QueryEncoding.Encoder.encode(form.get(), as: encoding))
                    return RequestContentType.EncodedBody(body, contentType: "application/x-www-form-urlencoded")
                } catch {
                    throw NetworkError.encodingError(error)
                }
            }
        }

        /// A form with files, with its present parts.
        public static func multipart(_ formData: MultipartFormData) -> Uploader.Content {
            let encoder = formData.encoder
            return Uploader.Content(fixesContentType: true) { _ in
                RequestContentType.EncodedBody(try encoder.makeBody(), contentType: encoder.contentType)
            }
        }

        /// A form with files that a closure fills now. An error of the closure fails the upload.
        public static func multipart(_ fill: (MultipartFormData) throws -> Void) -> Uploader.Content {
            let formData = MultipartFormData()
            do { try fill(formData) } catch { return Uploader.Content { throw error } }
            return multipart(formData)
        }

        func encoded(as encoding: QueryEncoding) throws -> RequestContentType.EncodedBody { try make(encoding) }
    }
}
