/// The epoch of each site: a number that stands for "the same user as before" in the identity of a request.
///
/// A new epoch is a random number, not the next one. If a crash loses an epoch that was not yet written, nothing that was stored
/// under it can be found under a later one.
struct CookieEpochs: Sendable {
    /// The epoch of sites that are not in ``sites``.
    private(set) var base: UInt64
    private(set) var sites: [String: UInt64]
    /// The number of changes, which tells a store whether there is anything to write.
    private(set) var revision: UInt64 = 0

    /// The most sites with an epoch of their own. Beyond it, all sites get a new common epoch, which costs some cached responses.
    private static let limit = 4096

    init(base: UInt64 = 0, sites: [String: UInt64] = [:]) {
        self.base = base
        self.sites = sites
    }

    subscript(site: String) -> UInt64 { sites[site] ?? base }

    mutating func move(_ site: String) {
        if sites.count >= Self.limit, sites[site] == nil { return moveAll() }
        sites[site] = .random(in: 1 ... .max)
        revision += 1
    }

    mutating func moveAll() {
        sites = [:]
        base = .random(in: 1 ... .max)
        revision += 1
    }

    /// Takes the epochs that another process has written to the file.
    ///
    /// - Parameters:
    ///   - old: The epochs that both had before.
    ///   - sessions: Sites where either process has session cookies, which the file does not: there each keeps its own epoch.
    ///   - touched: Sites of which a cookie that identifies a user has changed with the file.
    mutating func merge(_ others: CookieEpochs, since old: CookieEpochs, sessions: Set<String>, touched: Set<String>) {
        let mine = self
        if others.base != old.base { base = mine.base == old.base ? others.base : .random(in: 1 ... .max) }
        for site in Set(mine.sites.keys).union(others.sites.keys).union(old.sites.keys) {
            let (own, their, common) = (mine[site], others[site], old[site])
            if sessions.contains(site) {
                if touched.contains(site) { move(site) } else { sites[site] = own }
            } else if their == common {
                sites[site] = own
            } else if own == common {
                sites[site] = their
            } else {
                move(site)
            }
        }
    }
}
