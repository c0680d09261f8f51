/// Values by key, within a number of bytes and of entries. The least recently used is evicted first. An operation on one entry takes constant time.
/// The order is a doubly linked list through the slots of an array. So an entry needs no object, and a free slot is reused.
struct LRUStorage<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var bytes: Int
        var newer: Int?
        var older: Int?
    }

    private let maxBytes: Int
    private let maxEntries: Int
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var positions: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private(set) var byteCount = 0

    init(maxBytes: Int, maxEntries: Int) {
        self.maxBytes = maxBytes
        self.maxEntries = maxEntries
    }

    var count: Int { positions.count }

    /// Whether a value of that many bytes fits at all.
    func canHold(bytes: Int) -> Bool { bytes <= maxBytes && maxEntries > 0 }

    /// Returns the value, and makes it the most recently used.
    mutating func use(_ key: Key) -> Value? {
        guard let position = positions[key], let slot = slots[position] else { return nil }
        if newest != position {
            unlink(position)
            linkAsNewest(position)
        }
        return slot.value
    }

    /// Stores a value, and returns the keys of the oldest, evicted until it fits. A value beyond the limit only removes its outdated predecessor.
    @discardableResult
    mutating func set(_ value: Value, bytes: Int, for key: Key) -> [Key] {
        remove(key)
        guard canHold(bytes: bytes) else { return [] }
        let removed = trim(toBytes: maxBytes - bytes, entries: maxEntries - 1)
        let slot = Slot(key: key, value: value, bytes: bytes)
        let position = freeSlots.popLast() ?? slots.count
        if position < slots.count { slots[position] = slot } else { slots.append(slot) }
        positions[key] = position
        byteCount += bytes
        linkAsNewest(position)
        return removed
    }

    /// Evicts the oldest values until no more than that is left.
    mutating func trim(toBytes bytes: Int, entries: Int) -> [Key] {
        var removed: [Key] = []
        while count > entries || byteCount > bytes, let oldest, let slot = slots[oldest] {
            remove(slot.key)
            removed.append(slot.key)
        }
        return removed
    }

    mutating func remove(_ key: Key) {
        guard let position = positions.removeValue(forKey: key), let slot = slots[position] else { return }
        unlink(position)
        byteCount -= slot.bytes
        slots[position] = nil
        freeSlots.append(position)
    }

    /// Takes time proportional to the number of entries.
    mutating func removeAll(where shouldRemove: (Key, Value) -> Bool) {
        for case let slot? in slots where shouldRemove(slot.key, slot.value) { remove(slot.key) }
    }

    mutating func removeAll() { self = LRUStorage(maxBytes: maxBytes, maxEntries: maxEntries) }

    private mutating func unlink(_ position: Int) {
        guard let slot = slots[position] else { return }
        if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
        if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
    }

    private mutating func linkAsNewest(_ position: Int) {
        slots[position]?.newer = nil
        slots[position]?.older = newest
        if let newest { slots[newest]?.newer = position } else { oldest = position }
        newest = position
    }
}
