public import NetCore

/// Finds what an operation leaves behind each time: descriptors, threads, tasks and objects.
///
/// ```swift
/// try await LeakChecker().check {
///     let client = NetworkClient()
///     _ = try await client.data(for: URLRequest(url: url))
///     await client.shutdown()
/// }
/// ```
///
/// The operation runs once, so that what is made once and kept is there, and then ``rounds`` times. What has grown by one a round, or more,
/// is a leak: a pool that opens a few and keeps them is none.
///
/// **Descriptors and threads are counted for the whole process.** Let nothing else run meanwhile: take a process of its own
/// (`#expect(processExitsWith: .success)`), or ask for ``Kind/tasks`` and ``Kind/objects`` only, which are the operation's own.
///
/// **A task** is seen if it was started within the operation by `Task { … }`, `async let` or a group, and still lives when all rounds are over:
/// it runs, or waits for what never comes. One by `Task.detached` is not seen, since it inherits nothing.
public struct LeakChecker: Sendable {
    /// What can leak.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Files, sockets and pipes that stay open.
        case descriptors
        /// Threads that do not end. Not counted on Apple's platforms, which do not tell.
        case threads
        /// Tasks that do not end.
        case tasks
        /// Objects that were given to ``Watch/track(_:)`` and live on.
        case objects
    }

    /// What the operation gets.
    public final class Watch: Sendable {
        private struct Weak: Sendable {
            weak var object: (any AnyObject & Sendable)?
        }

        private let objects = Locked<[(name: String, object: Weak)]>([])

        /// Demands that this object is gone when the operation is over.
        public func track(_ object: some AnyObject & Sendable) {
            objects.withLock { $0.append(("\(type(of: object))", Weak(object: object))) }
        }

        /// The types of those that live.
        var living: [String] { objects.withLock { $0.filter { $0.object.object != nil }.map(\.name) } }
    }

    /// How often the operation runs and is counted.
    public let rounds: Int
    /// What is looked at.
    public let kinds: Set<Kind>
    /// How many seconds of real time what is about to end may take.
    public let timeout: TimeInterval

    /// Lives as long as a task that has inherited it.
    private final class Tracer: Sendable {}
    @TaskLocal private static var tracer: Tracer?

    private struct Weak: Sendable {
        weak var tracer: Tracer?
    }

    /// A checker.
    ///
    /// - Parameters:
    ///   - rounds: how often the operation runs and is counted, at least once. More rounds tell a leak from a pool more surely.
    ///   - kinds: what is counted.
    ///   - timeout: how long to wait for what is still on its way out, in seconds of real time.
    public init(rounds: Int = 10, of kinds: Set<Kind> = Set(Kind.allCases), timeout: TimeInterval = 10) {
        self.rounds = max(1, rounds)
        self.kinds = kinds
        self.timeout = timeout
    }

    /// Runs the operation, and looks at what it leaves behind.
    ///
    /// - Throws: ``LeakFound``, `CancellationError`, and what the operation throws.
    public func check(_ operation: @Sendable () async throws -> Void) async throws {
        try await check { _ in try await operation() }
    }

    /// Runs the operation, which gets a ``Watch`` to name objects with, and looks at what it leaves behind.
    public func check(_ operation: @Sendable (Watch) async throws -> Void) async throws {
        try await operation(Watch())
        let watch = Watch()
        let before = ProcessResources()
        var tracers: [Weak] = []
        for _ in 0..<rounds { tracers.append(try await traced { try await operation(watch) }) }

        let clock = SystemClock()
        let deadline = clock.uptime + timeout
        while let leak = leak(since: before, watch, tracers) {
            guard clock.uptime < deadline else { throw leak }
            try await clock.sleep(for: 0.01)
        }
    }

    /// In a function of its own, so that nobody but a task can hold the tracer when it is over.
    private func traced(_ operation: () async throws -> Void) async throws -> Weak {
        let tracer = Tracer()
        try await Self.$tracer.withValue(tracer) { try await operation() }
        return Weak(tracer: tracer)
    }

    private func leak(since before: ProcessResources, _ watch: Watch, _ tracers: [Weak]) -> LeakFound? {
        var found = LeakFound(rounds: rounds)
        let now = kinds.isDisjoint(with: [.descriptors, .threads]) ? before : ProcessResources()
        if kinds.contains(.descriptors), now.descriptors.count - before.descriptors.count >= rounds {
            found.descriptors = now.descriptors.filter { before.descriptors[$0.key] != $0.value }
                .sorted { $0.key < $1.key }.map { "\($0.key) → \($0.value)" }
        }
        if kinds.contains(.threads), let now = now.threads, let before = before.threads, now - before >= rounds {
            found.threads = now - before
        }
        if kinds.contains(.tasks) { found.tasks = tracers.count { $0.tracer != nil } }
        if kinds.contains(.objects) { found.objects = watch.living }
        return found.isEmpty ? nil : found
    }
}

/// What an operation has left behind, all rounds together.
public struct LeakFound: Error, Sendable, CustomStringConvertible {
    /// How often the operation ran.
    public let rounds: Int
    /// The descriptors that were not there before, each with what it stands for, where the system tells.
    public internal(set) var descriptors: [String] = []
    /// How many threads more there are.
    public internal(set) var threads = 0
    /// How many rounds have left a task that did not end.
    public internal(set) var tasks = 0
    /// The types of the objects that live.
    public internal(set) var objects: [String] = []

    init(rounds: Int) {
        self.rounds = rounds
    }

    var isEmpty: Bool { descriptors.isEmpty && threads == 0 && tasks == 0 && objects.isEmpty }

    /// What was found, in one sentence.
    public var description: String {
        let parts = [
            descriptors.isEmpty ? nil : "\(descriptors.count) descriptors (\(descriptors.joined(separator: ", ")))",
            threads == 0 ? nil : "\(threads) threads", tasks == 0 ? nil : "tasks of \(tasks) rounds",
            objects.isEmpty ? nil : "objects (\(objects.joined(separator: ", ")))",
        ]
        return "After \(rounds) rounds there are left: \(parts.compactMap { $0 }.joined(separator: "; "))."
    }
}
