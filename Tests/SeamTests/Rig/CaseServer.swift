import NetTesting
import Networking
import TestLab

/// What the server answers, and which credentials it was sent.
struct SeamAnswer: Codable, Sendable {
    var path: String
    /// The tokens of the request, or the user whose socket it is.
    var owner: String
}

/// The server's side of one case: refuses, fails and redirects as the case says, and writes down what arrives.
final class CaseServer: Sendable {
    let seam: SeamCase
    let vault: TokenVault
    private let servers: SeamServers

    /// Two copies of a request that wait for each other.
    private typealias Meeting = (response: MockResponse, isComplete: Locked<Bool>)

    private struct State {
        var wire: [Wire] = []
        var trespasses: [String] = []
        var failed: Set<String> = []
        /// Copies of hedged requests that wait for the other one.
        var pending: [String: Meeting] = [:]
        var gates: [String: WireGate] = [:]
        var arrivals: [String: Int] = [:]
        var serial = 0
    }

    private let state = Locked(State())
    /// What a gate waits for beside requests.
    let coalescer = RequestCoalescer()
    let redirects = Locked(0)

    init(_ seam: SeamCase, id: Int, servers: SeamServers) {
        (self.seam, self.servers) = (seam, servers)
        vault = TokenVault(id: id)
    }

    /// What has arrived since the last call.
    func takeWire() -> [Wire] {
        state.withLock { state in
            defer { state.wire = [] }
            return state.wire
        }
    }

    /// Credentials that have arrived where they do not belong.
    var trespasses: [String] { state.withLock(\.trespasses) }

    /// Has several calls at the same time wait for each other.
    func expect(_ gates: [String: WireGate]) {
        redirects.withLock { $0 = 0 }
        state.withLock { ($0.gates, $0.arrivals) = (gates, [:]) }
    }

    // MARK: Answering

    func answer(_ request: RecordedRequest, at origin: String) async -> MockResponse {
        let seen = SeenRequest(request, at: origin)
        if request.method == .post { return login(request, seen) }
        let place = state.withLock { state -> Int? in
            note(seen, &state)
            guard state.gates[request.path] != nil else { return nil }
            state.arrivals[request.path, default: 0] += 1
            return state.arrivals[request.path]
        }
        if let place {
            guard await pass(request.path, place) else { return .status(599) }
            return state.withLock { response(to: request, seen, &$0) }
        }
        guard seam.sharing.hedges else { return state.withLock { response(to: request, seen, &$0) } }
        // Both copies get the same answer, once both are there.
        let (meeting, isSecond) = state.withLock { state -> (Meeting, Bool) in
            if let first = state.pending.removeValue(forKey: request.path) { return (first, true) }
            let first = (response(to: request, seen, &state), Locked(false))
            state.pending[request.path] = first
            return (first, false)
        }
        if isSecond { meeting.isComplete.withLock { $0 = true } }
        let haveMet = await hasHappened("the other copy is there") { meeting.isComplete.withLock { $0 } }
        return haveMet ? meeting.response : .status(598)
    }

    private func note(_ seen: SeenRequest, _ state: inout State) {
        state.wire.append(seen.wire)
        if ["A", "alice", "bob"].contains(seen.wire.origin) { return }
        for (name, token) in seen.tokens {
            // Cookies have no ports.
            if seam.source.isCookieOfStore, name == "cookie", seen.wire.origin == "B" { continue }
            state.trespasses.append("\(token) of \(name) at \(seen.wire)")
        }
    }

    private func login(_ request: RecordedRequest, _ seen: SeenRequest) -> MockResponse {
        state.withLock { note(seen, &$0) }
        guard let user = SeamUser(rawValue: request.bodyText) else { return .status(400) }
        return MockResponse.json(SeamAnswer(path: request.path, owner: ""))
            .settingCookie("sid", vault.token(of: user), "Path=/", "HttpOnly")
    }

    private func response(to request: RecordedRequest, _ seen: SeenRequest, _ state: inout State) -> MockResponse {
        let response = plainResponse(to: request, seen, &state)
        guard seam.setsCookie else { return response }
        // Its value changes, but where calls that are to be shared would differ by it.
        if !seam.sharing.coalesces { state.serial += 1 }
        return response.settingCookie("seen", "\(state.serial)", "Path=/")
    }

    private func plainResponse(to request: RecordedRequest, _ seen: SeenRequest, _ state: inout State) -> MockResponse {
        let path = request.path
        let owner =
            ["alice", "bob"].contains(seen.wire.origin) ? seen.wire.origin : seen.wire.tokens.joined(separator: ",")
        if seam.retries, path.hasSuffix("/r"), state.failed.insert(String(owner.prefix { $0 != "." })).inserted {
            return .status(503)
        }
        if seam.source.isChallenge, seen.wire.origin == "A", seen.tokens.isEmpty {
            let digest = "Digest realm=\"seam\", nonce=\"n\(vault.id)\", qop=\"auth\", algorithm=SHA-256"
            let challenge = seam.source == .basicChallenge ? "Basic realm=\"seam\"" : digest
            return MockResponse.status(401).header("WWW-Authenticate", challenge)
        }
        if seam.refreshes, seen.tokens.contains(where: { $0.token.hasSuffix(".t0") }) {
            return MockResponse.status(401).header("WWW-Authenticate", "Bearer")
        }
        if let location = location(after: path) { return .redirect(to: location) }
        let response = MockResponse.json(SeamAnswer(path: path, owner: owner)).header("Cache-Control", "max-age=600")
        return switch seam.vary {
        case .none: response
        case .cookie: response.header("Vary", "Cookie")
        case .authorization: response.header("Vary", "Authorization")
        case .languageOfHook, .languageOfMiddleware: response.header("Vary", "Accept-Language")
        }
    }

    private func location(after path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        let (base, suffix) = ("/c\(vault.id)/", name.dropFirst())
        return switch (seam.redirect, name.first) {
        case (.sameOrigin, "r"): base + "t" + suffix
        case (.otherPort, "r"): servers.url("B") + base + "t" + suffix
        case (.otherHost, "r"): servers.url("L") + base + "t" + suffix
        case (.thereAndBack, "r"): servers.url("B") + base + "m" + suffix
        case (.thereAndBack, "m"): servers.url("A") + base + "t" + suffix
        default: nil
        }
    }

    // MARK: Calls at the same time

    /// - Parameter place: the number of the request among those for the path.
    private func pass(_ path: String, _ place: Int) async -> Bool {
        await hasHappened("the calls for \(path) have met") {
            let (arrivals, gate) = state.withLock { ($0.arrivals[path] ?? 0, $0.gates[path] ?? WireGate()) }
            guard place <= gate.arrivals else { return arrivals >= gate.total }
            if gate.isOpen { return true }
            guard arrivals >= gate.arrivals, coalescer.waitingCount >= gate.waiting,
                redirects.withLock({ $0 }) >= gate.redirects
            else { return false }
            // Those that pass leave the coalescer: the others need not wait for them.
            state.withLock { $0.gates[path]?.isOpen = true }
            return true
        }
    }
}

/// Waits for what should happen. Returns false if it has not after two minutes.
private func hasHappened(_ what: String, _ condition: () -> Bool) async -> Bool {
    (try? await waitUntil(what) { condition() ? true : nil }) ?? false
}

/// A request as it arrived, with the tokens in it.
struct SeenRequest: Sendable {
    let wire: Wire
    /// The name of the field, `?` for the query.
    let tokens: [(name: String, token: String)]

    init(_ request: RecordedRequest, at origin: String) {
        var tokens: [(name: String, token: String)] = []
        var marks: [String] = []
        for header in request.headers {
            let name = header.name.lowercased()
            var value = header.value
            if value.hasPrefix("Basic "), let data = Data(base64Encoded: String(value.dropFirst(6))) {
                value = String(decoding: data, as: UTF8.self)
            }
            for token in Self.tokens(in: value) { tokens.append((name, token)) }
            if name == "accept-language" { marks.append("accept-language=\(value)") }
            if name == "cookie", value.contains("seen=") { marks.append("cookie:seen") }
        }
        for token in Self.tokens(in: request.target) { tokens.append(("?", token)) }
        self.tokens = tokens
        marks += tokens.map { "\($0.name)=\($0.token)" }
        wire = Wire(origin: origin, method: request.method.rawValue, path: request.path, marks: marks.sorted())
    }

    /// `alice.c17.t0` and the like.
    private static func tokens(in text: String) -> [String] {
        guard text.contains(".c") else { return [] }
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "." }
        return words.map(String.init).filter { $0.hasPrefix("alice.c") || $0.hasPrefix("bob.c") }
    }
}
