public import NetClient
public import NetCore

/// What a service that transfers files needs of a client, so that a test can give it another.
public protocol TransferClientProtocol: NetworkClientProtocol {
    /// Uploads anything: a file, a form, bytes. The other spellings are made from it.
    func upload<E: Endpoint>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>)
}

extension NetworkClient: TransferClientProtocol {}

extension TransferClientProtocol {
    /// Uploads a file as it is, streamed from the disk: see ``NetClient/NetworkClient``.
    @_disfavoredOverload
    public func upload<E: Endpoint>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }
}
