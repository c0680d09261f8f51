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
