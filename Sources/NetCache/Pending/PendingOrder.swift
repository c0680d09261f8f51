import NetCore

/// The operations of a queue by their names and in the order in which they were added.
struct PendingOrder {
    private var byID: [UUID: PendingOperation] = [:]
    /// By sequence. Removed operations stay until they are more than half.
    private var places: [(sequence: Int, id: UUID)] = []
    /// How many places were looked at since the beginning. Tests read it: a pass over the queue looks at each a few times.
    private(set) var visits = 0

    subscript(id: UUID) -> PendingOperation? { byID[id] }

    /// All, in order.
    var all: [PendingOperation] { places.compactMap { byID[$0.id] } }

    mutating func insert(_ operation: PendingOperation) {
        byID[operation.id] = operation
        let place = (operation.sequence, operation.id)
        if places.last.map({ $0.sequence < operation.sequence }) ?? true {
            places.append(place)
        } else {
            // Two that were added at the same time may be stored the other way round.
            places.insert(place, at: firstIndex(after: operation.sequence))
        }
    }

    /// Replaces an operation, unless it was removed.
    mutating func update(_ operation: PendingOperation) {
        if byID[operation.id] != nil { byID[operation.id] = operation }
    }

    mutating func remove(_ id: UUID) {
        guard byID.removeValue(forKey: id) != nil, places.count > 2 * byID.count + 16 else { return }
        visits += places.count
        places.removeAll { byID[$0.id] == nil }
    }

    /// The first operation behind a place that is to be sent.
    mutating func next(after sequence: Int) -> PendingOperation? {
        var index = firstIndex(after: sequence)
        while index < places.count {
            visits += 1
            if let operation = byID[places[index].id], operation.state != .failed { return operation }
            index += 1
        }
        return nil
    }

    private func firstIndex(after sequence: Int) -> Int {
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = places[middle].sequence > sequence ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
