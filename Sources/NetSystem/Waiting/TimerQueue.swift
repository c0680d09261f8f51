import Dispatch

extension TimeInterval {
    /// A hundred years, in seconds: more than anyone waits, and its nanoseconds fit in 64 bits.
    package static let longestWait: TimeInterval = 100 * 365 * 86_400
}

/// Calls functions at their times. One timer of Dispatch serves the whole process, since most deadlines are cancelled before they come.
package final class TimerQueue: Sendable {
    package static let shared = TimerQueue()

    /// A function that has not been called. Give it to ``cancel(_:)`` once.
    package struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    fileprivate struct Slot {
        var number: UInt64
        /// The place in the heap.
        var place: Int
        var action: @Sendable () -> Void
    }

    fileprivate struct State {
        /// A binary heap with the earliest time at its top: times of `DispatchTime`, and indices of slots.
        var heap: [(due: UInt64, slot: Int)] = []
        var slots: [Slot?] = []
        var free: [Int] = []
        var lastNumber: UInt64 = 0
        /// When the timer comes; the largest number if it does not.
        var scheduled = UInt64.max
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "net.timers"))
    }

    private let state = Locked(State())

    private init() {
        state.withLock { state in
            state.timer.setEventHandler { [unowned self] in fire() }
            state.timer.activate()
        }
    }

    /// Calls a function on a thread of Dispatch after so many seconds, at most a hundred years, unless it is cancelled before.
    package func schedule(after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) -> Ticket {
        let wait = max(0, min(seconds, .longestWait))
        let due = DispatchTime.now().uptimeNanoseconds + UInt64(wait * 1_000_000_000)
        return state.withLock { state in
            defer { schedule(&state) }
            return state.insert(due, action)
        }
    }

    /// Returns whether it was in time: false if the function has been called, or is about to be.
    @discardableResult
    package func cancel(_ ticket: Ticket) -> Bool {
        // The timer stays: mostly another function is due a little later.
        state.withLock { state in
            guard let slot = state.slots[ticket.slot], slot.number == ticket.number else { return false }
            _ = state.remove(at: slot.place)
            return true
        }
    }

    private func schedule(_ state: inout State) {
        guard let first = state.heap.first?.due, first < state.scheduled else { return }
        state.scheduled = first
        state.timer.schedule(deadline: DispatchTime(uptimeNanoseconds: first), leeway: .milliseconds(1))
    }

    private func fire() {
        let due = state.withLock { state in
            let now = DispatchTime.now().uptimeNanoseconds
            var due: [@Sendable () -> Void] = []
            while let first = state.heap.first, first.due <= now {
                if let action = state.remove(at: 0) { due.append(action) }
            }
            state.scheduled = .max
            schedule(&state)
            return due
        }
        // Handlers of a cancellation may take long.
        for action in due { DispatchQueue.global().async(execute: action) }
    }
}

extension TimerQueue.State {
    fileprivate mutating func insert(_ due: UInt64, _ action: @escaping @Sendable () -> Void) -> TimerQueue.Ticket {
        lastNumber += 1
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = TimerQueue.Slot(number: lastNumber, place: heap.count, action: action)
        heap.append((due, slot))
        moveUp(heap.count - 1)
        return TimerQueue.Ticket(slot: slot, number: lastNumber)
    }

    fileprivate mutating func remove(at place: Int) -> (@Sendable () -> Void)? {
        let slot = heap[place].slot
        let last = heap.removeLast()
        if place < heap.count {
            set(last, at: place)
            moveUp(place)
            moveDown(place)
        }
        let action = slots[slot]?.action
        slots[slot] = nil
        free.append(slot)
        return action
    }

    private mutating func set(_ item: (due: UInt64, slot: Int), at place: Int) {
        heap[place] = item
        slots[item.slot]?.place = place
    }

    private mutating func moveUp(_ start: Int) {
        var place = start
        while place > 0, heap[place].due < heap[(place - 1) / 2].due { place = exchange(place, (place - 1) / 2) }
    }

    private mutating func moveDown(_ start: Int) {
        var place = start
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
            guard heap[child].due < heap[place].due else { return }
            place = exchange(place, child)
        }
    }

    /// Returns the second place, where the first item is now.
    private mutating func exchange(_ place: Int, _ other: Int) -> Int {
        let item = heap[place]
        set(heap[other], at: place)
        set(item, at: other)
        return other
    }
}
