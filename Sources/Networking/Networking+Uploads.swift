// Uploads (seed 000): `uploadRawData`, `uploadFile`, `uploadMultipart` and `uploadFormURLEncoded`, with a completion or `async`.
extension Networking: UploaderProtocol {
    /// The client's.
    public var decoder: any BodyDecoder { client.decoder }

    /// Starts an upload: see ``UploaderProtocol``.
    public func upload<Value: Decodable & Sendable>(
        _ content: UploadContent, to url: URL, method: HTTPMethod = .post, headers: HTTPHeaders = HTTPHeaders()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<Value>>) {
        Uploader(client: client).upload(content, to: url, method: method, headers: headers)
    }
}
