public import NetClient
public import NetCore

extension NetworkClient {
    /// Uploads a file so that the upload can be resumed: automatically after a lost connection, and after the end of the process by calling
    /// this again with the same arguments. It starts at once.
    ///
    /// ```swift
    /// let (progress, task) = client.resumableUpload(file: url, to: UploadEndpoint(), protocol: .tus)
    /// for await update in progress { print(update) }
    /// let receipt = try await task.value
    /// ```
    ///
    /// An upload is the same if its file, target (with the query), protocol and ``ResumableUpload/Options/partition`` are. Its record is
    /// stored in ``ResumableUpload/Options/records``. The server is asked for the offset each time. If the server has lost the upload (404,
    /// 410), it starts again. Cancelling the task keeps the upload; `discardResumableUpload(_:headers:records:)` removes it.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file. It is streamed from the disk.
    ///   - endpoint: the target. Its headers are sent with each request; fields that may be secret, to its origin only. With tus the method is POST.
    ///   - kind: the protocol of the server.
    ///   - options: sizes, delays and records.
    /// - Returns: `progress` begins with the bytes that the server has, and keeps only the newest value. If the server has less than was
    ///   sent, the count goes back, and ``TransferProgress/attempt`` grows. The last value is complete if the upload succeeds. `task` can
    ///   be paused. It fails with ``NetworkError/uploadFailed(_:)`` and a ``ResumableUpload/Failure``,
    ///   ``NetworkError/requestFailed(statusCode:data:)`` for a status that ends the upload, ``NetworkError/unsupported(_:)`` if the server
    ///   does not support the protocol, or the error of a request. The uploaded bytes are kept.
    public func resumableUpload(
        file fileURL: URL, to endpoint: some Endpoint, protocol kind: ResumableUpload.WireProtocol = .tus,
        options: ResumableUpload.Options = ResumableUpload.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        start(fileURL, kind, options) { [self] in try call(for: endpoint) }
    }

    /// Uploads a file to a URL so that the upload can be resumed: see ``resumableUpload(file:to:protocol:options:)``.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file.
    ///   - url: the target.
    ///   - kind: the protocol of the server.
    ///   - headers: header fields of each request. Fields that may be secret are sent only to the origin of `url`.
    ///   - options: sizes, delays and records.
    public func resumableUpload(
        file fileURL: URL, to url: URL, protocol kind: ResumableUpload.WireProtocol = .tus,
        headers: HTTPHeaders = HTTPHeaders(), options: ResumableUpload.Options = ResumableUpload.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        start(fileURL, kind, options) { Call(url: url, method: .post, headers: headers) }
    }

    /// Removes an upload from the server, and its record. Do not call it while the upload runs.
    ///
    /// - Parameters:
    ///   - record: the record of the upload.
    ///   - headers: header fields of the request. Fields that may be secret are sent only to the target's origin.
    ///   - records: the folder of the record.
    /// - Throws: the error of the request, and the record is kept. A lost upload, or a server without removal (405, 501), is not an error.
    public func discardResumableUpload(
        _ record: ResumableUpload.Record, headers: HTTPHeaders = HTTPHeaders(),
        records: ResumableUpload.Records = .standard
    ) async throws(NetworkFailure) {
        do {
            let sender = UploadSender(
                client: self, target: record.targetURL, headers: headers, partition: record.partition)
            let message = record.protocol.dialect(clock: clock).message(.delete)
            let response = try await sender.send(message, to: record.uploadURL)
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
        _ make: @escaping @Sendable () throws -> Call
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<ResumableUpload.Receipt>) {
        let reporter = ProgressReporter(clock: clock)
        let control = TransferControl()
        let task = TransferTask(pausing: control.pausing) { [self] in
            defer { reporter.end() }
            let job = try ResumableUploadJob(client: self, fileURL: fileURL, protocol: kind, options: options, make)
            var run = ResumableUploadRun(job: job, reporter: reporter, control: control)
            do {
                return try await run.run()
            } catch let error as ResumableUpload.Failure {
                throw NetworkError.uploadFailed(error)
            }
        }
        return (reporter.stream, task)
    }
}
