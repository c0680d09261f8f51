#if canImport(Darwin)
    import NetCore

    /// The delegate of a background session. It reports the end of each task once, also of tasks that earlier launches started.
    final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate {
        private struct State {
            /// By task identifier, so that each record is read once.
            var downloads: [Int: Download] = [:]
            /// The tasks whose end was reported.
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

        // MARK: Events of the system

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            guard !state.withLock({ $0.ended.contains(downloadTask.taskIdentifier) }) else { return }
            let progress = TransferProgress(
                bytesCompleted: totalBytesWritten, totalBytes: totalBytesExpectedToWrite)
            tell(downloadTask) { .progress(url: $0, progress) }
        }

        /// The system removes the file when this returns.
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
                    .cannotWrite, "The system finished the download without a file. Download it again.")
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
            BackgroundSession.forget(session.configuration.identifier, self)
        }

        // MARK: Updates

        /// Returns whether this is the first report of the task's end.
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

        /// Reads the record that the system keeps with the task. A task without one gets an identity for this launch.
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
                        .digestMismatch, "The file does not match its digest, and was not saved.")
                }
            }
            // The system's folder may be on another file system.
            let gathered = record.gatheringPath
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

    /// The updates of background downloads that no reader has taken: the newest progress of each download, and every end.
    final class BackgroundUpdates: Sendable {
        typealias Update = BackgroundDownloads.Update

        private struct State {
            /// In order of arrival. A newer progress replaces the older one in its place.
            var waiting: [Update] = []
            var readers = WaiterList<Update?>()
            var isFinished = false
        }

        private let state = Locked(State())

        func post(_ update: Update) {
            let reader = state.withLock { state -> WaiterList<Update?>.Waiter? in
                guard !state.isFinished else { return nil }
                if let reader = state.readers.popFirst() { return reader }
                if update.isProgress,
                    let index = state.waiting.firstIndex(where: { $0.id == update.id && $0.isProgress })
                {
                    state.waiting[index] = update
                } else {
                    state.waiting.append(update)
                }
                return nil
            }
            reader?.resume(returning: update)
        }

        /// Ends the updates. Existing updates can still be read.
        func finish() {
            let readers = state.withLock { state in
                state.isFinished = true
                return state.readers.popAll()
            }
            for reader in readers { reader.resume(returning: nil) }
        }

        /// Returns the next update, which goes to one reader. Nil at the end, or if the task is cancelled, which takes no update.
        func next() async -> Update? {
            await state.wait(in: \.readers, cancelled: nil) { state -> Update?? in
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                return state.isFinished ? .some(nil) : nil
            }
        }
    }

    extension BackgroundDownloads.Update {
        fileprivate var isProgress: Bool {
            if case .progress = event { true } else { false }
        }
    }
#endif
