public import NetClient
public import NetCore

/// Something that uploads to URLs (seed 000): ``Uploader``, the facade `Networking`, or a double of yours in a test.
///
/// There is one method to write. All the methods of the seed (`uploadRawData`, `uploadFile`, `uploadMultipart`,
/// `uploadFormURLEncoded`), in the styles with a completion and with `async`, are made from it.
public protocol UploaderProtocol: Sendable {
    /// Starts an upload.
    ///
    /// - Parameters:
    ///   - content: what is sent.
    ///   - url: where to.
    ///   - method: one that has a body.
    ///   - headers: the headers; `Content-Type` is that of the content unless it is here (a form with files keeps its own).
    /// - Returns: `progress` ends with the transfer: with a value that is complete if the response is a success. `task` has the
    ///   response with its value or its error, also after a cancellation.
    func upload<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod, headers: HTTPHeaders
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>)

    /// Decodes an answer that belongs to its caller's actor, which ``upload(_:to:method:headers:)`` is asked for as `Data`; JSON unless
    /// written.
    var decoder: any BodyDecoder { get }
}

extension UploaderProtocol {
    /// JSON.
    public var decoder: any BodyDecoder { .json }

    /// Starts an upload, and decodes the answer on the main actor.
    @MainActor
    public func upload<Value: Decodable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        let (progress, sent): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<Data>>) = upload(
            content, to: url, method: method, headers: headers)
        let decoder = decoder
        let task = TransferTask(
            sent, onMainActor: { $0.decoded(by: decoder, as: Value.self, timestamp: Date()) })
        return (progress, task)
    }
}

/// Uploads through a ``NetworkClient`` (seed 000): so through its interceptors, its retry policy and its transport.
///
/// ```swift
/// let uploader = Uploader(client: client)
/// let user: User = try await uploader.uploadFile(from: url, to: url, headers: ["Authorization": "Bearer \(token)"])
/// ```
public final class Uploader: UploaderProtocol {
    private let client: NetworkClient
    private let partition: @Sendable () -> String?

    /// An uploader.
    ///
    /// - Parameters:
    ///   - client: sends.
    ///   - partition: names the user whose credentials go along: see ``RequestContext/partition``.
    public init(client: NetworkClient, partition: @escaping @Sendable () -> String? = { nil }) {
        self.client = client
        self.partition = partition
    }

    /// The client's.
    public var decoder: any BodyDecoder { client.decoder }

    /// Starts an upload: see ``UploaderProtocol``.
    public func upload<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        var options = CallOptions()
        options.partition = partition()
        let call = UploadCall(client: client, content: content, options: options) {
            var builder = RequestBuilder(url: url)
            builder.method = method
            builder.headers = headers
            return builder
        }
        return call.start { outcome in
            let response: NetworkResponse<Value> = call.response(of: outcome)
            return (response, response.isSuccess)
        }
    }
}

/// What is uploaded: bytes, a file, a form, or a body of your own.
///
/// It is made into a body when the upload starts, so what cannot be read fails the upload and not the line that describes it.
public struct UploadContent: Sendable {
    private let make: @Sendable () throws -> RequestContentType.EncodedBody
    /// Whether the body cannot be read with another `Content-Type` than its own, since that has the boundary in it.
    let fixesContentType: Bool

    /// A body of your own.
    ///
    /// - Parameter makeBody: gives the body and its type. What it throws fails the upload: wrap it in
    ///   ``NetworkError/uploadFailed(_:)`` if it is no ``NetworkError``.
    public init(makeBody: @escaping @Sendable () throws -> RequestContentType.EncodedBody) {
        self.init(fixesContentType: false, makeBody: makeBody)
    }

    private init(
        fixesContentType: Bool, makeBody: @escaping @Sendable () throws -> RequestContentType.EncodedBody
    ) {
        make = makeBody
        self.fixesContentType = fixesContentType
    }

    /// Bytes as they are.
    public static func data(_ data: Data, mimeType: String = MIMEType.octetStream) -> UploadContent {
        UploadContent { RequestContentType.EncodedBody(HTTPBody(data), contentType: mimeType) }
    }

    /// A file as it is, streamed from the disk.
    ///
    /// - Parameters:
    ///   - url: of a regular file.
    ///   - mimeType: nil goes by its extension: see ``MIMEType``.
    public static func file(_ url: URL, mimeType: String? = nil) -> UploadContent {
        UploadContent {
            let file = try FileSegment(uploading: url)
            return RequestContentType.EncodedBody(
                HTTPBody(source: .file(file), length: file.length, isReplayable: true),
                contentType: mimeType ?? MIMEType.forFile(named: url.lastPathComponent))
        }
    }

    /// A form of names and values (`application/x-www-form-urlencoded`), written as ``QueryEncoder`` does, now.
    public static func form(_ parameters: [String: any Encodable & Sendable]) -> UploadContent {
        let form = Result { try QueryEncoder.encode(parameters) }
        return UploadContent {
            do {
                return RequestContentType.EncodedBody(
                    HTTPBody(try form.get()), contentType: "application/x-www-form-urlencoded")
            } catch {
                throw NetworkError.encodingError(error)
            }
        }
    }

    /// A form with files, as it is now.
    public static func multipart(_ formData: MultipartFormData) -> UploadContent {
        let encoder = formData.encoder
        return UploadContent(fixesContentType: true) {
            RequestContentType.EncodedBody(try encoder.makeBody(), contentType: encoder.contentType)
        }
    }

    /// A form with files that a closure fills, now. What it throws fails the upload.
    public static func multipart(_ fill: (MultipartFormData) throws -> Void) -> UploadContent {
        let formData = MultipartFormData()
        do {
            try fill(formData)
        } catch {
            return UploadContent { throw error }
        }
        return multipart(formData)
    }

    /// The body and its type.
    func encoded() throws -> RequestContentType.EncodedBody { try make() }
}
