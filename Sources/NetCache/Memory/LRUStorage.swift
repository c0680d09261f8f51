import NetCore

/// Bodies by key, least recently used first out, within a number of bytes and of entries. Every operation on one entry takes
/// constant time.
///
/// The order is a doubly linked list through the slots of an array: no object for each entry, and a removed slot is used
/// again.
struct LRUStorage {
    struct Item {
        let data: Data
        let expireTime: Date?

        /// As seed 000 has it: good until that moment, and in it.
        func isExpired(at now: Date) -> Bool { expireTime.map { $0 < now } ?? false }
    }

    private struct Slot {
        var key: String
        var item: Item
        var newer: Int?
        var older: Int?
    }

    private let maxBytes: Int
    private let maxEntries: Int
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var positions: [String: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private(set) var byteCount = 0

    init(maxBytes: Int, maxEntries: Int) {
        self.maxBytes = maxBytes
        self.maxEntries = maxEntries
    }

    var count: Int { positions.count }

    /// The item, which becomes the most recently used.
    mutating func use(_ key: String) -> Item? {
        guard let position = positions[key], let slot = slots[position] else { return nil }
        if newest != position {
            unlink(position)
            linkAsNewest(position)
        }
        return slot.item
    }

    /// Stores an item, and lets the oldest go until it fits. What is larger than the whole is not stored; what was there
    /// under its key is gone all the same, since it is out of date.
    mutating func set(_ item: Item, for key: String) {
        remove(key)
        guard item.data.count <= maxBytes, maxEntries > 0 else { return }
        while count >= maxEntries || item.data.count > maxBytes - byteCount {
            guard let oldest, let slot = slots[oldest] else { return }
            remove(slot.key)
        }
        let slot = Slot(key: key, item: item)
        let position: Int
        if let free = freeSlots.popLast() {
            position = free
            slots[free] = slot
        } else {
            position = slots.count
            slots.append(slot)
        }
        positions[key] = position
        byteCount += item.data.count
        linkAsNewest(position)
    }

    mutating func remove(_ key: String) {
        guard let position = positions.removeValue(forKey: key), let slot = slots[position] else { return }
        unlink(position)
        byteCount -= slot.item.data.count
        slots[position] = nil
        freeSlots.append(position)
    }

    /// Takes time by the number of entries.
    mutating func removeAll(where shouldRemove: (Item) -> Bool) {
        for case let slot? in slots where shouldRemove(slot.item) { remove(slot.key) }
    }

    mutating func removeAll() {
        self = LRUStorage(maxBytes: maxBytes, maxEntries: maxEntries)
    }

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
