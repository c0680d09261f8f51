#if canImport(Darwin)
    public import NetCore

    /// Downloads that the system goes on with while the app is suspended or has been ended: a background `URLSession` (Apple's systems
    /// only; elsewhere a process is not suspended).
    ///
    /// ```
    /// let downloads = BackgroundDownloads(identifier: "com.example.downloads")
    /// try downloads.download(URLRequest(url: url), to: .file(destination))
    /// for await event in downloads.events { show(event) }
    /// ```
    ///
    /// Make one with the same identifier at each launch, early: the system then delivers the events of downloads that ended meanwhile. Only
    /// one may exist for an identifier. In an app, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` gives identifier
    /// and completion handler to ``handleEvents(forBackgroundURLSession:completionHandler:)``, whether or not the object exists already.
    ///
    /// Each download ends with one event. If the user ends the app, the system cancels its downloads: at the next launch they fail with
    /// ``NetworkError/cancelled``.
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

        /// An event, and the download that it belongs to.
        public struct Update: Sendable {
            /// The identity of the download, the same after each launch: what ``BackgroundDownloads/download(_:to:options:)`` returned. It
            /// tells two downloads of one URL apart.
            public let id: UUID
            /// What happened.
            public let event: Event
        }

        /// What happens to each download: the newest progress, and every end, until it is read. A new stream each time; each update goes to
        /// one reader, so read either this or ``events``. Cancelling a reader loses nothing: the next one goes on.
        public var updates: AsyncStream<Update> {
            AsyncStream { [updates = delegate.updates] in await updates.next() }
        }

        /// The events of ``updates``, for an app that does not download a URL twice at a time.
        public var events: AsyncStream<Event> {
            AsyncStream { [updates = delegate.updates] in await updates.next()?.event }
        }

        private let session: URLSession
        private let delegate: BackgroundDelegate
        private let gate: BackgroundEventGate

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
            gate = .of(identifier)
            delegate = BackgroundDelegate(gate)
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
        /// - Returns: the identity of the download in ``updates``, over launches of the app.
        /// - Throws: ``NetworkError/invalidURL``; ``NetworkError/downloadFailed(_:)`` if nothing can be written there.
        @discardableResult
        public func download(
            _ request: URLRequest, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
        ) throws(NetworkError) -> UUID {
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
            return record.id
        }

        /// Ends all downloads of this identifier.
        public func cancelAll() async {
            for task in await session.allTasks { task.cancel() }
        }

        /// Calls the handler once, on the main actor, when the system has delivered the events that it kept for this identifier; at once if
        /// it has done so already. See ``handleEvents(forBackgroundURLSession:completionHandler:)``.
        public func finishEvents(_ completionHandler: @escaping @MainActor @Sendable () -> Void) {
            gate.add(completionHandler)
        }

        /// Takes what UIKit gives to `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// The handler is called once, on the main actor, when the ``BackgroundDownloads`` of that identifier has moved the files and queued
        /// the events: whether these come before the handler or after it, and whether the object exists now or is made later. If its session
        /// ends before, the handler is called then.
        ///
        /// - Parameters:
        ///   - identifier: the session's. Each identifier has handlers of its own.
        ///   - completionHandler: tells the system that the app may be suspended again.
        @MainActor
        public static func handleEvents(
            forBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void
        ) {
            BackgroundEventGate.of(identifier).add { completionHandler() }
        }
    }
#endif
