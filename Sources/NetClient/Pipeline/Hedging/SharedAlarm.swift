import NetCore

/// Calls back after a delay, for very many callers who nearly all lose interest before: one task sleeps for all of them, since a task
/// and a timer for each cost more than the request that they watch.
///
/// All delays are the same, so on one clock the first that was set is the first that is due.
final class SharedAlarm: Sendable {
    /// Names an alarm that was set.
    struct ID: Sendable {
        fileprivate let clock: ObjectIdentifier
        fileprivate let number: UInt64
    }

    fileprivate struct Entry {
        let number: UInt64
        let due: TimeInterval
        /// Nil for one that was removed.
        var action: (@Sendable () -> Void)?
    }

    /// What was set on one clock. There is one as long as its sleeper is there.
    fileprivate struct Line {
        /// In the order in which they are due, and of their numbers.
        var entries: ArraySlice<Entry> = []
        var removedCount = 0
    }

    private struct State {
        var lines: [ObjectIdentifier: Line] = [:]
        var lastNumber: UInt64 = 0
    }

    /// In seconds, not negative.
    let delay: TimeInterval
    private let state = Locked(State())

    init(delay: TimeInterval) {
        self.delay = delay
    }

    /// How many are set and neither due nor removed.
    var count: Int {
        state.withLock { $0.lines.values.reduce(0) { $0 + $1.entries.count - $1.removedCount } }
    }

    /// How many are remembered, those that were removed included.
    var entryCount: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.entries.count } } }

    /// Sets an alarm.
    ///
    /// - Parameter action: called after the delay on no task of the caller's. Be quick.
    func set(on clock: any NetworkClock, action: @escaping @Sendable () -> Void) -> ID {
        let key = Self.identity(of: clock)
        let due = clock.uptime + delay
        let (id, isFirst) = state.withLock { state -> (ID, Bool) in
            state.lastNumber += 1
            let entry = Entry(number: state.lastNumber, due: due, action: action)
            let isFirst = state.lines[key] == nil
            state.lines[key, default: Line()].entries.append(entry)
            return (ID(clock: key, number: entry.number), isFirst)
        }
        if isFirst { startSleeping(on: clock, key) }
        return id
    }

    /// Forgets an alarm. Does nothing if it was due.
    func remove(_ id: ID) {
        state.withLock { state in
            guard let line = state.lines.index(forKey: id.clock) else { return }
            state.lines.values[line].remove(id.number)
        }
    }

    /// Detached from the caller, whose task-local values would be kept as long as it sleeps.
    private func startSleeping(on clock: any NetworkClock, _ key: ObjectIdentifier) {
        Task.detached { [weak self] in
            while let pause = self?.ring(at: clock.uptime, key) {
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    return
                }
            }
        }
    }

    /// Calls those who are due. Gives the time to the next, in seconds, or nil if there is none, and then the line is gone.
    private func ring(at now: TimeInterval, _ key: ObjectIdentifier) -> TimeInterval? {
        let (actions, pause) = state.withLock { state -> ([@Sendable () -> Void], TimeInterval?) in
            guard let index = state.lines.index(forKey: key) else { return ([], nil) }
            let actions = state.lines.values[index].takeDue(at: now)
            guard let next = state.lines.values[index].entries.first else {
                state.lines.remove(at: index)
                return (actions, nil)
            }
            return (actions, next.due - now)
        }
        for action in actions { action() }
        return pause
    }

    /// The same for the same clock: the object, or the type of a clock that is a value.
    private static func identity(of clock: any NetworkClock) -> ObjectIdentifier {
        let type = type(of: clock as Any)
        return type is AnyObject.Type ? ObjectIdentifier(clock as AnyObject) : ObjectIdentifier(type)
    }
}

extension SharedAlarm.Line {
    /// Entries that nobody wants any more are left in place, up to as many as there are others.
    fileprivate mutating func remove(_ number: UInt64) {
        var low = entries.startIndex
        var high = entries.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < entries.endIndex, entries[low].number == number, entries[low].action != nil else { return }
        entries[low].action = nil
        removedCount += 1
        if removedCount > 64, removedCount > entries.count / 2 {
            entries = ArraySlice(entries.filter { $0.action != nil })
            removedCount = 0
        }
    }

    fileprivate mutating func takeDue(at now: TimeInterval) -> [@Sendable () -> Void] {
        var actions: [@Sendable () -> Void] = []
        while let first = entries.first {
            if let action = first.action {
                guard first.due <= now else { break }
                actions.append(action)
            } else {
                removedCount -= 1
            }
            entries.removeFirst()
        }
        return actions
    }
}
