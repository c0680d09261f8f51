/// Predicts the requests of a case on the wire, and which are answered by its cache.
///
/// It shares no code with the SDK: it is written from the rules of the documentation.
struct WireModel {
    let seam: SeamCase
    let id: Int

    struct ClientState {
        /// The value of the analytics cookie, by the host whose responses have set it.
        var seenCookies: [String: Int] = [:]
        var cookieUser: SeamUser?
        /// How often the cookies became another user's, by host.
        var epochs: [String: Int] = [:]
        /// The same for all other hosts.
        var epoch = 0
        var hasSeenToken = false
        var hasBeenChallenged = false
        /// The origins with which the client has exchanged anything.
        var knownOrigins: Set<String> = []
        /// Those to which it has sent credentials of which nobody says whose they are.
        var hiddenOrigins: Set<String> = []
    }

    struct Slot: Hashable { let url: String, owner: String }

    struct Entry {
        var variant: String
        /// See ``PreparedModel/harmlessCookie``.
        var cookie: Int?
        var owner: String
    }

    struct Hop {
        let origin: String, path: String
        let index: Int, isLast: Bool
        /// Whether the call has been at another origin before.
        let isBack: Bool
    }

    var clients: [ClientState]
    var generations: [SeamUser: Int] = [:]
    var cookieSerial = 0
    /// Who has had the server's 503.
    var failed: Set<String> = []
    var stored: [Slot: [Entry]] = [:]
    /// Whether the coalescer has seen credentials that were added further in, so that it lets nobody wait any more.
    var hasShownHidden = false

    init(_ seam: SeamCase, id: Int) {
        (self.seam, self.id) = (seam, id)
        clients = Array(repeating: ClientState(), count: seam.clients == .one ? 1 : 2)
    }

    func client(of user: SeamUser?) -> Int { seam.clients == .two && user == .bob ? 1 : 0 }
    func token(of user: SeamUser) -> String { "\(user.rawValue).c\(id).t\(generations[user] ?? 0)" }

    /// The server that stands behind an origin, for its cookies.
    func host(of origin: String) -> String { origin == "L" ? "localhost" : "127.0.0.1" }
    private func home(of user: SeamUser?) -> String { seam.source == .unixSocket ? user?.rawValue ?? "" : "A" }

    func hops(of user: SeamUser?, _ suffix: String) -> [Hop] {
        let home = home(of: user)
        let origins =
            switch seam.redirect {
            case .none: [home]
            case .sameOrigin: [home, home]
            case .otherPort: [home, "B"]
            case .otherHost: [home, "L"]
            case .thereAndBack: [home, "B", home]
            }
        let names = origins.count == 3 ? ["r", "m", "t"] : ["r", "t"]
        return origins.enumerated().map { index, origin in
            let path = "/c\(id)/\(names[index])\(suffix)"
            return Hop(origin: origin, path: path, index: index, isLast: index == origins.count - 1, isBack: index == 2)
        }
    }

    // MARK: Signing in by a cookie

    /// The requests with which a user signs in, if cookies tell the users apart.
    mutating func signIn(_ user: SeamUser?) -> [Wire] {
        guard seam.source.isCookieOfStore else { return [] }
        let index = client(of: user)
        var client = clients[index]
        defer { clients[index] = client }
        guard client.cookieUser != user else { return [] }
        // All cookies were removed.
        if client.cookieUser != nil {
            (client.cookieUser, client.seenCookies, client.epochs) = (nil, [:], [:])
            client.epoch += 1_000
        }
        guard let user else { return [] }
        let marks = client.seenCookies["127.0.0.1"] != nil ? ["cookie:seen"] : []
        client.cookieUser = user
        client.epochs["127.0.0.1"] = (client.epochs["127.0.0.1"] ?? client.epoch) + 1
        guard seam.source == .sessionCookie else { return [] }
        // The hook or middleware adds the language there, too.
        let language = seam.vary.isByLanguage ? ["accept-language=en"] : []
        return [Wire(origin: "A", method: "POST", path: "/c\(id)/login", marks: (language + marks).sorted())]
    }

    // MARK: One call

    mutating func call(_ user: SeamUser?, language: String, _ suffix: String) -> Prediction {
        var result = Prediction()
        var attempts = 0
        var owner = ""
        for hop in hops(of: user, suffix) {
            let first = prepared(user, hop, language)
            attempts += 1
            if hop.isLast, usesCache, !first.isUnknown, looksUp(user, hop), let hit = lookup(first, language) {
                owner = hit.owner
                break
            }
            var last = first
            while true {
                let (wire, status) = exchange(user, hop, language)
                result.wire += Array(repeating: wire, count: seam.sharing.hedges ? 2 : 1)
                owner = self.owner(of: wire)
                if status < 400 { break }
                attempts += 1
                last = prepared(user, hop, language)
            }
            if hop.isLast { store(last, first, owner, language) }
        }
        result.owners = [owner]
        result.attempts = [attempts]
        return result
    }

    /// Whose the body is that the server makes for a request.
    private func owner(of wire: Wire) -> String {
        seam.source == .unixSocket ? wire.origin : wire.tokens.joined(separator: ",")
    }

    /// One request of the call, and what the server makes of it.
    private mutating func exchange(_ user: SeamUser?, _ hop: Hop, _ language: String) -> (Wire, Int) {
        let index = client(of: user)
        let request = prepared(user, hop, language)
        let wire = Wire(origin: hop.origin, method: "GET", path: hop.path, marks: request.marks)
        clients[index].hasSeenToken = clients[index].hasSeenToken || request.isUnknown
        if request.isHidden, !seam.door.isStreamed { hasShownHidden = true }
        if request.isHidden { clients[index].hiddenOrigins.insert(hop.origin) }
        defer { setCookie(index, hop) }
        let name = owner(of: wire).prefix { $0 != "." }
        if seam.retries, hop.index == 0, hop.path.hasSuffix("/r"), failed.insert(String(name)).inserted {
            return (wire, 503)
        }
        if seam.source.isChallenge, hop.origin == "A", wire.tokens.isEmpty {
            clients[index].hasBeenChallenged = true
            return (wire, 401)
        }
        if seam.refreshes, let user, wire.tokens.contains(where: { $0.hasSuffix(".t0") }) {
            generations[user] = 1
            return (wire, 401)
        }
        return (wire, hop.isLast ? 200 : 302)
    }

    /// A response sets the analytics cookie. Its value changes, except where calls are shared.
    private mutating func setCookie(_ client: Int, _ hop: Hop) {
        clients[client].knownOrigins.insert(hop.origin)
        guard seam.setsCookie else { return }
        if !seam.sharing.coalesces { cookieSerial += 1 }
        clients[client].seenCookies[host(of: hop.origin)] = cookieSerial
    }

    // MARK: Several calls at the same time

    /// Calls for a resource that nobody has asked for before.
    mutating func calls(of users: [SeamUser], _ suffix: String) -> Prediction {
        var result = Prediction()
        var owners: [String] = []
        let count = hops(of: .alice, suffix).count
        for index in 0..<count {
            owners = []
            var groups: Set<String> = []
            var arrived: [Wire] = []
            var gate = WireGate()
            var requests: [PreparedModel] = []
            let copies = seam.sharing.hedges ? 2 : 1
            for user in users {
                let hop = hops(of: user, suffix)[index]
                let request = prepared(user, hop, "en")
                requests.append(request)
                let wire = Wire(origin: hop.origin, method: "GET", path: hop.path, marks: request.marks)
                owners.append(owner(of: wire))
                var isFirst = true
                if shares(request) {
                    gate.waiting += 1
                    let provider = seam.source == .callProvider ? user.rawValue : ""
                    let group = "\(client(of: user)) \(provider) \(request.owner) \(request.url)"
                    isFirst = groups.insert(group).inserted
                    // The answer to hidden credentials is the first call's alone: the others are sent after it.
                    guard isFirst || request.isHidden else { continue }
                }
                arrived += Array(repeating: wire, count: copies)
                if isFirst { gate.arrivals += copies }
            }
            let path = hops(of: .alice, suffix)[index].path
            if gate.waiting > 0 { gate.redirects = users.count * index }
            gate.total = arrived.count
            result.gates[path] = gate
            result.wire += arrived
            for (user, request) in zip(users, requests) {
                let hop = hops(of: user, suffix)[index]
                if request.isHidden { clients[client(of: user)].hiddenOrigins.insert(hop.origin) }
                setCookie(client(of: user), hop)
                if hop.isLast, let own = users.firstIndex(of: user) { store(request, request, owners[own], "en") }
            }
        }
        result.owners = owners
        return result
    }

    /// Whether a call waits for others that ask the same.
    private func shares(_ request: PreparedModel) -> Bool {
        seam.sharing.coalesces && !seam.door.isStreamed && !request.isUnknown && !(request.isHidden && hasShownHidden)
    }

    // MARK: The cache

    private var usesCache: Bool { seam.cache != .none && (seam.cache != .policy || seam.door.takesCachePolicy) }

    /// A store that outlives the process may have responses from before the user signed in. Behind an interceptor that may sign in, it is
    /// used once it is known what that adds.
    private func looksUp(_ user: SeamUser?, _ hop: Hop) -> Bool {
        let mayHide = seam.source == .middleware || seam.vary == .languageOfMiddleware
        let outlives = seam.cache == .disk || seam.cache == .tiered
        let state = clients[client(of: user)]
        guard !state.hiddenOrigins.contains(hop.origin) else { return false }
        return !mayHide || !outlives || state.knownOrigins.contains(hop.origin)
    }

    private func lookup(_ request: PreparedModel, _ language: String) -> Entry? {
        let variant = seam.vary == .languageOfHook ? language : ""
        return stored[Slot(url: request.url, owner: request.owner)]?.first { entry in
            entry.variant == variant && (seam.vary != .cookie || entry.cookie == request.harmlessCookie)
        }
    }

    private mutating func store(_ request: PreparedModel, _ first: PreparedModel, _ owner: String, _ language: String) {
        guard usesCache, !first.isUnknown, !request.isHidden, seam.vary != .languageOfMiddleware,
            !(seam.cache == .policy && seam.door.isStreamed)
        else { return }
        let variant = seam.vary == .languageOfHook ? language : ""
        let slot = Slot(url: request.url, owner: request.owner)
        let cookie = seam.vary == .cookie ? request.harmlessCookie : nil
        stored[slot, default: []].removeAll { $0.variant == variant && $0.cookie == cookie }
        stored[slot, default: []].append(Entry(variant: variant, cookie: cookie, owner: owner))
    }
}
