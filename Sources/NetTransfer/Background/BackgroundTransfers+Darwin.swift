#if canImport(Darwin)
    public import NetCore

    /// Downloads and uploads that continue while the app is suspended or has ended, in a background `URLSession` (Apple platforms only).
    ///
    /// ```
    /// let transfers = BackgroundTransfers(identifier: "com.example.transfers")
    /// let report = try transfers.download(URLRequest(url: url), to: .file(destination))
    /// let response = try await report.task.value
    /// ```
    ///
    /// Create one with the same identifier early in each launch: the system then delivers the events of transfers that ended meanwhile,
    /// which ``updates`` has. ``running`` lists the others. All objects with the same identifier share one session, which lives
    /// as long as the process. In an app, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` passes its arguments to
    /// ``handleEvents(forBackgroundURLSession:completionHandler:)``, whether or not the object exists already.
    ///
    /// Each transfer ends with one event. If the user ends the app, the system cancels its transfers, and they fail at the next launch with
    /// ``NetworkError/cancelled``.
    ///
    /// The system transfers the file. Interceptors, retry policy and trust policy of a client do not apply, and redirects are always
    /// followed. A downloaded file is checked and moved to its destination as by ``Downloader``.
    public final class BackgroundTransfers: Sendable {
        private let identifier: String
        private let configure: @Sendable (URLSessionConfiguration) -> Void
        /// Looked up each time: the system may have invalidated the one of before, in which a new task is a crash.
        private var shared: BackgroundSession { .of(identifier, configure) }
        private var session: URLSession { shared.session }
        private var delegate: BackgroundDelegate { shared.delegate }

        /// Creates the background session of an identifier, or takes the one that the process has: then the settings of its creation stay.
        ///
        /// - Parameters:
        ///   - identifier: the name of the session, the same at each launch.
        ///   - isDiscretionary: whether the system may choose the time, such as on power and Wi-Fi.
        ///   - allowsExpensiveNetworkAccess: whether cellular networks and hotspots are allowed.
        ///   - allowsConstrainedNetworkAccess: whether networks in low-data mode are allowed.
        ///   - sharedContainerIdentifier: the app group whose container holds the files. An app extension needs one, or its session is invalid.
        public init(
            identifier: String, isDiscretionary: Bool = false, allowsExpensiveNetworkAccess: Bool = true,
            allowsConstrainedNetworkAccess: Bool = true, sharedContainerIdentifier: String? = nil
        ) {
            self.identifier = identifier
            configure = { configuration in
                configuration.isDiscretionary = isDiscretionary
                configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
                configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
                configuration.sharedContainerIdentifier = sharedContainerIdentifier
            }
            // Now, so that the system delivers its events.
            _ = shared
        }

        // MARK: Starting

        /// Starts a download.
        ///
        /// - Parameters:
        ///   - request: a GET. The system stores its headers until the download ends.
        ///   - destination: the file's destination.
        ///   - options: ``Downloader/Options/existingFile`` and ``Downloader/Options/checksum``. The other options are ignored.
        ///   - schedule: when the system may begin, and the expected sizes.
        /// - Throws: ``NetworkError/invalidURL``; ``NetworkError/downloadFailed(_:)`` if the destination cannot be written.
        @discardableResult
        public func download(
            _ request: URLRequest, to destination: Downloader.Destination,
            options: Downloader.Options = Downloader.Options(),
            schedule: Schedule = Schedule()
        ) throws(NetworkError) -> Transfer<URL> {
            guard let url = request.url, url.isHTTP else { throw .invalidURL }
            let record = DownloadRecord(
                url: url, destination: destination, folder: destination.gatheringFolder, options: options)
            return try start(record, schedule) { $0.downloadTask(with: request) }
        }

        /// Continues a download that has failed, or was cancelled by ``Transfer/cancelByProducingResumeData()``. It keeps its identity.
        ///
        /// - Parameters:
        ///   - resumeData: ``NetworkFailure/resumeData``, or the result of ``Transfer/cancelByProducingResumeData()``.
        ///   - destination: the file's destination, or nil for the earlier one.
        ///   - schedule: when the system may begin, and the expected sizes.
        /// - Throws: ``NetworkError/downloadFailed(_:)`` with ``DownloadError/Code/invalidResumeData`` for other data, or an unwritable destination.
        @discardableResult
        public func download(
            resumeData: Data, to destination: Downloader.Destination? = nil, schedule: Schedule = Schedule()
        ) throws(NetworkError) -> Transfer<URL> {
            var record: DownloadRecord
            let systemData: Data
            do {
                record = try DownloadRecord(data: resumeData)
                systemData = try record.takeSystemData()
            } catch {
                throw .downloadFailed(error)
            }
            if let destination {
                record.destination = destination
                record.gather(in: destination.gatheringFolder)
            }
            return try start(record, schedule) { $0.downloadTask(withResumeData: systemData) }
        }

        /// Starts the upload of a file.
        ///
        /// - Parameters:
        ///   - request: a POST, PUT or PATCH. Its own body is not sent. Without a `Content-Type`, the file's extension gives it. The system
        ///     stores its headers until the upload ends.
        ///   - fileURL: a regular file, which has to stay unchanged until the upload has ended. For a form, write its body to a file: see
        ///     ``MultipartFormData``.
        ///   - schedule: when the system may begin, and the expected sizes.
        /// - Throws: ``NetworkError/invalidURL``; ``NetworkError/invalidRequest(_:)`` for a method without a body;
        ///   ``NetworkError/uploadFailed(_:)`` if the file cannot be read.
        @discardableResult
        public func upload(
            _ request: URLRequest, fromFile fileURL: URL, schedule: Schedule = Schedule()
        ) throws(NetworkError) -> Transfer<Data> {
            guard let url = request.url, url.isHTTP else { throw .invalidURL }
            var request = request
            let description: String
            do {
                try UploadCall.checkMethod(HTTPMethod(rawValue: request.httpMethod ?? "GET"))
                _ = try FileSegment(uploading: fileURL)
                description = try BackgroundRecord(id: UUID(), url: url).text
            } catch {
                throw NetworkError(error)
            }
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                let type = MIMEType.forFile(named: fileURL.lastPathComponent)
                request.setValue(type, forHTTPHeaderField: "Content-Type")
            }
            let task = session.uploadTask(with: request, fromFile: fileURL)
            return try start(task, description, schedule, \.uploads)
        }

        private func start(
            _ record: DownloadRecord, _ schedule: Schedule, _ make: (URLSession) -> URLSessionDownloadTask
        ) throws(NetworkError) -> Transfer<URL> {
            let description: String
            do {
                try record.destination.check(record.existingFile)
                description = String(decoding: try record.data, as: UTF8.self)
            } catch {
                throw .downloadFailed(error)
            }
            return try start(make(session), description, schedule, \.downloads)
        }

        private func start<Value>(
            _ task: URLSessionTask, _ description: String, _ schedule: Schedule, _ kind: BackgroundDelegate.Kind<Value>
        ) throws(NetworkError) -> Transfer<Value> {
            // The system keeps the description with the task, also after the app has ended.
            task.taskDescription = description
            schedule.apply(to: task)
            guard let transfer = delegate.transfer(of: task, kind) else { throw .invalidURL }
            task.resume()
            return transfer
        }

        // MARK: Running transfers

        /// The transfers of this identifier that have not ended, including those of earlier launches.
        public var running: (downloads: [Transfer<URL>], uploads: [Transfer<Data>]) {
            get async {
                let tasks = await session.allTasks
                let downloads = tasks.filter { $0 is URLSessionDownloadTask }
                let uploads = tasks.filter { !($0 is URLSessionDownloadTask) }
                return (
                    downloads.compactMap { delegate.transfer(of: $0, \.downloads) },
                    uploads.compactMap { delegate.transfer(of: $0, \.uploads) }
                )
            }
        }

        /// Cancels all transfers of this identifier.
        public func cancelAll() async { for task in await session.allTasks { task.cancel() } }

        /// The updates of all transfers: the newest progress, and every end, until it is read. Each access returns a new stream, and each
        /// update goes to one reader. Cancelling a reader loses no update. Updates that are not read stay in memory.
        public var updates: AsyncStream<Update> { AsyncStream { [updates = delegate.updates] in await updates.next() } }

        // MARK: Events of the system

        /// Handles UIKit's `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// The handler is called once, on the main actor, when the ``BackgroundTransfers`` of the identifier has moved the files and queued
        /// the events. The events, the handler and the object may come in any order. If the session ends before, the handler is called then.
        ///
        /// - Parameters:
        ///   - identifier: the identifier of the session.
        ///   - completionHandler: tells the system that the app may be suspended again.
        @MainActor
        public static func handleEvents(
            forBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void
        ) { BackgroundEventGate.of(identifier).add { completionHandler() } }

        /// Returns when the ``BackgroundTransfers`` of the identifier has moved the files and queued the events, or when the task is
        /// cancelled. For `.backgroundTask(.urlSession(…))` of SwiftUI and `WKURLSessionRefreshBackgroundTask` of watchOS.
        ///
        /// - Parameter identifier: the identifier of the session.
        public static func handleEvents(forBackgroundURLSession identifier: String) async {
            guard !Task.isCancelled else { return }
            // Its end, and the cancellation of the task, end the loop.
            let events = AsyncStream<Never>.makeStream()
            BackgroundEventGate.of(identifier).add { events.continuation.finish() }
            for await _ in events.stream {}
        }
    }
#endif
