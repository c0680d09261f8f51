import NetCore

/// The epoch of each site: a number that stands for "the same user as before" in the identity of a request.
///
/// A new epoch is a random number, not the next one. If a crash loses an epoch that was not yet written, nothing that was stored
/// under it can be found under a later one.
struct CookieEpochs: Sendable {
    /// The epoch of sites that are not in ``sites``.
    private(set) var base: UInt64
    private(set) var sites: [String: UInt64]

    /// More sites than that share a new epoch, which costs them some caching.
    private static let limit = 4096

    init(base: UInt64 = 0, sites: [String: UInt64] = [:]) {
        self.base = base
        self.sites = sites
    }

    subscript(site: String) -> UInt64 { sites[site] ?? base }

    mutating func move(_ site: String) {
        if sites.count >= Self.limit, sites[site] == nil { return moveAll() }
        sites[site] = .random(in: 1 ... .max)
    }

    mutating func moveAll() {
        sites = [:]
        base = .random(in: 1 ... .max)
    }

    mutating func set(_ site: String, to epoch: UInt64) {
        sites[site] = epoch
    }
}
