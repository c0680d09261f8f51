/// What a session knows of its tasks, its delegate and its connections.
final class SessionState: @unchecked Sendable {
    private let lock = NSLock()
    private let connectionsPerHost: Int
    private var held: (any URLSessionDelegate)?
    /// The session while nobody has invalidated it: as on Apple's systems it lives, and its delegate with it.
    private var session: URLSession?
    private var table: [Int: URLSessionTask] = [:]
    private var lastNumber = 0
    private var isFinishing = false
    private var detached = false
    private var idle: [Connection] = []
    private var running: [String: Int] = [:]
    private var waiting: [String: [URLSessionTask]] = [:]

    init(_ delegate: (any URLSessionDelegate)?, connectionsPerHost: Int) {
        held = delegate
        self.connectionsPerHost = max(1, connectionsPerHost)
    }

    // MARK: The delegate

    var delegate: (any URLSessionDelegate)? { lock.withLock { held } }

    func forgetDelegate() {
        _ = lock.withLock {
            defer { held = nil }
            return held
        }
    }

    /// Keeps the session, or no longer.
    func hold(_ session: URLSession?) {
        // Released after the lock.
        _ = lock.withLock {
            defer { self.session = session }
            return self.session
        }
    }

    /// Whether the process that made this background session has ended, in the harness's play.
    var isDetached: Bool { lock.withLock { detached } }

    func detach() {
        lock.withLock { detached = true }
        forgetDelegate()
    }

    // MARK: Tasks

    var tasks: [URLSessionTask] { lock.withLock { table.values.sorted { $0.taskIdentifier < $1.taskIdentifier } } }

    /// Nil if there may be no more.
    func nextNumber() -> Int? {
        lock.withLock {
            guard !isFinishing else { return nil }
            lastNumber += 1
            return lastNumber
        }
    }

    func add(_ task: URLSessionTask) {
        lock.withLock {
            table[task.taskIdentifier] = task
            lastNumber = max(lastNumber, task.taskIdentifier)
        }
    }

    /// True if that was the last one of a session that is to end.
    func remove(_ task: URLSessionTask) -> Bool {
        lock.withLock {
            let isLast = table.removeValue(forKey: task.taskIdentifier) != nil && table.isEmpty
            return isLast && isFinishing
        }
    }

    /// No new tasks. True if there are none any more, and if that is news.
    func finish() -> Bool {
        lock.withLock {
            defer { isFinishing = true }
            return !isFinishing && (table.isEmpty || detached)
        }
    }

    // MARK: Connections

    /// Whether the task may begin: at most so many at a time for a host.
    func admit(_ task: URLSessionTask, to host: String) -> Bool {
        lock.withLock {
            if running[host, default: 0] < connectionsPerHost {
                running[host, default: 0] += 1
                return true
            }
            waiting[host, default: []].append(task)
            return false
        }
    }

    /// The next one, which takes the place of one that has ended.
    func leave(_ host: String) -> URLSessionTask? {
        lock.withLock {
            if let next = waiting[host]?.first {
                waiting[host]?.removeFirst()
                return next
            }
            running[host, default: 1] -= 1
            if running[host] == 0 { running[host] = nil }
            waiting[host] = nil
            return nil
        }
    }

    /// Whether it was waiting.
    func stopWaiting(_ task: URLSessionTask, for host: String) -> Bool {
        lock.withLock {
            guard let index = waiting[host]?.firstIndex(where: { $0 === task }) else { return false }
            waiting[host]?.remove(at: index)
            return true
        }
    }

    /// One that may have a connection to that host, or any, or a new one.
    func takeConnection(to host: String) -> Connection {
        let found: Connection? = lock.withLock {
            guard let index = idle.lastIndex(where: { $0.host == host }) else { return nil }
            return idle.remove(at: index)
        }
        let connection = found ?? Connection()
        connection.host = host
        return connection
    }

    func putBack(_ connection: Connection) {
        let surplus: Connection? = lock.withLock {
            idle.append(connection)
            return idle.count > 32 ? idle.removeFirst() : nil
        }
        _ = surplus
    }
}
