import NetCore

/// Who waits for a turn: the more urgent first, and of the same urgency those who came first.
///
/// Nobody starves: after ``patience`` turns in a row that went to somebody who came later, the next goes to who has waited
/// longest, however low its priority. That is counted in turns and not in seconds, so that it holds at any speed.
struct WaitingLine<Waiter> {
    /// How many turns in a row may overtake.
    static var patience: Int { 7 }

    private struct Place {
        let id: UInt64
        let arrival: UInt64
    }

    private struct Lane {
        /// In the order of arrival; of those who have left, too, until there are too many of them.
        var places: [Place] = []
        var head = 0
        var count = 0
    }

    private var waiters: [UInt64: (waiter: Waiter, priority: RequestPriority)] = [:]
    private var low = Lane()
    private var normal = Lane()
    private var high = Lane()
    private var arrivals: UInt64 = 0
    private var overtakings = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }
    /// How many are kept in order, those who have left included.
    var placeCount: Int { low.places.count + normal.places.count + high.places.count }

    /// How many would be served before somebody of that priority who comes now.
    func count(before priority: RequestPriority) -> Int {
        switch priority {
        case .low: count
        case .normal: normal.count + high.count
        case .high: high.count
        }
    }

    /// - Parameter id: one that nobody else in this line has.
    mutating func append(_ waiter: Waiter, id: UInt64, priority: RequestPriority) {
        arrivals += 1
        let place = Place(id: id, arrival: arrivals)
        waiters[id] = (waiter, priority)
        withLane(of: priority) { lane, _ in
            lane.places.append(place)
            lane.count += 1
        }
    }

    /// Takes out who has its turn; nil if nobody waits.
    mutating func popNext() -> Waiter? {
        var urgent: Place?
        var oldest: Place?
        for priority in [RequestPriority.high, .normal, .low] {
            guard let head = head(of: priority) else { continue }
            urgent = urgent ?? head
            if head.arrival < oldest?.arrival ?? .max { oldest = head }
        }
        guard let urgent, let oldest else { return nil }
        if urgent.id == oldest.id || overtakings >= Self.patience {
            overtakings = 0
            return remove(oldest.id)
        }
        overtakings += 1
        return remove(urgent.id)
    }

    /// Takes out somebody who waits no longer; nil if it was not there.
    mutating func remove(_ id: UInt64) -> Waiter? {
        guard let (waiter, priority) = waiters.removeValue(forKey: id) else { return nil }
        withLane(of: priority) { lane, waiters in
            lane.count -= 1
            // Those who left are swept up when they are the greater part, so that each costs a constant.
            guard lane.places.count - lane.head > 2 * lane.count + 16 else { return }
            lane.places = lane.places[lane.head...].filter { waiters[$0.id] != nil }
            lane.head = 0
        }
        return waiter
    }

    private mutating func head(of priority: RequestPriority) -> Place? {
        withLane(of: priority) { lane, waiters in
            while lane.head < lane.places.count, waiters[lane.places[lane.head].id] == nil { lane.head += 1 }
            if lane.head < lane.places.count { return lane.places[lane.head] }
            lane.places.removeAll(keepingCapacity: true)
            lane.head = 0
            return nil
        }
    }

    private mutating func withLane<Result>(
        of priority: RequestPriority,
        _ body: (inout Lane, [UInt64: (waiter: Waiter, priority: RequestPriority)]) -> Result
    ) -> Result {
        switch priority {
        case .low: body(&low, waiters)
        case .normal: body(&normal, waiters)
        case .high: body(&high, waiters)
        }
    }
}
