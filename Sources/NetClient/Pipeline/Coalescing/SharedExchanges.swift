import NetCore

/// The exchanges of a coalescer that are under way, and who waits for each.
struct SharedExchanges {
    /// Unsafe, since each call has one; whoever takes the waiter out of here resumes it.
    typealias Continuation = UnsafeContinuation<SharedAnswer, any Error>

    struct Waiter {
        let id: UInt64
        let deadline: TimeInterval?
        let continuation: Continuation
    }

    struct Exchange {
        /// That of the waiter that began it.
        let id: UInt64
        let deadline: TimeInterval?
        var waiters: [Waiter]
        var task: Task<Void, Never>?
    }

    enum Entry {
        /// The first: it has to start the exchange.
        case started
        case joined
        /// There is one, and the waiter did not want to join.
        case busy
    }

    private var exchanges: [ExchangeKey: Exchange] = [:]
    private var lastID: UInt64 = 0

    var count: Int { exchanges.count }
    var waitingCount: Int { exchanges.values.reduce(0) { $0 + $1.waiters.count } }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func enter(_ key: ExchangeKey, _ waiter: Waiter, joins: Bool) -> Entry {
        guard let index = exchanges.index(forKey: key) else {
            exchanges[key] = Exchange(id: waiter.id, deadline: waiter.deadline, waiters: [waiter])
            return .started
        }
        guard joins else { return .busy }
        exchanges.values[index].waiters.append(waiter)
        return .joined
    }

    /// Keeps the task, to cancel it when nobody waits any more. False if that is so already.
    mutating func attach(_ task: Task<Void, Never>, to id: UInt64, _ key: ExchangeKey) -> Bool {
        guard exchanges[key]?.id == id else { return false }
        exchanges[key]?.task = task
        return true
    }

    /// Takes out a waiter, and the exchange with its last one.
    mutating func leave(_ key: ExchangeKey, id: UInt64) -> (Continuation?, abandoned: Task<Void, Never>?) {
        guard let index = exchanges.index(forKey: key),
            let place = exchanges.values[index].waiters.firstIndex(where: { $0.id == id })
        else { return (nil, nil) }
        let waiter = exchanges.values[index].waiters.remove(at: place)
        guard exchanges.values[index].waiters.isEmpty else { return (waiter.continuation, nil) }
        return (waiter.continuation, exchanges.remove(at: index).value.task)
    }

    /// Takes out an exchange that has ended; nil if nobody waited for it any more.
    mutating func finish(_ key: ExchangeKey, id: UInt64) -> Exchange? {
        guard exchanges[key]?.id == id else { return nil }
        return exchanges.removeValue(forKey: key)
    }
}

/// What a waiter gets.
enum SharedAnswer: Sendable {
    case response(TransportResponse)
    /// The exchange was for somebody else: send one of your own.
    case alone
    /// The exchange ran out of time that this waiter still has, or there was one that it has to wait for in another way.
    case again
}
