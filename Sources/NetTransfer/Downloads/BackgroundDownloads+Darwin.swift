#if canImport(Darwin)
    public import NetCore

    /// Downloads that continue while the app is suspended or has ended, in a background `URLSession` (Apple platforms only).
    ///
    /// ```
    /// let downloads = BackgroundDownloads(identifier: "com.example.downloads")
    /// try downloads.download(URLRequest(url: url), to: .file(destination))
    /// for await event in downloads.events { print(event) }
    /// ```
    ///
    /// Create one with the same identifier early in each launch: the system then delivers the events of downloads that ended meanwhile.
    /// All objects with the same identifier share one session, which lives as long as the process. In an app, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` passes its
    /// arguments to ``handleEvents(forBackgroundURLSession:completionHandler:)``, whether or not the object exists already.
    ///
    /// Each download ends with one event. If the user ends the app, the system cancels its downloads, and they fail at the next launch with
    /// ``NetworkError/cancelled``.
    ///
    /// The system transfers the file. Interceptors, retry policy and trust policy of a client do not apply; redirects and resumption are
    /// the system's. The file is checked and moved to its destination as by ``Downloader``.
    public final class BackgroundDownloads: Sendable {
        /// An event of a download.
        public enum Event: Sendable {
            /// More bytes have arrived.
            case progress(url: URL, TransferProgress)
            /// The file is at its destination.
            case finished(url: URL, file: URL)
            /// The download failed.
            case failed(url: URL, NetworkError)
        }

        /// An event, with the identity of its download.
        public struct Update: Sendable {
            /// The identity that ``BackgroundDownloads/download(_:to:options:)`` returned, the same after each launch. It distinguishes two
            /// downloads of one URL.
            public let id: UUID
            /// The event.
            public let event: Event
        }

        /// The updates of all downloads: the newest progress, and every end, until it is read. Each access returns a new stream. Each
        /// update goes to one reader, so read either this or ``events``. Cancelling a reader loses no update.
        public var updates: AsyncStream<Update> {
            AsyncStream { [updates = delegate.updates] in await updates.next() }
        }

        /// The events of ``updates``, for an app that does not download a URL twice at a time.
        public var events: AsyncStream<Event> {
            AsyncStream { [updates = delegate.updates] in await updates.next()?.event }
        }

        private let shared: BackgroundSession
        private var session: URLSession { shared.session }
        private var delegate: BackgroundDelegate { shared.delegate }

        /// Creates the background session of an identifier, or takes the one that the process has: then the settings of its creation stay.
        ///
        /// - Parameters:
        ///   - identifier: the name of the session, the same at each launch.
        ///   - isDiscretionary: whether the system may choose the time, such as on power and Wi-Fi.
        ///   - allowsExpensiveNetworkAccess: whether cellular networks and hotspots are allowed.
        ///   - allowsConstrainedNetworkAccess: whether networks in low-data mode are allowed.
        public init(
            identifier: String, isDiscretionary: Bool = false, allowsExpensiveNetworkAccess: Bool = true,
            allowsConstrainedNetworkAccess: Bool = true
        ) {
            shared = .of(identifier) { configuration in
                configuration.isDiscretionary = isDiscretionary
                configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
                configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            }
        }

        /// Starts a download.
        ///
        /// - Parameters:
        ///   - request: a GET. The system stores its headers until the download ends.
        ///   - destination: the file's destination.
        ///   - options: ``DownloadOptions/existingFile`` and ``DownloadOptions/checksum``. The other options are ignored.
        /// - Returns: the identity of the download in ``updates``, also after later launches.
        /// - Throws: ``NetworkError/invalidURL``; ``NetworkError/downloadFailed(_:)`` if the destination cannot be written.
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
            // The system keeps the description with the task, also after the app has ended.
            task.taskDescription = description
            task.resume()
            return record.id
        }

        /// Cancels all downloads of this identifier.
        public func cancelAll() async {
            for task in await session.allTasks { task.cancel() }
        }

        /// Calls the handler once, on the main actor, when the system has delivered the events of this identifier, or at once if it has.
        /// See ``handleEvents(forBackgroundURLSession:completionHandler:)``.
        public func finishEvents(_ completionHandler: @escaping @MainActor @Sendable () -> Void) {
            shared.gate.add(completionHandler)
        }

        /// Handles UIKit's `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// The handler is called once, on the main actor, when the ``BackgroundDownloads`` of the identifier has moved the files and queued
        /// the events. It does not matter whether the events or the handler come first, nor whether the object exists already. If the
        /// session ends before, the handler is called then.
        ///
        /// - Parameters:
        ///   - identifier: the identifier of the session.
        ///   - completionHandler: tells the system that the app may be suspended again.
        @MainActor
        public static func handleEvents(
            forBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void
        ) {
            BackgroundEventGate.of(identifier).add { completionHandler() }
        }

        /// Returns when the ``BackgroundDownloads`` of the identifier has moved the files and queued the events, or when the task is
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
