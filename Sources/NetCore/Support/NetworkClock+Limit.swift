extension NetworkClock {
    /// Runs an operation, and cancels it when the time is up.
    ///
    /// - Parameter seconds: by this clock.
    /// - Returns: what the operation gives, or nil if it was cancelled for the time.
    /// - Throws: what the operation throws, or `CancellationError` if the task is cancelled.
    package func limit<Value: Sendable>(
        to seconds: TimeInterval, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await sleep(for: seconds)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
