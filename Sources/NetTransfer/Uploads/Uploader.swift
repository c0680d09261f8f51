public import NetClient
public import NetCore

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
