public import NetCore

extension PendingOperationsQueue {
    /// Processes the queue whenever there may be a reason: now, when something is added, when the monitor says that the network is
    /// back, and after a failure that may pass, 5 s later, then 10 s and so on up to 5 minutes, or when the server's `Retry-After` says.
    /// Returns when the task is cancelled.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "/var/lib/shop/outbox")
    /// let queue = try await PendingOperationsQueue(fileURL: file, client: client)
    /// let sender = Task { await queue.run(monitor: ConnectionMonitor()) }
    /// ```
    public func run(monitor: any ConnectionMonitoring) async {
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = addWaker(waker)
        defer { removeWaker(id) }
        // Its first element is the status now: that begins the first pass.
        let news = Task {
            for await status in monitor.statuses where status.isReachable { waker.yield() }
        }
        var timer: Task<Void, Never>?
        defer {
            news.cancel()
            timer?.cancel()
        }
        let backoff = ExponentialBackoff(baseDelay: 5, backoffBase: 2, maxDelay: 300, jitter: 0.1)
        var failures = 0
        for await _ in wakes {
            timer?.cancel()
            timer = nil
            guard monitor.isReachable else { continue }
            guard let stop = await processAll().stop, !Task.isCancelled else {
                failures = 0
                continue
            }
            let delay = max(
                backoff.delay(for: failures, random: settings.random()),
                min(stop.secondsToWait(at: settings.clock.now) ?? 0, 3600))
            failures += 1
            timer = Task { [clock = settings.clock] in
                do {
                    try await clock.sleep(for: delay)
                    waker.yield()
                } catch {
                    // Cancelled: somebody else has woken us, or the run is over.
                }
            }
        }
    }
}
