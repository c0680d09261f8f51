import NetCore

extension DiskCache {
    /// The load of the folder at the last walk, and what this process has written since. It decides when to walk again.
    struct Load {
        var bytes: Int64 = 0
        var entries = 0
        var bytesSince: Int64 = 0
        var entriesSince = 0
        var isTrimming = false
    }

    /// Counts an entry, and starts a walk in the background if one is due.
    func count(bytes: Int64) {
        load.withLock { load in
            load.bytesSince += bytes
            load.entriesSince += 1
        }
        trimIfDue()
    }

    private func trimIfDue() {
        let isDue = load.withLock { load in
            let isFull = load.bytes + load.bytesSince > maxBytes || load.entries + load.entriesSince > maxEntries
            // Other processes may write too. After a tenth of the limit, this one checks the total.
            let isMuch = load.bytesSince > maxBytes / 10 || load.entriesSince > maxEntries / 10
            guard load.entriesSince > 0, isFull || isMuch, !load.isTrimming else { return false }
            load.isTrimming = true
            return true
        }
        if isDue { startTrimming() }
    }

    func startTrimming() {
        load.withLock { $0.isTrimming = true }
        trimming.start { [self] in _ = trimNow() }
    }

    func trimNow() -> Summary {
        let before = load.withLock { $0 }
        let summary = walk()
        // Entries that were stored during the walk may have been missed by it.
        load.withLock { load in
            load.bytes = summary.byteCount
            load.entries = summary.entryCount
            load.bytesSince -= before.bytesSince
            load.entriesSince -= before.entriesSince
            load.isTrimming = false
        }
        trimIfDue()
        return summary
    }
}

// A walk counts the entries, removes the remains of crashed writers, and evicts entries beyond the limits. Processes other than one only count.
extension DiskCache {
    private struct Item {
        let name: String
        let shard: String
        var bytes: Int64
        var used: Date
        var bodies: [String] = []
    }

    private func walk() -> Summary {
        var summary = Summary()
        // Without the folder there is nothing to do, and the walk does not create it.
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

    private func scan(_ shard: String, mayRemove: Bool, summary: inout Summary) -> [Item] {
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
            if items[owner] != nil, folder.refersToBody(body.name, in: shard) {
                items[owner]?.bytes += body.bytes
                items[owner]?.bodies.append(body.name)
            } else {
                temporaries.append(body.name)
            }
        }
        for name in temporaries where mayRemove && removeIfLeftBehind(name, in: shard) { summary.leftoverCount += 1 }
        return Array(items.values)
    }

    /// Removes a file without a writer. A writer holds a lock, which ends with its process in any case.
    private func removeIfLeftBehind(_ name: String, in shard: String) -> Bool {
        let path = folder.path(of: name, in: shard)
        // Held until the file is gone, so that no writer can lock it: see `makeTemporary`.
        guard let file = try? DiskFile(path, O_RDONLY), file.lock(.exclusive) else { return false }
        // The writer of a body may have finished since the head was read.
        if name.hasSuffix(DiskName.bodySuffix), folder.refersToBody(name, in: shard) { return false }
        return Directory.remove(path)
    }

    private func evict(_ items: [Item], summary: inout Summary) {
        let now = folder.clock.now
        var kept = items
        let uses = folder.recency.uses
        for index in kept.indices {
            // A time in the future comes from before the clock was set back. The entry ages from now on.
            if kept[index].used.isAhead(of: now) {
                (try? DiskFile(folder.path(of: kept[index].name, in: kept[index].shard), O_RDONLY))?.touch(now)
                kept[index].used = now
            }
            if let used = uses[kept[index].name], !used.isAhead(of: now) {
                kept[index].used = max(kept[index].used, used)
            }
        }
        if let maxAge {
            kept.removeAll { item in
                guard now.timeIntervalSince(item.used) > maxAge else { return false }
                remove(item, summary: &summary)
                return true
            }
        }
        guard summary.byteCount > maxBytes || summary.entryCount > maxEntries else { return }
        // A tenth is left free, so that not every new entry needs a walk.
        let bytes = Int64(Double(maxBytes) * 0.9)
        let entries = Int(Double(maxEntries) * 0.9)
        for item in kept.sorted(by: { $0.used < $1.used }) {
            guard summary.byteCount > bytes || summary.entryCount > entries else { return }
            remove(item, summary: &summary)
        }
    }

    private func remove(_ item: Item, summary: inout Summary) {
        for name in [item.name] + item.bodies { Directory.remove(folder.path(of: name, in: item.shard)) }
        summary.entryCount -= 1
        summary.byteCount -= item.bytes
        summary.evictedCount += 1
    }
}

/// The times at which this process used each entry. The time of the last use is the file's modification time, written at most once a minute. Later
/// uses are kept here, for evictions by this process.
final class DiskRecency: Sendable {
    private static let interval: TimeInterval = 60
    /// The maximum number of entries. When there are more, all are forgotten. That costs the precision of a minute.
    private static let limit = 20_000

    /// The times of each entry, by the name of its file.
    private let times = Locked<[String: (written: Date, used: Date)]>([:])

    /// Records a use of a file. Returns whether to write the time to the file.
    func record(_ file: String, at now: Date) -> Bool {
        times.withLock { times in
            if let known = times.index(forKey: file),
                abs(now.timeIntervalSince(times.values[known].written)) <= Self.interval
            {
                times.values[known].used = now
                return false
            }
            if times.count >= Self.limit { times = [:] }
            times[file] = (now, now)
            return true
        }
    }

    /// The last uses by this process, by the names of the files.
    var uses: [String: Date] { times.withLock { $0 }.mapValues { $0.used } }
}
