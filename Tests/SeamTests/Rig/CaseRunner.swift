import NetTesting
import Networking

struct CaseRunner {
    let seam: SeamCase
    let id: Int
    private let servers: SeamServers
    private let server: CaseServer
    private var model: WireModel
    private var problems: [String] = []

    init(_ seam: SeamCase, id: Int, servers: SeamServers) {
        (self.seam, self.id, self.servers) = (seam, id, servers)
        server = CaseServer(seam, id: id, servers: servers)
        model = WireModel(seam, id: id)
    }

    /// How many requests arrived, and what differs from the model.
    static func run(_ seam: SeamCase, id: Int, servers: SeamServers) async -> (requests: Int, problems: [String]) {
        var runner = CaseRunner(seam, id: id, servers: servers)
        servers.add(runner.server)
        defer { servers.remove(runner.server) }
        return (await runner.play(), runner.problems)
    }

    private mutating func play() async -> Int {
        let stations = await makeStations()
        var count = 0
        var plan: [(user: SeamUser?, language: String)] = []
        if seam.clients == .one, seam.source.canSignOut { plan.append((nil, "en")) }
        plan += [(.alice, "en"), (.alice, "en"), (.bob, "en"), (.alice, "en")]
        if seam.vary.isByLanguage { plan += [(.alice, "de"), (.alice, "en")] }
        for (index, step) in plan.enumerated() {
            count += await signIn(step.user, stations)
            count += await call(step.user, step.language, "", "step \(index)", stations)
            guard problems.isEmpty else { break }
        }
        if problems.isEmpty, seam.sharing.coalesces || id % 4 == 0 {
            count += await callTogether(stations)
            if problems.isEmpty { count += await call(.alice, "en", "2", "afterwards", stations) }
        }
        problems += server.trespasses.map { "trespass: \($0)" }
        for station in stations where seam.ownsTransport { await station.client.shutdown() }
        return count
    }

    // MARK: Clients

    private struct Station: Sendable {
        let door: DoorRig
        let cookies: CookieStore
        let providers: [SeamUser: any AuthenticationProvider]
        var client: NetworkClient { door.client }
    }

    private func makeStations() async -> [Station] {
        let cache = cache()
        let providers = Dictionary(
            uniqueKeysWithValues: SeamUser.allCases.map { ($0, SourceRig.callProvider(of: $0, server.vault)) })
        let owners: [SeamUser?] = seam.clients == .one ? [nil] : [.alice, .bob]
        return owners.map { owner in
            let cookies = CookieStore()
            var plain = NetworkClient.Configuration(baseURL: URL(string: servers.url(home)))
            if !seam.ownsTransport { plain.transport = servers.transport }
            if let certificate = servers.certificate {
                plain.transportConfiguration.certificateAuthorities = .only(pem: certificate.authority)
            }
            plain.cookies = cookies
            var configuration = plain
            complete(&configuration, cache, owner)
            var options = RequestOptions()
            if seam.isPerCall {
                (options.interceptors, configuration.interceptors) = (configuration.interceptors, [])
                (options.callInterceptors, configuration.callInterceptors) = (configuration.callInterceptors, [])
                (options.redirectPolicy, configuration.redirectPolicy) = (configuration.redirectPolicy, .doNotFollow)
            }
            let networking =
                switch seam.door {
                case .facadeValue, .facadeResponse, .facadeCompletion, .facadeChain, .facadeStream:
                    Networking(configuration: configuration)
                case .derivedClient: Networking(client: NetworkClient(configuration: plain).with { $0 = configuration })
                default: Networking(client: NetworkClient(configuration: configuration))
                }
            let door = DoorRig(
                door: seam.door, networking: networking,
                asksForCache: seam.cache == .policy && seam.door.takesCachePolicy, options: options)
            return Station(door: door, cookies: cookies, providers: providers)
        }
    }

    private var home: String { seam.source == .unixSocket ? "U" : "A" }

    private func cache() -> (any HTTPCaching)? {
        switch seam.cache {
        case .none: nil
        case .memory: ResponseCache(maxEntries: 100)
        case .disk: ResponseCache(store: servers.disk(of: id))
        case .tiered: ResponseCache(store: TieredCache(upper: NetworkCache(), lower: servers.disk(of: id)))
        case .policy: CachePolicyInterceptor(cache: id.isMultiple(of: 3) ? servers.disk(of: id) : NetworkCache())
        }
    }

    private func complete(
        _ configuration: inout NetworkClient.Configuration, _ cache: (any HTTPCaching)?, _ owner: SeamUser?
    ) {
        configuration.cache = cache
        if seam.retries { configuration.retryPolicy = RetryPolicy(maxRetries: 3, delay: .immediate) }
        if seam.sharing.coalesces { configuration.resilience.coalescer = server.coalescer }
        if seam.sharing.coalesces, seam.redirect != .none {
            configuration.redirectPolicy.decide = { [redirects = server.redirects] _ in
                redirects.withLock { $0 += 1 }
                return .follow
            }
        }
        if seam.sharing.hedges { configuration.resilience.hedging = HedgingInterceptor(delay: 0) }
        switch seam.vary {
        case .languageOfHook: configuration.interceptors.append(LanguageHook())
        case .languageOfMiddleware:
            configuration.interceptors.append(FieldMiddleware(field: "Accept-Language") { Seat.language })
        default: break
        }
        SourceRig(seam: seam, vault: server.vault, servers: servers, owner: owner).apply(to: &configuration)
    }

    // MARK: Steps

    private func send(_ user: SeamUser?, _ language: String, _ suffix: String, _ station: Station) async throws
        -> DoorAnswer
    {
        guard let url = URL(string: servers.url(home) + "/c\(id)/r\(suffix)") else { throw URLError(.badURL) }
        var call = DoorRig.Call(url: url)
        if let user {
            let token = server.vault.token(of: user)
            switch seam.source {
            case .callersAuthorization: call.headers["Authorization"] = "Bearer \(token)"
            case .callersCookie: call.headers["Cookie"] = "sid=\(token)"
            case .callProvider: call.provider = station.providers[user]
            default: break
            }
        }
        return try await Seat.$user.withValue(user) {
            try await Seat.$language.withValue(seam.vary.isByLanguage ? language : nil) {
                try await station.door.send(call)
            }
        }
    }

    private mutating func signIn(_ user: SeamUser?, _ stations: [Station]) async -> Int {
        guard seam.source.isCookieOfStore else { return 0 }
        let station = stations[model.client(of: user)]
        let known = model.clients[model.client(of: user)].cookieUser
        let expected = model.signIn(user)
        guard known != user else { return 0 }
        if known != nil { station.cookies.removeAll() }
        guard let user else { return 0 }
        if seam.source == .storedCookie {
            station.cookies.set(Cookie(name: "sid", value: server.vault.token(of: user), domain: "127.0.0.1"))
            return 0
        }
        do {
            guard let url = URL(string: servers.url("A") + "/c\(id)/login") else { return 0 }
            var request = URLRequest(url: url)
            (request.httpMethod, request.httpBody) = ("POST", Data(user.rawValue.utf8))
            var context = RequestContext()
            context.options = station.door.options
            _ = try await Seat.$language.withValue(seam.vary.isByLanguage ? "en" : nil) {
                try await station.client.data(for: request, context: context)
            }
        } catch { problems.append("login of \(user): \(error)") }
        let wire = server.takeWire()
        if wire != expected { problems.append("login of \(user): expected \(expected), got \(wire)") }
        return wire.count
    }

    private mutating func call(
        _ user: SeamUser?, _ language: String, _ suffix: String, _ name: String, _ stations: [Station]
    ) async -> Int {
        let expected = model.call(user, language: language, suffix)
        var found: [String] = []
        do {
            let answer = try await send(user, language, suffix, stations[model.client(of: user)])
            if answer.body.owner != expected.owners.first {
                found.append("the body is of '\(answer.body.owner)' and not of '\(expected.owners.first ?? "")'")
            }
            if let trace = answer.trace, trace.attempts != expected.attempts.first {
                found.append("\(trace.attempts) attempts in the trace, not \(expected.attempts): \(trace.retries)")
            }
        } catch { found.append("threw \(error)") }
        let wire = server.takeWire()
        if wire != expected.wire { found.append("expected\n    \(lines(expected.wire))\n  got\n    \(lines(wire))") }
        problems += found.map { "\(name), \(user?.rawValue ?? "nobody") in \(language): \($0)" }
        return wire.count
    }

    private mutating func callTogether(_ stations: [Station]) async -> Int {
        var users: [SeamUser] = [.alice, .alice]
        if !(seam.clients == .one && seam.source.isCookieOfStore) { users.append(.bob) }
        var count = 0
        if seam.clients == .one { count += await signIn(.alice, stations) }
        let expected = model.calls(of: users, "2")
        server.expect(expected.gates)
        let owners = await withTaskGroup(of: (Int, String).self) { group in
            for (index, user) in users.enumerated() {
                let station = stations[model.client(of: user)]
                group.addTask { [self] in
                    do {
                        // Not in one expression: optimised code does not store the index then (Swift 6.3).
                        let owner = try await send(user, "en", "2", station).body.owner
                        return (index, owner)
                    } catch { return (index, "error: \(error)") }
                }
            }
            var result = users.map { _ in "" }
            for await (index, owner) in group { result[index] = owner }
            return result
        }
        server.expect([:])
        if owners != expected.owners { problems.append("together: bodies of \(owners), not \(expected.owners)") }
        let wire = server.takeWire()
        if wire.map(\.description).sorted() != expected.wire.map(\.description).sorted() {
            problems.append("together: expected\n    \(lines(expected.wire))\n  got\n    \(lines(wire))")
        }
        return count + wire.count
    }

    private func lines(_ wire: [Wire]) -> String {
        wire.isEmpty ? "nothing" : wire.map(\.description).joined(separator: "\n    ")
    }
}
