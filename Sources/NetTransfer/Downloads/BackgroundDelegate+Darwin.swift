#if canImport(Darwin)
    import NetCore

    /// Hears of the tasks of a background session, those of earlier launches included, and says each end once.
    final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate {
        private struct State {
            /// By the numbers of tasks, so that a record is read once.
            var downloads: [Int: Download] = [:]
            /// Tasks whose end was told.
            var ended: Set<Int> = []
        }

        private struct Download {
            let id: UUID
            let url: URL?
        }

        let updates = BackgroundUpdates()
        private let gate: BackgroundEventGate
        private let state = Locked(State())

        init(_ gate: BackgroundEventGate) {
            self.gate = gate
            super.init()
            gate.sessionBegins()
        }

        // MARK: The system's news

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            guard !state.withLock({ $0.ended.contains(downloadTask.taskIdentifier) }) else { return }
            let progress = TransferProgress(
                bytesCompleted: totalBytesWritten, totalBytes: totalBytesExpectedToWrite)
            tell(downloadTask) { .progress(url: $0, progress) }
        }

        /// The file is gone when this returns.
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard ends(downloadTask) else { return }
            do {
                let file = try place(location, of: downloadTask)
                tell(downloadTask) { .finished(url: $0, file: file) }
            } catch {
                let error = error is DownloadError ? .downloadFailed(error) : NetworkError(mapping: error)
                tell(downloadTask) { .failed(url: $0, error) }
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if ends(task) {
                let noFile = DownloadError(
                    .cannotWrite, "The system says that the download has ended, and gives no file. Download it again.")
                let error = error.map { NetworkError(mapping: $0) } ?? .downloadFailed(noFile)
                tell(task) { .failed(url: $0, error) }
            }
            state.withLock { $0.downloads[task.taskIdentifier] = nil }
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            gate.finish()
        }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            updates.finish()
            gate.sessionEnds()
        }

        // MARK: What is told

        /// Whether this is the end of the task, and the first word of it.
        private func ends(_ task: URLSessionTask) -> Bool {
            state.withLock { $0.ended.insert(task.taskIdentifier).inserted }
        }

        private func tell(_ task: URLSessionTask, _ event: (URL) -> BackgroundDownloads.Event) {
            let known = state.withLock { $0.downloads[task.taskIdentifier] }
            let download = known ?? download(task)
            if known == nil { state.withLock { $0.downloads[task.taskIdentifier] = download } }
            guard let url = download.url else { return }
            updates.post(BackgroundDownloads.Update(id: download.id, event: event(url)))
        }

        /// By the record that the system keeps with the task. A task without one is not ours, and has a name for this launch.
        private func download(_ task: URLSessionTask) -> Download {
            let record = try? record(of: task)
            return Download(id: record?.id ?? UUID(), url: record?.url ?? task.originalRequest?.url)
        }

        private func record(of task: URLSessionTask) throws -> DownloadRecord {
            try DownloadRecord(data: Data((task.taskDescription ?? "").utf8))
        }

        // MARK: The file

        private func place(_ location: URL, of task: URLSessionDownloadTask) throws -> URL {
            guard let response = task.response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
                let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
                throw NetworkError.requestFailed(statusCode: status, data: nil)
            }
            let record = try record(of: task)
            let headers = HTTPHeaders(
                response.allHeaderFields.reduce(into: [String: String]()) { fields, field in
                    if let name = field.key as? String, let value = field.value as? String { fields[name] = value }
                })
            let version = DownloadVersion(headers, length: nil)
            let expected = [record.checksum, headers["Content-Encoding"] == nil ? version.digest : nil].compactMap {
                $0
            }
            if !expected.isEmpty {
                let digest = try Self.digest(of: location)
                guard expected.allSatisfy({ $0.sha256 == digest }) else {
                    throw DownloadError(
                        .digestMismatch, "The file does not have the digest that was named: nothing was saved.")
                }
            }
            // The system's place may be on another file system.
            let gathered = record.partPath(0)
            try FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: gathered))
            do {
                let head = TransportResponse(status: response.statusCode, headers: headers, url: response.url)
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
