/// The content of a store's file, as JSON lines.
///
/// The first line names the format, the store and the epoch of most sites. Then there is a line for each other site and one for each cookie:
///
///     {"format":"networking-cookies","version":1,"name":"cookies-5f…","epoch":"0"}
///     {"site":"example.org","epoch":"91c0…","session":true}
///     {"name":"a","value":"1","domain":"example.org","path":"/","expires":1700000000,"hostOnly":true,…}
///
/// A line that cannot be read is skipped.
struct CookieRecord: Sendable {
    var name: String?
    var epochs = CookieEpochs()
    /// Sites with session cookies that identified a user. The cookies are not in the file, and so are gone after the next start.
    var sessionSites: Set<String> = []
    var items: [Cookie] = []
    var isDamaged = false

    init() {}

    /// Reads as much as can be read.
    init(_ data: Data) {
        let lines = data.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        let decoder = JSONDecoder()
        var base: UInt64 = 0
        var sites: [String: UInt64] = [:]
        for line in lines {
            if let cookie = try? decoder.decode(Cookie.self, from: line) {
                items.append(cookie)
            } else if let line = try? decoder.decode(Line.self, from: line), let epoch = UInt64(line.epoch, radix: 16) {
                if let site = line.site {
                    sites[site] = epoch
                    if line.session == true { sessionSites.insert(site) }
                } else {
                    name = line.name
                    base = epoch
                }
            } else {
                isDamaged = true
            }
        }
        epochs = CookieEpochs(base: base, sites: sites)
        if name == nil, !lines.isEmpty { isDamaged = true }
    }

    var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = Data()
        func append(_ line: some Encodable) {
            // Strings and finite numbers can be encoded.
            guard let bytes = try? encoder.encode(line) else { return }
            data += bytes
            data.append(UInt8(ascii: "\n"))
        }
        append(Line(epoch: String(epochs.base, radix: 16), format: "networking-cookies", version: 1, name: name ?? ""))
        for site in Set(epochs.sites.keys).union(sessionSites).sorted() {
            let hasSession = sessionSites.contains(site)
            append(Line(epoch: String(epochs[site], radix: 16), site: site, session: hasSession ? true : nil))
        }
        for cookie in items { append(cookie) }
        return data
    }

    /// A line that is not a cookie's: the first one, or a site's.
    private struct Line: Codable {
        /// Hexadecimal: numbers of JSON have 53 bits.
        let epoch: String
        var format: String?
        var version: Int?
        var name: String?
        var site: String?
        var session: Bool?
    }
}
