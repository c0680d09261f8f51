public import NetCore

/// Requests that must reach the server some time, even if the device is offline now and the process ends before (seed 002).
///
/// ```swift
/// let file = URL(fileURLWithPath: "/var/lib/shop/outbox")
/// let queue = try await PendingOperationsQueue(fileURL: file, client: client)
/// try await queue.add(request)     // stored when this returns
/// await queue.processAll()
/// ```
///
/// **A promise.** When ``add(_:expiresIn:partition:)-(URLRequest,_,_)`` has returned, the operation survives a crash and a power
/// failure. Operations are sent in the order in which they were added, one at a time. Each goes out under an `Idempotency-Key` that
/// stays the same over retries and restarts: if the process ends between the server's answer and the note of it, the
/// operation is sent a second time, and a server that knows such keys does it once. After a power failure in the middle of a pass that may
/// be up to 64 operations, since what was sent is noted on the medium 64 at a time and at the end of the pass.
///
/// **What becomes of an operation:**
///
/// | Answer | Then |
/// |---|---|
/// | a status of 200 to 299 | it is gone from the queue |
/// | 409, 412 | the conflict hook decides |
/// | a failure that may pass: offline, a lost connection, 408, 425, 429, 5xx, an open circuit, a pinning failure | it is retried as `retryPolicy` says, then it waits for the next pass, and those behind it too |
/// | 401, 407 | it waits, and those behind it too: somebody has to sign in |
/// | any other status, a request that cannot be sent | it stays as ``PendingOperation/State/failed``, and those behind it are sent |
///
/// **Credentials.** The queue stores the request as its caller wrote it. Header fields whose names say that they hold a secret
/// (`Authorization`, `Cookie`, `X-API-Key`, `X-Auth-Token` …) are not stored, nor are a user name and a password in the URL, unless
/// `keepsCredentials` says so: the client prepares each operation anew when it is sent. The rest of the URL with its query, other fields
/// (`X-Tenant`) and bodies are stored in clear text, in files that only their owner can read.
///
/// **Users.** If the client names its user (``RequestContext/identity``), an operation is sent only while that user is signed in. Otherwise
/// it is held, and ``PendingOperationsQueue/Event/Kind/held`` says so.
public actor PendingOperationsQueue {
    /// What was found in the file when it was opened; nil for a storage of one's own.
    public nonisolated let recovery: PendingOperationsQueue.Recovery?

    let storage: any PendingOperationStorage
    let client: any HTTPSending
    let settings: Settings
    let passes = AsyncMutex()
    nonisolated let notices = PendingEventStreams()

    var order = PendingOrder()
    var lastSequence = 0
    private(set) var isClosed = false
    /// What sends just now.
    var pass: Task<Summary, Never>?
    private var wakers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWaker = 0

    /// How operations are sent.
    struct Settings: Sendable {
        let retryPolicy: RetryPolicy
        let attemptLimit: Int?
        let keepsCredentials: Bool
        let clock: any NetworkClock
        let random: @Sendable () -> Double
        let onConflict: @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution
    }

    /// Opens the queue in a file: see ``PendingOperationsJournal``.
    ///
    /// - Parameters:
    ///   - fileURL: it is made if it is not there. Not in a folder that the system empties.
    ///   - client: sends the operations: a `NetworkClient`.
    ///   - retryPolicy: when an operation that failed is sent again in the same pass, in place of the client's policy. With
    ///     ``RetryPolicy/none`` the client's own policy holds.
    ///   - attemptLimit: after how many failed attempts an operation becomes ``PendingOperation/State/failed``; nil for never. Attempts
    ///     while the device is offline do not count.
    ///   - keepsCredentials: whether fields with credentials are stored with the operations.
    ///   - clock: for expiry and delays.
    ///   - random: gives numbers from 0 to 1 for jitter; set it in tests.
    ///   - onConflict: decides about a 409 or 412; by default the operation is kept.
    /// - Throws: ``PendingOperationsQueue/Failure``.
    public init(
        fileURL: URL, client: any HTTPSending, retryPolicy: RetryPolicy = .default, attemptLimit: Int? = nil,
        keepsCredentials: Bool = false, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onConflict: @escaping @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution = { _ in .keep }
    ) async throws {
        let journal = try await PendingOperationsJournal(fileURL: fileURL)
        try await self.init(
            storage: journal, client: client, recovery: journal.recovery,
            settings: Settings(
                retryPolicy: retryPolicy, attemptLimit: attemptLimit, keepsCredentials: keepsCredentials, clock: clock,
                random: random, onConflict: onConflict))
    }

    /// A queue over a storage of one's own. The parameters are those of
    /// ``init(fileURL:client:retryPolicy:attemptLimit:keepsCredentials:clock:random:onConflict:)``.
    ///
    /// - Throws: what the storage throws when it is asked for its operations.
    public init(
        storage: any PendingOperationStorage, client: any HTTPSending, retryPolicy: RetryPolicy = .default,
        attemptLimit: Int? = nil, keepsCredentials: Bool = false, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onConflict: @escaping @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution = { _ in .keep }
    ) async throws {
        try await self.init(
            storage: storage, client: client, recovery: nil,
            settings: Settings(
                retryPolicy: retryPolicy, attemptLimit: attemptLimit, keepsCredentials: keepsCredentials, clock: clock,
                random: random, onConflict: onConflict))
    }

    private init(
        storage: any PendingOperationStorage, client: any HTTPSending, recovery: PendingOperationsQueue.Recovery?,
        settings: Settings
    ) async throws {
        self.storage = storage
        self.client = client
        self.recovery = recovery
        self.settings = settings
        var stored: [PendingOperation] = []
        for var operation in try await storage.load() {
            if operation.state == .sending { operation.state = .waiting }
            if !settings.keepsCredentials { operation.url = operation.url.withoutUserInformation }
            stored.append(operation)
        }
        stored.sort { $0.sequence < $1.sequence }
        for operation in stored { order.insert(operation) }
        lastSequence = stored.last?.sequence ?? 0
    }

    /// Ends the queue, so that another one can open its file.
    ///
    /// An operation that is being sent is cancelled and stays. ``processAll()`` and ``run(monitor:)`` return, ``events`` end, and later calls
    /// throw ``PendingOperationsQueue/Failure/closed``. When it returns, the file is free. Closing twice is fine.
    public func close() async {
        isClosed = true
        pass?.cancel()
        for waker in wakers.values { waker.finish() }
        // In a task of its own: the caller's may be cancelled, and then would not get its turn.
        let isLocked = await Task { [passes] in await passes.lock() }.value
        await storage.close()
        if isLocked { passes.unlock() }
        notices.end()
    }

    func checkOpen() throws(PendingOperationsQueue.Failure) {
        if isClosed { throw .closed }
    }

    // MARK: What is there

    /// The operations that are stored, in the order in which they were added.
    public var operations: [PendingOperation] {
        order.all
    }

    /// What happens from now on: a new stream each time. It ends with the queue. A listener that falls a thousand events behind
    /// misses the oldest.
    public nonisolated var events: AsyncStream<PendingOperationsQueue.Event> { notices.stream() }

    // MARK: For those who send

    /// The first operation behind a place that is to be sent.
    func next(after sequence: Int) -> PendingOperation? {
        isClosed ? nil : order.next(after: sequence)
    }

    func operation(_ id: UUID) -> PendingOperation? { order[id] }

    /// Notes how an operation is now, unless somebody has removed it meanwhile.
    func note(_ operation: PendingOperation) {
        order.update(operation)
    }

    /// Notes and stores how an operation is now.
    func store(_ operation: PendingOperation) async {
        guard order[operation.id] != nil else { return }
        order.update(operation)
        do {
            try await storage.save(operation)
        } catch {
            notices.send(.storageFailed(error), operation)
        }
    }

    /// Takes an operation out that is done with. It is not sent again by this process even if that cannot be stored.
    func finish(_ operation: PendingOperation) async {
        order.remove(operation.id)
        do {
            try await storage.removeSent(id: operation.id)
        } catch {
            notices.send(.storageFailed(error), operation)
        }
    }

    // MARK: Waking

    /// Elements come when there may be something to send.
    func addWaker(_ waker: AsyncStream<Void>.Continuation) -> Int {
        lastWaker += 1
        if isClosed { waker.finish() } else { wakers[lastWaker] = waker }
        return lastWaker
    }

    func removeWaker(_ id: Int) {
        wakers[id] = nil
    }

    func wake() {
        for waker in wakers.values { waker.yield() }
    }
}

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
