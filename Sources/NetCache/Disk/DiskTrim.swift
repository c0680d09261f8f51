import NetCore

/// A walk through the folder of a ``DiskCache``: counts what is there, removes what crashed writers have left, and evicts
/// what is too old or too much. One process does so at a time; the others only count.
struct DiskTrim {
    let folder: DiskFolder
    let limits: DiskLimits

    private struct Item {
        let name: String
        let shard: String
        var bytes: Int64
        var used: Date
        var bodies: [String] = []
    }

    /// How much is left when there was too much, so that not every new entry needs a walk.
    private static let target = 0.9

    func run() -> DiskCache.Summary {
        var summary = DiskCache.Summary()
        // Without the folder there is nothing to do, and no reason to make it.
        let lock = try? DiskFile(folder.path + "/trim.lock", O_RDWR | O_CREAT)
        let mayRemove = lock?.lock(.exclusive) ?? false
        var items: [Item] = []
        Directory.forEachName(in: folder.path) { shard in
            guard shard.count == 3 else { return }
            items += scan(String(decoding: shard, as: UTF8.self), mayRemove: mayRemove, summary: &summary)
        }
        summary.entryCount = items.count
        summary.byteCount = items.reduce(0) { $0 + $1.bytes }
        if mayRemove { evict(items, summary: &summary) }
        return summary
    }

    private func scan(_ shard: String, mayRemove: Bool, summary: inout DiskCache.Summary) -> [Item] {
        var items: [String: Item] = [:]
        var bodies: [(name: String, bytes: Int64)] = []
        var temporaries: [String] = []
        Directory.forEachName(in: "\(folder.path)/\(shard)") { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            if name.hasSuffix(DiskName.temporarySuffix) {
                temporaries.append(name)
            } else if let status = Directory.status(of: folder.path(of: name, in: shard)) {
                if bytes.count == DiskName.length {
                    items[name] = Item(name: name, shard: shard, bytes: status.size, used: status.modified)
                } else if name.hasSuffix(DiskName.bodySuffix) {
                    bodies.append((name, status.size))
                }
            }
        }
        for body in bodies {
            let owner = String(body.name.prefix(DiskName.length))
            if items[owner] != nil, folder.find(owner, in: shard)?.record.bodyFile(of: owner) == body.name {
                items[owner]?.bytes += body.bytes
                items[owner]?.bodies.append(body.name)
            } else {
                temporaries.append(body.name)
            }
        }
        guard mayRemove else { return Array(items.values) }
        for name in temporaries where removeIfLeftBehind(name, in: shard) { summary.leftoverCount += 1 }
        return Array(items.values)
    }

    /// Removes a file that nobody is writing: a writer holds a lock, which ends with its process, however that ends.
    private func removeIfLeftBehind(_ name: String, in shard: String) -> Bool {
        let path = folder.path(of: name, in: shard)
        // Held until it is gone, so that no writer gets its lock in between: see `makeTemporary`.
        guard let file = try? DiskFile(path, O_RDONLY), file.lock(.exclusive) else { return false }
        if name.hasSuffix(DiskName.bodySuffix) {
            // Its writer may have come to its end since the head was read.
            let owner = String(name.prefix(DiskName.length))
            if folder.find(owner, in: shard)?.record.bodyFile(of: owner) == name { return false }
        }
        return Directory.remove(path)
    }

    private func evict(_ items: [Item], summary: inout DiskCache.Summary) {
        let now = folder.clock.now
        var kept = items
        let uses = folder.recency.uses
        for index in kept.indices {
            // One from the future was used before the clock was set back: it ages from now on.
            if kept[index].used.isAhead(of: now) {
                (try? DiskFile(folder.path(of: kept[index].name, in: kept[index].shard), O_RDONLY))?.touch(now)
                kept[index].used = now
            }
            if let used = uses[kept[index].name], !used.isAhead(of: now) {
                kept[index].used = max(kept[index].used, used)
            }
        }
        if let maxAge = limits.maxAge {
            kept.removeAll { item in
                guard now.timeIntervalSince(item.used) > maxAge else { return false }
                remove(item, summary: &summary)
                return true
            }
        }
        guard summary.byteCount > limits.maxBytes || summary.entryCount > limits.maxEntries else { return }
        let bytes = Int64(Double(limits.maxBytes) * Self.target)
        let entries = Int(Double(limits.maxEntries) * Self.target)
        for item in kept.sorted(by: { $0.used < $1.used }) {
            guard summary.byteCount > bytes || summary.entryCount > entries else { return }
            remove(item, summary: &summary)
        }
    }

    private func remove(_ item: Item, summary: inout DiskCache.Summary) {
        for name in [item.name] + item.bodies { Directory.remove(folder.path(of: name, in: item.shard)) }
        summary.entryCount -= 1
        summary.byteCount -= item.bytes
        summary.evictedCount += 1
    }
}

/// When this process used each entry, so that eviction counts every read and the disk is not written at each of them.
///
/// The time of last use is a file's time of change. It is written once a minute at most for an entry; what was read since is kept here,
/// and counts when this process evicts.
final class DiskRecency: Sendable {
    struct Use: Hashable {
        let key: DiskKey
        let id: String
    }

    private struct Times {
        var written: Date
        var used: Date
    }

    private static let interval: TimeInterval = 60
    /// More entries than that, and all are forgotten: that costs the order of a minute.
    private static let limit = 20_000

    private let times = Locked<[Use: Times]>([:])

    /// Notes a use.
    ///
    /// - Returns: whether the time has to be written to the file.
    func record(_ use: Use, at now: Date) -> Bool {
        times.withLock { times in
            if let known = times[use], abs(now.timeIntervalSince(known.written)) <= Self.interval {
                times[use]?.used = now
                return false
            }
            if times.count >= Self.limit { times = [:] }
            times[use] = Times(written: now, used: now)
            return true
        }
    }

    /// When this process used the entries last, by the names of their files.
    var uses: [String: Date] {
        let times = times.withLock { $0 }
        return Dictionary(times.map { (DiskName($0.key.key).file(id: $0.key.id), $0.value.used) }) { max($0, $1) }
    }
}
