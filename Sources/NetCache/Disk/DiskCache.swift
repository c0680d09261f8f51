public import NetCore

/// Responses on disk: they outlive the process, and may be shared by several.
///
/// It is both kinds of store: an ``HTTPCacheStore`` of whole responses for ``ResponseCache``, and a ``ResponseCaching`` of bytes
/// by URL for ``CachePolicyInterceptor`` and ``DataCache``. The two see nothing of each other in one folder, and share its limits.
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let cache = DiskCache(directory: folder, maxBytes: 200 << 20)
/// ```
///
/// **Crashes.** An entry is written under another name and moved to its place when it is whole, and every byte is checked
/// against a checksum before it is handed out. So a process may be killed at any moment: what it was writing is not there,
/// everything else is, and what is left of it is removed on a later walk through the folder. There is no index that could be
/// lost. A large body is synced before it can be found; a small one is not, and may be lost, never torn, in a power failure.
///
/// **Several processes** may use one folder at the same time, with the same limits. An invalidation holds for all of them: a response
/// that another process asked for before is not stored after it. Writers wait for each other for some microseconds, if they write to the
/// same 4096th of all URLs; readers wait for nothing.
///
/// **Invalidations** are on the medium when ``removeAll(url:)`` returns.
///
/// **If the disk fails** (it is full, the folder is read-only, somebody deleted it), responses are not found and not stored;
/// no request fails for it. A folder that was deleted is made again. What cannot be removed from a read-only folder is not found any
/// more by this process, and removing it throws; another process may still find it.
///
/// **Eviction.** The entries that were not read for longest go first, when there is more than `maxBytes` or `maxEntries`. For a
/// moment there may be a tenth more, for each process. Of this process each read counts; of others the minute in which it was.
///
/// **Privacy.** Files are for this user alone (0600, in a folder of mode 0700) and are named by digests. They are not
/// encrypted: their heads have URLs and header fields in clear text, but no user information of a URL.
public final class DiskCache: Sendable {
    let core: DiskCacheCore

    /// What a walk through the folder has found and done.
    public struct Summary: Hashable, Sendable {
        /// The entries that are there now.
        public internal(set) var entryCount = 0
        /// The bytes of their files.
        public internal(set) var byteCount: Int64 = 0
        /// The entries that went because they were too old, or too much.
        public internal(set) var evictedCount = 0
        /// The files that went because whoever wrote them has ended before they were whole.
        public internal(set) var leftoverCount = 0
    }

    /// A cache in a folder. It never fails: see above.
    ///
    /// Takes no time by the number of entries; a walk that counts them begins in the background.
    ///
    /// - Parameters:
    ///   - directory: where to keep the folder `v1` with all files. It is made if it is not there; other files in it are left
    ///     alone. On iOS, the system empties `Library/Caches` when it needs room.
    ///   - maxBytes: the most bytes of files; 100 MiB unless given. Zero or a negative number stores nothing.
    ///   - maxEntries: the most entries. Zero or a negative number stores nothing.
    ///   - maxAge: how long an entry may stay unused, in seconds; nil for no limit.
    ///   - clock: says when something has expired, and was used.
    public init(
        directory: URL, maxBytes: Int64 = 100 << 20, maxEntries: Int = 200_000, maxAge: TimeInterval? = nil,
        clock: any NetworkClock = .system
    ) {
        core = DiskCacheCore(
            folder: DiskFolder(directory, clock: clock),
            limits: DiskLimits(maxBytes: max(0, maxBytes), maxEntries: max(0, maxEntries), maxAge: maxAge))
        core.startTrimming()
    }

    /// Walks through the folder now: removes what is too old, too much, or left by a crash, and counts what stays.
    ///
    /// It runs by itself when the cache is made and when it is full. While another process does the same, this one only
    /// counts.
    @discardableResult
    public func trim() async -> Summary {
        await core.trim()
    }

    var canStore: Bool { core.limits.maxBytes > 0 && core.limits.maxEntries > 0 }
}
