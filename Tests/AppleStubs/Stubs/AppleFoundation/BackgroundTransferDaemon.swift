import AppleLiberties

/// Harness only: the system's process that goes on with background transfers while the app is suspended or has ended.
///
/// ```swift
/// BackgroundTransferDaemon.shared.endApp("com.example.downloads")   // nobody listens any more
/// await BackgroundTransferDaemon.shared.waitUntilIdle("com.example.downloads")
/// // "Launches" the app again: the events wait for the next session with this identifier.
/// let session = URLSession(configuration: .background(withIdentifier: "com.example.downloads"), delegate: …)
/// ```
public final class BackgroundTransferDaemon: @unchecked Sendable {
    public static let shared = BackgroundTransferDaemon()

    private let lock = NSLock()
    private var table: [String: BackgroundTransfers] = [:]

    func transfers(of identifier: String) -> BackgroundTransfers {
        lock.withLock {
            if let known = table[identifier] { return known }
            let new = BackgroundTransfers()
            table[identifier] = new
            return new
        }
    }

    /// What is left of the session when its app is ended by the system: its transfers. Its delegate hears nothing from now on.
    public func endApp(_ identifier: String) { transfers(of: identifier).endApp() }

    /// As ``endApp(_:)``, by the user who swipes the app away: the system cancels its transfers, and the next session hears so.
    public func endAppByUser(_ identifier: String) {
        transfers(of: identifier).endApp()
        transfers(of: identifier).cancelAll()
    }

    /// Returns when every transfer that was begun has ended.
    public func waitUntilIdle(_ identifier: String) async {
        while !transfers(of: identifier).isIdle { await Task.yield() }
    }

    /// Returns when a delegate was told that it has heard all events, so many times since the identifier was first used.
    public func waitUntilFinished(_ identifier: String, times: Int = 1) async {
        while transfers(of: identifier).finishCount < times { await Task.yield() }
    }
}

/// Those of one identifier.
final class BackgroundTransfers: @unchecked Sendable {
    private struct Record {
        /// Who works on it. Another object than the one that its app holds, when that was launched anew.
        let worker: URLSessionTask
        var description: String?
        var ended: Ended?
    }

    struct Ended {
        let file: DownloadFile?
        let error: (any Error)?
    }

    private let lock = NSLock()
    private weak var session: URLSession?
    private var records: [Int: Record] = [:]
    /// Whether the session is there for events that it has missed.
    private var owesFinish = false
    private var finishes = 0
    /// Whether the user has ended the app.
    private var isCancelledByUser = false

    var finishCount: Int { lock.withLock { finishes } }
    var isIdle: Bool {
        lock.withLock { !records.values.contains { $0.ended == nil && $0.worker.sync(\.isStarted) } }
    }

    /// The session of this process; nil if there is none, or if its delegate has heard of its end.
    var current: URLSession? { lock.withLock { session } }

    // MARK: From the session

    /// The delegate has heard that the session is invalid.
    func leave(_ state: SessionState) { lock.withLock { if session?.state === state { session = nil } } }

    /// A session was made: it gets what its identifier has.
    func attach(_ session: URLSession) {
        let kept = lock.withLock {
            self.session = session
            owesFinish = records.values.contains { $0.ended != nil }
            isCancelledByUser = false
            return records
        }
        var tasks: [(URLSessionTask, URLSessionTask)] = []
        // In which order they are told is not documented.
        let order = Liberties.pick("background.order", [1, -1])
        for (number, record) in kept.sorted(by: { $0.key * order < $1.key * order }) {
            let task: URLSessionTask =
                record.worker is URLSessionDownloadTask
                ? URLSessionDownloadTask(
                    session, identifier: number, request: record.worker.originalRequest, sink: .delegate)
                : URLSessionUploadTask(
                    session, identifier: number, request: record.worker.originalRequest, body: record.worker.body,
                    sink: .delegate)
            task.inherit(from: record.worker, description: record.description)
            session.state.add(task)
            tasks.append((task, record.worker))
        }
        let adopted = tasks
        // The delegate's queue may be the caller's.
        Thread.detachNewThread { [self] in
            for (task, worker) in adopted {
                usleep(UInt32(Liberties.delay("background.attach") * 1000))
                // Its end may have come just now.
                let ended = lock.withLock {
                    defer { if records[task.taskIdentifier]?.ended != nil { records[task.taskIdentifier] = nil } }
                    return records[task.taskIdentifier]?.ended
                }
                if let ended { task.hear(ended, from: worker) }
            }
            settle(session)
        }
    }

    func add(_ task: URLSessionTask) { lock.withLock { records[task.taskIdentifier] = Record(worker: task) } }

    func keep(description: String?, of task: URLSessionTask) {
        lock.withLock { records[task.taskIdentifier]?.description = description }
    }

    // MARK: From the transfers

    /// The worker has ended. True if nobody could be told, so that it is kept for the next session.
    func keep(_ worker: URLSessionTask, _ ended: Ended) -> Bool {
        lock.withLock {
            let isKept = worker.face.session.state.isDetached
            if isKept {
                // https://developer.apple.com/documentation/foundation/nsurlerrorbackgroundtaskcancelledreasonkey
                let reason = ["NSURLErrorBackgroundTaskCancelledReasonKey": 0]
                let error =
                    isCancelledByUser && ended.error != nil ? URLError(.cancelled, userInfo: reason) : ended.error
                records[worker.taskIdentifier]?.ended = Ended(file: ended.file, error: error)
            } else {
                records[worker.taskIdentifier] = nil
            }
            return isKept
        }
    }

    /// Its end was heard.
    func settle(_ session: URLSession) {
        let isDone = lock.withLock {
            guard owesFinish, records.isEmpty else { return false }
            owesFinish = false
            return true
        }
        guard isDone, let delegate = session.delegate else { return }
        usleep(UInt32(Liberties.delay("background.finish") * 1000))
        session.onDelegateQueue { [self] in
            _ = Unimplemented.isAnswered { delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session) }
            lock.withLock { finishes += 1 }
        }
    }

    // MARK: From the test

    func endApp() {
        let session = lock.withLock {
            defer { self.session = nil }
            return self.session
        }
        guard let session else { return }
        session.state.detach()
        session.state.hold(nil)
    }

    func cancelAll() {
        let workers = lock.withLock {
            isCancelledByUser = true
            return records.values.filter { $0.ended == nil }.map(\.worker)
        }
        workers.forEach { $0.cancel() }
    }
}
