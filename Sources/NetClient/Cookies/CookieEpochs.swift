import NetCore

/// The epoch of each site: a number that stands for "the same user as before" in the identity of a request.
///
/// A new epoch is a random number, not the next one. If a crash loses an epoch that was not yet written, nothing that was stored
/// under it can be found under a later one.
struct CookieEpochs: Sendable {
    /// The epoch of sites that are not in ``sites``.
    private(set) var base: UInt64
    private(set) var sites: [String: UInt64]
    /// Counts the moves, so that a store sees without a comparison that it has something to write.
    private(set) var revision: UInt64 = 0
    /// ``CookieTarget/filterKey(ofHost:)`` of each of ``sites``.
    private var filter: Set<UInt64>

    /// More sites than that share a new epoch, which costs them some caching.
    private static let limit = 4096

    init(base: UInt64 = 0, sites: [String: UInt64] = [:]) {
        self.base = base
        self.sites = sites
        filter = Set(sites.keys.lazy.compactMap(CookieTarget.filterKey(ofHost:)))
    }

    subscript(site: String) -> UInt64 { sites[site] ?? base }

    /// Whether a site with that key of its host may have an epoch of its own.
    func mayKnow(filterKey: UInt64) -> Bool { filter.contains(filterKey) }

    private mutating func set(_ site: String, to epoch: UInt64) {
        sites[site] = epoch
        if let key = CookieTarget.filterKey(ofHost: site) { filter.insert(key) }
    }

    mutating func move(_ site: String) {
        if sites.count >= Self.limit, sites[site] == nil { return moveAll() }
        set(site, to: .random(in: 1 ... .max))
        revision += 1
    }

    mutating func moveAll() {
        sites = [:]
        filter = []
        base = .random(in: 1 ... .max)
        revision += 1
    }

    /// Takes the epochs that another process has written to the file.
    ///
    /// - Parameters:
    ///   - others: The epochs of the file.
    ///   - old: The epochs that both had before.
    ///   - sessions: Sites where either process has session cookies, which the file does not: there each keeps its own epoch.
    ///   - touched: Sites of which a cookie that identifies a user has changed with the file.
    mutating func merge(_ others: CookieEpochs, since old: CookieEpochs, sessions: Set<String>, touched: Set<String>) {
        let mine = self
        if others.base != old.base {
            base = mine.base == old.base ? others.base : .random(in: 1 ... .max)
        }
        for site in Set(mine.sites.keys).union(others.sites.keys).union(old.sites.keys) {
            let (own, their, common) = (mine[site], others[site], old[site])
            if sessions.contains(site) {
                if touched.contains(site) { move(site) } else { set(site, to: own) }
            } else if their == common {
                set(site, to: own)
            } else if own == common {
                set(site, to: their)
            } else {
                move(site)
            }
        }
    }
}
