package import NetCore

/// Finds what an operation leaves behind each time: descriptors, threads, tasks and objects.
///
/// ```swift
/// try await LeakChecker().check { watch in
///     let server = try MockServer()
///     watch.track(server)
///     await server.stop()
/// }
/// ```
///
/// The operation runs once, so that everything it makes only once exists, and then ``rounds`` times. Growth by one or more per round
/// is a leak. A pool that opens a few and keeps them is not.
///
/// **Descriptors and threads are counted for the whole process.** Run the check in a process of its own
/// (`#expect(processExitsWith: .success)`, `@Test(.ownProcess)`), or look for ``Kind/tasks`` and ``Kind/objects`` only.
///
/// **A task** is seen if the operation started it by `Task { … }`, `async let` or a group, and it still runs or waits after all rounds.
/// A detached task is not seen, since it does not inherit the task-local value.
package struct LeakChecker: Sendable {
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// Files, sockets and pipes that stay open.
        case descriptors
        /// Threads that do not end. Not counted on Apple's platforms, which do not give their number.
        case threads
        /// Tasks that do not end.
        case tasks
        /// Objects given to ``Watch/track(_:)`` that stay alive.
        case objects
    }

    /// The objects that an operation must release.
    package final class Watch: Sendable {
        private let objects = Locked<[(name: String, object: WeakReference)]>([])

        /// Requires that this object is gone after the operation.
        package func track(_ object: some AnyObject & Sendable) {
            objects.withLock { $0.append(("\(type(of: object))", WeakReference(object: object))) }
        }

        /// The types of the objects that are alive.
        fileprivate var living: [String] { objects.withLock { $0.filter { $0.object.object != nil }.map(\.name) } }
    }

    /// The number of counted runs.
    private let rounds: Int
    private let kinds: Set<Kind>
    /// The seconds of real time that something may take to end.
    private let timeout: TimeInterval

    /// Lives as long as a task that inherited it.
    private final class Tracer: Sendable {}
    @TaskLocal private static var tracer: Tracer?

    private struct WeakReference: Sendable {
        weak var object: (any AnyObject & Sendable)?
    }

    /// - Parameters:
    ///   - rounds: the number of counted runs, at least one. More rounds tell a leak from a pool more reliably.
    ///   - kinds: the kinds of leaks to look for.
    ///   - timeout: the seconds of real time that something may take to end.
    package init(rounds: Int = 10, of kinds: Set<Kind> = Set(Kind.allCases), timeout: TimeInterval = 10) {
        self.rounds = max(1, rounds)
        self.kinds = kinds
        self.timeout = timeout
    }

    /// Runs the operation and looks for leaks.
    ///
    /// - Throws: ``LeakFound``, `CancellationError`, and the errors of the operation.
    package func check(_ operation: @Sendable () async throws -> Void) async throws {
        try await check { _ in try await operation() }
    }

    /// Runs the operation, which gets a ``Watch`` to track objects with, and looks for leaks.
    package func check(_ operation: @Sendable (Watch) async throws -> Void) async throws {
        try await operation(Watch())
        let watch = Watch()
        let before = ResourceCensus()
        var tracers: [WeakReference] = []
        for _ in 0..<rounds { tracers.append(try await traced { try await operation(watch) }) }

        let clock = SystemClock()
        let deadline = clock.uptime + timeout
        while let leak = leak(since: before, watch, tracers) {
            guard clock.uptime < deadline else { throw leak }
            try await clock.sleep(for: 0.01)
        }
    }

    /// In a function of its own, so that only a task can hold the tracer after it.
    private func traced(_ operation: () async throws -> Void) async throws -> WeakReference {
        let tracer = Tracer()
        try await Self.$tracer.withValue(tracer) { try await operation() }
        return WeakReference(object: tracer)
    }

    private func leak(since before: ResourceCensus, _ watch: Watch, _ tracers: [WeakReference]) -> LeakFound? {
        var found = LeakFound(rounds: rounds)
        let now = kinds.isDisjoint(with: [.descriptors, .threads]) ? before : ResourceCensus()
        if kinds.contains(.descriptors), now.descriptors.count - before.descriptors.count >= rounds {
            found.descriptors = now.newDescriptors(since: before)
        }
        if kinds.contains(.threads), let now = now.threads, let before = before.threads, now - before >= rounds {
            found.threads = now - before
        }
        if kinds.contains(.tasks) { found.tasks = tracers.count { $0.object != nil } }
        if kinds.contains(.objects) { found.objects = watch.living }
        return found.isEmpty ? nil : found
    }
}

/// The leaks of all rounds together.
package struct LeakFound: Error, CustomStringConvertible {
    private let rounds: Int
    /// The new descriptors, each with its file or socket where the system tells.
    package fileprivate(set) var descriptors: [String] = []
    /// The number of additional threads.
    package fileprivate(set) var threads = 0
    /// The number of rounds that left a task.
    package fileprivate(set) var tasks = 0
    /// The types of the objects that are alive.
    package fileprivate(set) var objects: [String] = []

    fileprivate init(rounds: Int) { self.rounds = rounds }

    fileprivate var isEmpty: Bool { descriptors.isEmpty && threads == 0 && tasks == 0 && objects.isEmpty }

    package var description: String {
        let parts = [
            descriptors.isEmpty ? nil : "\(descriptors.count) descriptors (\(descriptors.joined(separator: ", ")))",
            threads == 0 ? nil : "\(threads) threads", tasks == 0 ? nil : "tasks of \(tasks) rounds",
            objects.isEmpty ? nil : "objects (\(objects.joined(separator: ", ")))",
        ]
        return "Left after \(rounds) rounds: \(parts.compactMap { $0 }.joined(separator: "; "))."
    }
}
