public import NetCore

/// Something that uploads to URLs (seed 000): ``Uploader``, the facade `Networking`, or a double of yours in a test.
///
/// There is one requirement. All the methods of the seed (`uploadRawData`, `uploadFile`, `uploadMultipart`,
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
}
