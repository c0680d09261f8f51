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
/// it is held, and ``PendingOperationEvent/Kind/held`` says so.
public actor PendingOperationsQueue {
    /// What was found in the file when it was opened; nil for a storage of one's own.
    public nonisolated let recovery: PendingOperationsJournal.Recovery?

    let storage: any PendingOperationStorage
    let client: any HTTPSending
    let settings: Settings
    let passes = AsyncMutex()
    nonisolated let notices = PendingOperationEvents()

    private(set) var order = PendingOrder()
    private var lastSequence = 0
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
        let onConflict: @Sendable (PendingConflict) async -> PendingConflict.Resolution
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
    /// - Throws: ``PendingOperationsError``.
    public init(
        fileURL: URL, client: any HTTPSending, retryPolicy: RetryPolicy = .default, attemptLimit: Int? = nil,
        keepsCredentials: Bool = false, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        onConflict: @escaping @Sendable (PendingConflict) async -> PendingConflict.Resolution = { _ in .keep }
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
        onConflict: @escaping @Sendable (PendingConflict) async -> PendingConflict.Resolution = { _ in .keep }
    ) async throws {
        try await self.init(
            storage: storage, client: client, recovery: nil,
            settings: Settings(
                retryPolicy: retryPolicy, attemptLimit: attemptLimit, keepsCredentials: keepsCredentials, clock: clock,
                random: random, onConflict: onConflict))
    }

    private init(
        storage: any PendingOperationStorage, client: any HTTPSending, recovery: PendingOperationsJournal.Recovery?,
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
    /// throw ``PendingOperationsError/closed``. When it returns, the file is free. Closing twice is fine.
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

    func checkOpen() throws(PendingOperationsError) {
        if isClosed { throw .closed }
    }

    // MARK: What is there

    /// The operations that are stored, in the order in which they were added.
    public var operations: [PendingOperation] {
        order.all
    }

    /// What happens from now on: a new stream each time. It ends with the queue. A listener that falls a thousand events behind
    /// misses the oldest.
    public nonisolated var events: AsyncStream<PendingOperationEvent> { notices.stream() }

    // MARK: Putting in, taking out

    /// Stores a request, to be sent later.
    ///
    /// - Parameters:
    ///   - request: its body has to be data, not a stream, of up to 64 MiB. An `Idempotency-Key` that it has is used; otherwise one is
    ///     made. What it says of timeouts and caches is not stored.
    ///   - lifetime: the seconds after which it is dropped; nil for no limit.
    ///   - partition: the user whose operation it is: see ``RequestContext/partition``. Nil for the user whom the client names now.
    /// - Returns: the operation, when it is stored for good.
    /// - Throws: ``PendingOperationsError``, ``NetworkError/invalidURL``, ``RequestBuildingError``. Then it is not stored.
    @discardableResult
    public func add(
        _ request: URLRequest, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(request, body: nil, expiresIn: lifetime, partition: partition)
    }

    func add(
        _ request: URLRequest, body: Data?, expiresIn lifetime: TimeInterval?, partition: String?
    ) async throws -> PendingOperation {
        try checkOpen()
        let content = try PendingOperation.Content(
            request, body: body, keepsCredentials: settings.keepsCredentials)
        lastSequence += 1
        let now = settings.clock.now
        let operation = PendingOperation(
            content, sequence: lastSequence, createdAt: now, expiresAt: lifetime.map { now.addingTimeInterval($0) },
            partition: partition, owner: client.ownerName(for: request))
        try await storage.save(operation)
        order.insert(operation)
        notices.send(.added, operation)
        wake()
        return operation
    }

    /// Takes an operation out. One that is being sent may reach the server all the same.
    ///
    /// - Throws: what the storage throws; then it stays.
    public func remove(_ id: PendingOperation.ID) async throws {
        try checkOpen()
        guard let operation = order[id] else { return }
        try await storage.remove(id: id)
        order.remove(id)
        notices.send(.removed, operation)
    }

    /// Makes a failed operation wait again, to be sent in its old place.
    ///
    /// - Throws: what the storage throws.
    public func retry(_ id: PendingOperation.ID) async throws {
        try checkOpen()
        guard var operation = order[id], operation.state == .failed else { return }
        operation.state = .waiting
        operation.attempts = 0
        try await storage.save(operation)
        order.update(operation)
        wake()
    }

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

    private func wake() {
        for waker in wakers.values { waker.yield() }
    }
}
