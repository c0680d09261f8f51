import NetCore

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
