import NetCore

extension [ConnectionStatistics] {
    /// Returns one element for each origin, with the sums of those with that origin, sorted by origin.
    package var merged: [ConnectionStatistics] {
        reduce(into: [String: ConnectionStatistics]()) { merged, next in
            merged[next.origin, default: ConnectionStatistics(origin: next.origin)].add(next)
        }
        .values.sorted { $0.origin < $1.origin }
    }
}

extension ConnectionStatistics {
    fileprivate mutating func add(_ other: ConnectionStatistics) {
        openConnections += other.openConnections
        idleConnections += other.idleConnections
        openingConnections += other.openingConnections
        runningExchanges += other.runningExchanges
        waitingExchanges += other.waitingExchanges
    }
}
