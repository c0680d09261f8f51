#if canImport(Dispatch)
    import Dispatch
#endif

/// Threads that may wait for a disk, so that Swift's own (one for each core) need not.
///
/// A small read from a warm file takes less than the way to another thread and back, and stays where it is. What may take
/// long comes here: syncing, bodies in pieces, walks through folders.
package struct IOQueue: Sendable {
    private let queue: DispatchQueue

    /// A queue of its own, for work that has an order.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    private static let lanes = (0..<4).map { IOQueue(label: "networking.io.\($0)") }
    private static let last = Locked(0)

    /// One of a few queues that all share: what one reader or writer does stays in order, and many of them take no more than
    /// four threads.
    package static func lane() -> IOQueue {
        lanes[
            last.withLock { last in
                last = (last + 1) % lanes.count
                return last
            }]
    }

    /// Does the work there, and waits for it.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { () throws(Failure) in try work() }) }
        }.get()
    }

    /// Does the work there some time.
    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
