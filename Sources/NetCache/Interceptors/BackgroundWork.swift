import NetCore

/// Runs revalidations in the background, one at a time for each stored response (RFC 5861, section 3). They end with the cache.
final class BackgroundWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Locked(State())

    /// Runs an operation, unless one with that name already runs.
    func start(_ name: String, operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isEnded, state.tasks[name] == nil else { return }
            // The task waits for this lock before it ends, so it is in the list by then.
            state.tasks[name] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[name] = nil }
            }
        }
    }

    /// Cancels all operations, and starts no more.
    func end() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            state.isEnded = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
    }

    func wait() async {
        while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    }

    var count: Int { state.withLock { $0.tasks.count } }
}
