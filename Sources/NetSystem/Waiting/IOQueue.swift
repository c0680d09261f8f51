#if canImport(Dispatch)
    import Dispatch
#endif

/// A queue for blocking disk work, which must not block Swift's cooperative threads (one per core).
///
/// A small read of a cached file takes less time than a switch to another thread, and stays on the caller's. Slow work comes here: syncing,
/// bodies in chunks, walks through folders.
package struct IOQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a new serial queue.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    private static let lanes = (0..<4).map { IOQueue(label: "networking.io.\($0)") }
    private static let last = Locked(0)

    /// Returns one of four shared serial queues. The work of one reader or writer stays in order, and many of them use only four threads.
    package static func lane() -> IOQueue {
        lanes[
            last.withLock { last in
                last = (last + 1) % lanes.count
                return last
            }]
    }

    /// Runs the work on the queue and waits for its result.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { () throws(Failure) in try work() }) }
        }.get()
    }

    /// Starts the work on the queue without waiting.
    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
