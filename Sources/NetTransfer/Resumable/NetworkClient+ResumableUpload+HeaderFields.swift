public import NetClient
public import NetCore

// Resumable uploads, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension NetworkClient {
    /// Uploads a file to a URL, so that it can go on where it stopped: see ``resumableUpload(file:to:protocol:options:)``.
    @_disfavoredOverload
    public func resumableUpload(
        file fileURL: URL, to url: URL, protocol kind: ResumableUploadProtocol = .tus,
        headers: some Sequence<(key: String, value: String)>, options: ResumableUploadOptions = ResumableUploadOptions()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<UploadReceipt>) {
        resumableUpload(
            file: fileURL, to: url, protocol: kind, headers: HTTPHeaders(fields: headers), options: options)
    }

    /// Drops an upload: tells the server, and forgets the record. Do not do it while it is going on.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func discardResumableUpload(
        _ record: ResumableUploadRecord, headers: some Sequence<(key: String, value: String)>,
        records: ResumableUploadRecords = .standard
    ) async throws(NetworkFailure) {
        try await discardResumableUpload(
            record, headers: HTTPHeaders(fields: headers), records: records)
    }
}
