import NetCore

/// Runs revalidations in the background, one at a time for each stored response (RFC 5861, section 3). They end with the cache.
final class BackgroundWork: Sendable {
    /// The tasks by name; nil after the end.
    private let tasks = Locked<[String: Task<Void, Never>]?>([:])

    /// Runs an operation, unless one with that name already runs.
    func start(_ name: String, operation: @escaping @Sendable () async -> Void) {
        tasks.withLock { tasks in
            guard tasks != nil, tasks?[name] == nil else { return }
            // The task waits for this lock before it ends, so it is in the list by then.
            tasks?[name] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.tasks.withLock { $0?[name] = nil }
            }
        }
    }

    /// Cancels all operations, and starts no more.
    func end() {
        let running = tasks.withLock { tasks in
            defer { tasks = nil }
            return tasks
        }
        for task in (running ?? [:]).values { task.cancel() }
    }

    func wait() async {
        while let task = tasks.withLock({ $0?.first?.value }) { await task.value }
    }

    var count: Int { tasks.withLock { $0?.count ?? 0 } }
}
