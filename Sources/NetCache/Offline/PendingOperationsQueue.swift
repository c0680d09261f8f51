public import NetCore

/// Sends requests that must reach the server, even if the device is offline now and the process ends before.
///
/// ```swift
/// let file = URL(fileURLWithPath: "/var/lib/shop/outbox")
/// let queue = try await PendingOperationsQueue(fileURL: file, client: client)
/// try await queue.add(request)     // stored when this returns
/// await queue.processAll()
/// ```
///
/// **Guarantee.** When ``add(_:expiresIn:partition:)-(URLRequest,_,_)`` has returned, the operation survives a crash and a power
/// failure. Operations are sent one at a time, in the order in which they were added. Each has an `Idempotency-Key` that stays
/// the same over retries and restarts. If the process ends between the server's response and its record, the operation is sent a
/// second time, and a server that supports such keys executes it once. After a power failure in the middle of a pass, up to 64
/// operations may be sent a second time, since removals are synced 64 at a time and at the end of the pass.
///
/// **Outcome of an operation:**
///
/// | Response | Then |
/// |---|---|
/// | a status of 200 to 299 | the queue removes it |
/// | 409, 412 | the conflict hook decides |
/// | a temporary failure: offline, a lost connection, 408, 425, 429, 5xx, an open circuit, a pinning failure | the queue retries it as `retryPolicy` says; then it waits for the next pass, with those behind it |
/// | 401, 407 | it waits, with those behind it, until the user signs in |
/// | any other status, a request that cannot be sent | it stays as ``PendingOperation/State/failed``, and those behind it are sent |
///
/// **Credentials.** The queue stores the request as its caller wrote it, but no header fields whose names indicate a secret (`Authorization`,
/// `Cookie`, `X-API-Key`, `X-Auth-Token` …), nor the URL's user information, unless `keepsCredentials` is set. The client adds credentials when it
/// sends an operation. The rest of the URL with its query, other fields (`X-Tenant`) and bodies are stored in clear text, in files with mode 0600.
///
/// **Users.** If the client names its user (``RequestContext/identity``), an operation is sent only while that user is signed in.
/// Otherwise the queue holds it, and sends ``PendingOperationsQueue/Event/Kind/held``.
///
/// **File.** The queue appends a record to its file for each change, and syncs it before a method returns. Opening the file cuts off a record that
/// was not finished. Of a damaged file the queue keeps all whole records, and a copy of the file as `….damaged`: see ``recovery``. Processes may
/// share a file, such as an app and its extension: each may add operations, and one at a time sends them. Nothing is locked between passes.
///
/// **A full disk.** Adding an operation fails. A removal needs no space. If an outcome cannot be stored, the pass ends with the storage's error, and
/// the next pass begins with storing it.
public actor PendingOperationsQueue {
    /// The state of the file when the queue was opened; nil for another storage.
    public nonisolated let recovery: Recovery?

    let storage: any PendingOperationsQueue.Storage
    let client: any HTTPSending
    let retryPolicy: RetryPolicy
    let attemptLimit: Int?
    let keepsCredentials: Bool
    let clock: any NetworkClock
    let random: @Sendable () -> Double
    let onConflict: @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution
    let passes = AsyncMutex()
    /// Held during each call of the storage, and until ``stored`` has the change. In between, this process would miss what another one sends.
    let contents = AsyncMutex()
    nonisolated let eventStreams = Broadcast<Event>()
    /// Sends an element when there may be something to send.
    let wakes = Broadcast<Void>()

    /// The operations, as this process knows them.
    var stored: [PendingOperation.ID: PendingOperation] = [:]
    var lastSequence: Int64 = 0
    /// A completed operation whose removal is not stored, and what it counts as.
    var unstored: (operation: PendingOperation, count: WritableKeyPath<Summary, Int>)?
    private(set) var isClosed = false
    var pass: Task<Summary, Never>?

    /// Opens the queue in a file.
    ///
    /// - Parameters:
    ///   - fileURL: the file, which is created if it does not exist. Do not choose a folder that the system empties.
    ///   - client: the client that sends the operations, such as a `NetworkClient`.
    ///   - retryPolicy: the retries within a pass. It replaces the client's policy. With ``RetryPolicy/none`` the client's own policy applies.
    ///   - attemptLimit: the number of failed attempts after which an operation becomes ``PendingOperation/State/failed``; nil
    ///     for no limit. Attempts while the device is offline do not count.
    ///   - keepsCredentials: whether to store header fields with credentials.
    ///   - clock: the clock for expiry and delays.
    ///   - random: returns numbers from 0 to 1 for jitter. Set it in tests.
    ///   - onConflict: decides about a 409 or 412. By default the queue keeps the operation.
    /// - Throws: ``PendingOperationsQueue/Failure``.
    public init(
        fileURL: URL, client: any HTTPSending, retryPolicy: RetryPolicy = .default, attemptLimit: Int? = nil,
        keepsCredentials: Bool = false, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onConflict: @escaping @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution = {
            _ in .keep
        }
    ) async throws {
        try await self.init(
            storage: PendingOperationsJournal(fileURL: fileURL), client: client, retryPolicy: retryPolicy,
            attemptLimit: attemptLimit, keepsCredentials: keepsCredentials, clock: clock, random: random,
            onConflict: onConflict)
    }

    /// Creates a queue over another storage. For the parameters see
    /// ``init(fileURL:client:retryPolicy:attemptLimit:keepsCredentials:clock:random:onConflict:)``.
    ///
    /// - Throws: the error of the storage's ``PendingOperationsQueue/Storage/load()``.
    public init(
        storage: any PendingOperationsQueue.Storage, client: any HTTPSending, retryPolicy: RetryPolicy = .default,
        attemptLimit: Int? = nil, keepsCredentials: Bool = false, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onConflict: @escaping @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution = {
            _ in .keep
        }
    ) async throws {
        self.storage = storage
        self.client = client
        recovery = (storage as? PendingOperationsJournal)?.recovery
        (self.retryPolicy, self.attemptLimit, self.keepsCredentials) = (retryPolicy, attemptLimit, keepsCredentials)
        (self.clock, self.random, self.onConflict) = (clock, random, onConflict)
        merge(try await storage.load())
    }

    /// Closes the queue and its file.
    ///
    /// The operation that is being sent is cancelled and stays in the queue. ``processAll()`` and ``run(monitor:)`` return, ``events`` end, and later
    /// calls throw ``PendingOperationsQueue/Failure/closed``. When this method returns, another queue may send them. Closing twice is allowed.
    public func close() async {
        let isFirst = !isClosed
        isClosed = true
        pass?.cancel()
        wakes.finish()
        await passes.lockEvenIfCancelled()
        await contents.lockEvenIfCancelled()
        if isFirst { await storage.close() }
        contents.unlock()
        passes.unlock()
        eventStreams.finish()
    }

    func checkOpen() throws(PendingOperationsQueue.Failure) { if isClosed { throw .closed } }

    // MARK: Contents

    /// The stored operations, in the order in which they were added. Changes by another process appear with the next pass.
    public var operations: [PendingOperation] { stored.inOrder }

    /// The events from now on, as a new stream for each call. It ends with the queue. A listener that falls 1000 events behind misses the oldest.
    public nonisolated var events: AsyncStream<Event> { eventStreams.stream(bufferingNewest: 1000) }

    // MARK: Used by a pass

    /// Learns what other processes have changed. Throws the storage's error.
    func refresh() async throws {
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        if let operations = try await storage.prepareToSend() { merge(operations) }
    }

    func insert(_ operation: PendingOperation) async throws {
        // A cancelled caller does not change what is stored.
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        try checkOpen()
        try await storage.save(operation)
        stored[operation.id] = operation
    }

    private func merge(_ operations: [PendingOperation]) {
        stored = [:]
        for var operation in operations {
            if operation.state == .sending { operation.state = .waiting }
            if !keepsCredentials { operation.content.url = operation.url.withoutUserInformation }
            stored[operation.id] = operation
        }
        lastSequence = max(lastSequence, operations.map(\.sequence).max() ?? 0)
    }

    func report(_ kind: Event.Kind, _ operation: PendingOperation) {
        eventStreams.send(Event(operation: operation, kind: kind))
    }

    /// Updates an operation, unless it was removed meanwhile.
    func note(_ operation: PendingOperation) { if stored[operation.id] != nil { stored[operation.id] = operation } }

    /// Updates and stores an operation, unless it was removed meanwhile. If that fails, the pass ends. Returns whether it is stored.
    @discardableResult
    func store(_ operation: PendingOperation, summary: inout Summary) async -> Bool {
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        guard stored[operation.id] != nil else { return false }
        stored[operation.id] = operation
        do {
            try await storage.save(operation)
            return true
        } catch {
            stop(operation, dueTo: error, summary: &summary)
            return false
        }
    }

    /// Removes a completed operation. If that cannot be stored, the pass ends, and the operation, not sent again, counts in the pass that stores it.
    func finish(_ operation: PendingOperation, as count: WritableKeyPath<Summary, Int>, summary: inout Summary) async {
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        stored[operation.id] = nil
        do {
            try await storage.removeSent(id: operation.id)
            unstored = nil
            summary[keyPath: count] += 1
        } catch {
            unstored = (operation, count)
            stop(operation, dueTo: error, summary: &summary)
        }
    }

    private func stop(_ operation: PendingOperation, dueTo error: any Error, summary: inout Summary) {
        report(.storageFailed(error), operation)
        summary.stop = failure(error)
    }

    func failure(_ error: any Error, of request: URLRequest? = nil) -> NetworkFailure {
        NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
    }
}

extension PendingOperationsQueue {
    /// Processes the queue until the task is cancelled. A pass starts now, when an operation is added, when the monitor reports a connection, and
    /// after a temporary failure: 5 s later, then 10 s and so on up to 5 minutes, or after the server's `Retry-After`.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "/var/lib/shop/outbox")
    /// let queue = try await PendingOperationsQueue(fileURL: file, client: client)
    /// let sender = Task { await queue.run(monitor: ConnectionMonitor()) }
    /// ```
    public func run(monitor: any ConnectionMonitoring) async {
        let reasons = wakes.stream(bufferingNewest: 1)
        // The first element is the current status, which starts the first pass.
        let monitoring = Task { [wakes] in
            for await status in monitor.statuses where status.isReachable { wakes.send(()) }
        }
        var timer: Task<Void, Never>?
        defer {
            monitoring.cancel()
            timer?.cancel()
        }
        let backoff = ExponentialBackoff(baseDelay: 5, backoffBase: 2, maxDelay: 300, jitter: 0.1)
        var failures = 0
        for await _ in reasons {
            timer?.cancel()
            timer = nil
            guard monitor.isReachable else { continue }
            guard let stop = await processAll().stop, !Task.isCancelled else {
                failures = 0
                continue
            }
            let delay = max(
                backoff.delay(for: failures, random: random()),
                min(stop.secondsToWait(at: clock.now) ?? 0, 3600))
            failures += 1
            timer = Task { [wakes, clock] in
                // Cancelled if another event has started a pass, or the run has ended.
                if (try? await clock.sleep(for: delay)) != nil { wakes.send(()) }
            }
        }
    }
}
