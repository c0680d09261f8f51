#if canImport(Darwin)
    import NetClient
    import NetCore

    /// The delegate of a background session. It reports the end of each task once, also of tasks that earlier launches started.
    final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
        typealias Running<Value: Sendable> = [Int: BackgroundTask<Value>]
        /// Downloads or uploads.
        typealias Kind<Value: Sendable> = WritableKeyPath<State, Running<Value>>

        struct State {
            var downloads: Running<URL> = [:]
            var uploads: Running<Data> = [:]
            /// The tasks whose end was reported.
            var ended: Set<Int> = []
        }

        let updates = BackgroundUpdates()
        private let gate: BackgroundEventGate
        private let state = Locked(State())
        private let bodyLimit: Int

        /// - Parameter bodyLimit: the most bytes of a response to an upload.
        init(_ gate: BackgroundEventGate, bodyLimit: Int = NetworkClient.Configuration().maximumBodySize) {
            self.gate = gate
            self.bodyLimit = bodyLimit
            super.init()
            gate.sessionBegins()
        }

        /// Returns the transfer of a task, the same one each time, or nil if its end was reported.
        func transfer<Value>(of task: URLSessionTask, _ kind: Kind<Value>) -> BackgroundTransfers.Transfer<Value>? {
            running(task, kind)?.transfer
        }

        private func running<Value>(_ task: URLSessionTask, _ kind: Kind<Value>) -> BackgroundTask<Value>? {
            state.withLock { state in
                let number = task.taskIdentifier
                if let known = state[keyPath: kind][number] { return known }
                guard !state.ended.contains(number), let record = BackgroundRecord(of: task) else { return nil }
                let new = BackgroundTask<Value>(record, task)
                state[keyPath: kind][number] = new
                return new
            }
        }

        /// Returns the transfer of a task that has ended, or nil if that was reported before.
        private func ending<Value>(_ task: URLSessionTask, _ kind: Kind<Value>) -> BackgroundTask<Value>? {
            let transfer = running(task, kind)
            return state.withLock { state in
                state[keyPath: kind][task.taskIdentifier] = nil
                return state.ended.insert(task.taskIdentifier).inserted ? transfer : nil
            }
        }

        // MARK: Events of the system

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { report(downloadTask, \.downloads, totalBytesWritten, of: totalBytesExpectedToWrite) }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) { report(task, \.uploads, totalBytesSent, of: totalBytesExpectedToSend) }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let upload = running(dataTask, \.uploads) else { return }
            let isTooLarge = upload.body.withLock { body in
                body.append(data)
                return body.count > bodyLimit
            }
            guard isTooLarge, let upload = ending(dataTask, \.uploads) else { return }
            dataTask.cancel()
            end(upload, dataTask, .failure(NetworkError.responseTooLarge(limit: bodyLimit)))
        }

        /// The system removes the file when this returns.
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard let download = ending(downloadTask, \.downloads) else { return }
            end(download, downloadTask, Result { try place(location, of: downloadTask) })
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if task is URLSessionDownloadTask {
                guard let download = ending(task, \.downloads) else { return }
                let noFile = DownloadError(
                    .cannotWrite, "The system finished the download without a file. Download it again.")
                end(download, task, .failure(error.map { failure($0, of: task) } ?? noFile))
            } else {
                guard let upload = ending(task, \.uploads) else { return }
                let body = upload.body.withLock { $0 }
                let result = Result {
                    if let error { throw failure(error, of: task) }
                    _ = try head(of: task, body)
                    return body
                }
                end(upload, task, result)
            }
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { gate.finish() }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            updates.finish()
            gate.sessionEnds()
            BackgroundSession.forget(session.configuration.identifier, self)
        }

        // MARK: Updates

        private func report<Value>(
            _ task: URLSessionTask, _ kind: Kind<Value>, _ bytesCompleted: Int64, of totalBytes: Int64
        ) {
            guard let running = running(task, kind) else { return }
            let progress = running.advance(to: bytesCompleted, of: totalBytes)
            post(.progress(url: running.transfer.url, progress), of: running)
        }

        private func end(_ download: BackgroundTask<URL>, _ task: URLSessionTask, _ result: Result<URL, any Error>) {
            let url = download.transfer.url
            end(download, task, nil, result) { _, file in .finished(url: url, file: file) }
        }

        private func end(_ upload: BackgroundTask<Data>, _ task: URLSessionTask, _ result: Result<Data, any Error>) {
            let url = upload.transfer.url
            end(upload, task, upload.body.withLock { $0 }, result) { response, _ in .uploaded(url: url, response) }
        }

        private func end<Value>(
            _ transfer: BackgroundTask<Value>, _ task: URLSessionTask, _ data: Data?,
            _ result: Result<Value, any Error>, _ success: (NetworkResponse<Value>, Value) -> BackgroundTransfers.Event
        ) {
            let result = result.mapError { error in
                let error = error is DownloadError ? NetworkError.downloadFailed(error) : error
                return NetworkFailure(wrapping: error, request: task.originalRequest)
            }
            var failure: NetworkFailure?
            if case .failure(let error) = result { failure = error }
            let response = NetworkResponse(
                request: task.currentRequest, response: task.response, data: data, result: result.mapError(\.cause),
                failure: failure)
            switch result {
            case .success(let value): post(success(response, value), of: transfer)
            case .failure(let error): post(.failed(url: transfer.transfer.url, error), of: transfer)
            }
            transfer.end(response)
        }

        private func post<Value>(_ event: BackgroundTransfers.Event, of transfer: BackgroundTask<Value>) {
            updates.post(BackgroundTransfers.Update(id: transfer.transfer.id, event: event))
        }

        private func failure(_ error: any Error, of task: URLSessionTask) -> NetworkFailure {
            let isCancelled = (error as? URLError)?.code == .cancelled
            let mapped: any Error =
                isCancelled
                ? NetworkError.cancelled
                : URLSessionErrors.map(
                    error, phase: .waiting, hasHead: task.response != nil, url: task.originalRequest?.url)
            var failure = NetworkFailure(wrapping: mapped, request: task.originalRequest)
            let systemData = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            failure.resumeData = DownloadRecord.resumeData(of: task, systemData)
            failure.systemResumeData = systemData
            return failure
        }

        // MARK: The file

        /// Returns the head of a response. Throws the failure of a status outside of 200 to 299.
        private func head(of task: URLSessionTask, _ body: Data? = nil) throws -> TransportResponse {
            guard let head = TransportResponse(task.response) else { throw URLError(.badServerResponse) }
            guard (200..<300).contains(head.status) else {
                throw NetworkFailure(response: head, data: body, timestamp: Date())
            }
            return head
        }

        private func place(_ location: URL, of task: URLSessionDownloadTask) throws -> URL {
            let head = try head(of: task)
            let record = try DownloadRecord(of: task)
            let version = DownloadVersion(head.headers, length: nil)
            let isDecoded = head.headers["Content-Encoding"] != nil
            let expected = [record.checksum, isDecoded ? nil : version.digest].compactMap { $0 }
            if !expected.isEmpty {
                let digest = try Self.digest(of: location)
                guard expected.allSatisfy({ $0.sha256 == digest }) else {
                    throw DownloadError(.digestMismatch, "The file does not match its digest, and was not saved.")
                }
            }
            // The system's folder may be on another file system.
            let gathered = record.gatheringPath
            try FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: gathered))
            do {
                return try record.destination.place(
                    gathered, named: SuggestedFilename.name(for: head), record.existingFile)
            } catch {
                Directory.remove(gathered)
                throw error
            }
        }

        private static func digest(of file: URL) throws -> Data {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var hash = SHA256()
            while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty { hash.update(piece) }
            return Data(hash.finalize())
        }
    }
#endif
