public import NetClient
public import NetCore

extension NetworkClient {
    /// Uploads a file so that it can go on where it stopped: after a lost connection by itself, after the end of this process when the same
    /// upload is asked for again. It starts at once.
    ///
    /// ```swift
    /// let (progress, task) = client.resumableUpload(file: url, to: UploadEndpoint(), protocol: .tus)
    /// for await update in progress { print(update) }
    /// let receipt = try await task.value
    /// ```
    ///
    /// An upload is the same if file, target (with its query), protocol and ``ResumableUpload/Options/partition`` are. What it needs to go on is in
    /// ``ResumableUpload/Options/records``; how much the server has is asked of the server each time. If it does not know the upload any more
    /// (404, 410), the upload begins anew. Cancelling the task keeps what was uploaded;
    /// `discardResumableUpload(_:headers:records:)` does not.
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file. It is streamed from the disk.
    ///   - endpoint: where to. Its headers go along with each request, but those that may be secret only to its own origin. With tus the
    ///     method is always POST.
    ///   - kind: which protocol the server speaks.
    ///   - options: how to go about it.
    /// - Returns: `progress` begins with what the server has already, and keeps the newest value only. Where
    ///   ``TransferProgress/attempt`` has grown the server had less than was sent, and the count went back to that. It ends with a
    ///   complete value if the task has one. `task` can be paused and resumed. It fails with ``NetworkError/uploadFailed(_:)`` and a
    ///   ``ResumableUploadError`` in it, ``NetworkError/requestFailed(statusCode:data:)`` for a status after which there is no going on,
    ///   ``NetworkError/unsupported(_:)`` if the server does not speak the protocol, and else as any request. What was uploaded by then
    ///   is kept.
    public func resumableUpload(
        file fileURL: URL, to endpoint: some Endpoint, protocol kind: ResumableUpload.WireProtocol = .tus,
        options: ResumableUpload.Options = ResumableUpload.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        start(fileURL, kind, options) { [self] in try lower(endpoint) }
    }

    /// Uploads a file to a URL, so that it can go on where it stopped: see ``resumableUpload(file:to:protocol:options:)``.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - url: where to.
    ///   - kind: what the server speaks.
    ///   - headers: go along with each request, but those that may be secret only to the origin of `url`.
    ///   - options: sizes, delays and records.
    public func resumableUpload(
        file fileURL: URL, to url: URL, protocol kind: ResumableUpload.WireProtocol = .tus,
        headers: HTTPHeaders = HTTPHeaders(), options: ResumableUpload.Options = ResumableUpload.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        start(fileURL, kind, options) {
            var builder = RequestBuilder(url: url)
            builder.method = .post
            builder.headers = headers
            return builder
        }
    }

    /// Drops an upload: tells the server, and forgets the record. Do not do it while it is going on.
    ///
    /// - Parameters:
    ///   - record: of the upload.
    ///   - headers: go along with the request, but those that may be secret only to the target's origin.
    ///   - records: where the record is.
    /// - Throws: why the server could not be told; the record is kept then. That the server does not know the upload any more is no failure, nor
    ///   that it lets nobody drop one (405, 501).
    public func discardResumableUpload(
        _ record: ResumableUpload.Record, headers: HTTPHeaders = HTTPHeaders(),
        records: ResumableUpload.Records = .standard
    ) async throws(NetworkFailure) {
        do {
            let response = try await send(
                record.protocol.dialect(clock: clock).termination, to: record.uploadURL, target: record.targetURL,
                headers: headers, partition: record.partition)
            if ![404, 405, 410, 501].contains(response.status) {
                try response.validate(data: response.body.data ?? Data(), timestamp: clock.now)
            }
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
        records.remove(record)
    }

    private func start(
        _ fileURL: URL, _ kind: ResumableUpload.WireProtocol, _ options: ResumableUpload.Options,
        lower: @escaping @Sendable () throws -> RequestBuilder
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        let progress = ResumableProgress(clock: clock)
        let control = TransferControl()
        let task = TransferTask(pausing: control.pausing) { [self] in
            defer { progress.end() }
            let job = try ResumableUploadJob(
                client: self, fileURL: fileURL, protocol: kind, options: options, lower: lower)
            var run = ResumableUploadRun(job: job, progress: progress, control: control)
            return try await run.run()
        }
        return (progress.stream, task)
    }
}

// Resumable uploads, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension NetworkClient {
    /// Uploads a file to a URL, so that it can go on where it stopped: see ``resumableUpload(file:to:protocol:options:)``.
    @_disfavoredOverload
    public func resumableUpload(
        file fileURL: URL, to url: URL, protocol kind: ResumableUpload.WireProtocol = .tus,
        headers: some Sequence<(key: String, value: String)>,
        options: ResumableUpload.Options = ResumableUpload.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        resumableUpload(
            file: fileURL, to: url, protocol: kind, headers: HTTPHeaders(fields: headers), options: options)
    }

    /// Drops an upload: tells the server, and forgets the record. Do not do it while it is going on.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func discardResumableUpload(
        _ record: ResumableUpload.Record, headers: some Sequence<(key: String, value: String)>,
        records: ResumableUpload.Records = .standard
    ) async throws(NetworkFailure) {
        try await discardResumableUpload(
            record, headers: HTTPHeaders(fields: headers), records: records)
    }
}
