#if canImport(Darwin)
    public import NetCore

    /// Downloads that the system goes on with while the app is suspended or has been ended: a background `URLSession` (Apple's systems
    /// only; elsewhere a process is not suspended).
    ///
    /// ```
    /// let downloads = BackgroundDownloads(identifier: "com.example.downloads")
    /// downloads.download(URLRequest(url: url), to: .file(destination))
    /// for await event in downloads.events { show(event) }
    /// ```
    ///
    /// Make one with the same identifier at each launch, early: the system then hands over what has ended meanwhile. Only one may be
    /// there for an identifier. In an app, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` gives its
    /// completion handler to ``finishEvents(_:)``.
    ///
    /// The transfer is the system's: it takes no interceptors, no retry policy and no trust policy of ours, follows redirects by
    /// itself, and resumes by its own means. The file is checked and moved to its place as with ``Downloader``.
    public final class BackgroundDownloads: Sendable {
        /// What became of a download.
        public enum Event: Sendable {
            /// So much of it is there.
            case progress(url: URL, TransferProgress)
            /// The file is in its place.
            case finished(url: URL, file: URL)
            /// It failed.
            case failed(url: URL, NetworkError)
        }

        /// What happens, from the first download on; the newest 1,000 events that nobody has read yet. For one reader.
        public let events: AsyncStream<Event>

        private let session: URLSession
        private let delegate: BackgroundDelegate

        /// A session of the system's.
        ///
        /// - Parameters:
        ///   - identifier: names it, over launches of the app.
        ///   - isDiscretionary: whether the system may choose the moment: on power and Wi-Fi.
        ///   - allowsExpensiveNetworkAccess: whether cellular networks and hotspots may be used.
        ///   - allowsConstrainedNetworkAccess: whether networks in low-data mode may be used.
        public init(
            identifier: String, isDiscretionary: Bool = false, allowsExpensiveNetworkAccess: Bool = true,
            allowsConstrainedNetworkAccess: Bool = true
        ) {
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.isDiscretionary = isDiscretionary
            configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
            configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            configuration.sessionSendsLaunchEvents = true
            let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1000))
            self.events = events
            delegate = BackgroundDelegate(continuation)
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit {
            // The tasks go on; only this object lets go of them.
            session.finishTasksAndInvalidate()
        }

        /// Hands a download to the system.
        ///
        /// - Parameters:
        ///   - request: a GET. Its headers are kept by the system until it is done.
        ///   - destination: where the file goes.
        ///   - options: of which ``DownloadOptions/existingFile`` and ``DownloadOptions/checksum`` count here.
        /// - Throws: ``NetworkError/invalidURL``; ``NetworkError/downloadFailed(_:)`` if nothing can be written there.
        public func download(
            _ request: URLRequest, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
        ) throws(NetworkError) {
            guard let url = request.url, url.isHTTP else { throw .invalidURL }
            let record = DownloadRecord(
                url: url, destination: destination, folder: destination.gatheringFolder, options: options)
            let description: String
            do {
                try destination.check(options.existingFile)
                description = String(decoding: try record.data, as: UTF8.self)
            } catch {
                throw .downloadFailed(error)
            }
            let task = session.downloadTask(with: request)
            // The system keeps it with the task, over launches.
            task.taskDescription = description
            task.resume()
        }

        /// Ends all downloads of this identifier.
        public func cancelAll() async {
            for task in await session.allTasks { task.cancel() }
        }

        /// Calls the handler when all events that the system had kept have been handed over.
        public func finishEvents(_ completionHandler: @escaping @MainActor @Sendable () -> Void) {
            delegate.finishEvents(completionHandler)
        }
    }

    private final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate {
        private let events: AsyncStream<BackgroundDownloads.Event>.Continuation
        private let completion = Locked<(@MainActor @Sendable () -> Void)?>(nil)
        /// What was told of a task already, when the system says that it has ended.
        private let outcomes = Locked<Set<Int>>([])

        init(_ events: AsyncStream<BackgroundDownloads.Event>.Continuation) {
            self.events = events
        }

        func finishEvents(_ completionHandler: @escaping @MainActor @Sendable () -> Void) {
            completion.withLock { $0 = completionHandler }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            guard let url = downloadTask.originalRequest?.url else { return }
            events.yield(
                .progress(
                    url: url,
                    TransferProgress(bytesCompleted: totalBytesWritten, totalBytes: totalBytesExpectedToWrite)))
        }

        /// The file is gone when this returns.
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard let url = downloadTask.originalRequest?.url else { return }
            _ = outcomes.withLock { $0.insert(downloadTask.taskIdentifier) }
            do {
                events.yield(.finished(url: url, file: try place(location, of: downloadTask)))
            } catch {
                events.yield(
                    .failed(url: url, error is DownloadError ? .downloadFailed(error) : NetworkError(mapping: error)))
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let wasTold = outcomes.withLock { $0.remove(task.taskIdentifier) } != nil
            guard let error, !wasTold, let url = task.originalRequest?.url else { return }
            events.yield(.failed(url: url, NetworkError(mapping: error)))
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            let handler = completion.withLock { completion in
                defer { completion = nil }
                return completion
            }
            guard let handler else { return }
            Task { @MainActor in handler() }
        }

        private func place(_ location: URL, of task: URLSessionDownloadTask) throws -> URL {
            guard let response = task.response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
                let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
                throw NetworkError.requestFailed(statusCode: status, data: nil)
            }
            let record = try DownloadRecord(data: Data((task.taskDescription ?? "").utf8))
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
