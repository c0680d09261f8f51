@testable import NetClient

/// A store with a clock.
struct CookieLab {
    let clock: TestClock
    let store: CookieStore
    let problems = Locked([String]())

    /// The kinds of stores, which behave the same.
    enum Kind: CaseIterable { case own, system }

    init(_ kind: Kind) {
        if kind == .system, let storage = URLSessionConfiguration.ephemeral.httpCookieStorage {
            self.init(system: storage)
        } else {
            self.init()
        }
    }

    /// The storage compares dates with the real time.
    init(system storage: HTTPCookieStorage, epochs: URL? = nil) {
        clock = TestClock(now: Date())
        store = CookieStore(system: storage, epochFile: epochs, clock: clock)
    }

    init(file: URL? = nil, suffixes: URL? = nil) {
        clock = TestClock()
        store = CookieStore(file: file, publicSuffixFile: suffixes, clock: clock, system: nil) { [problems] text in
            problems.withLock { $0.append(text) }
        }
    }

    /// Takes a response with these `Set-Cookie` fields, and has the store write its file if it `saves`.
    func receive(
        _ fields: String..., from text: String = "https://www.example.org/a/b", method: HTTPMethod = .get,
        status: Int = 200, saves: Bool = false
    ) throws {
        store.receive(
            HTTPHeaders(received: fields.map { HTTPHeader(name: "Set-Cookie", value: $0) }), status: status,
            from: try url(text), method: method)
        if saves { store.save() }
    }

    /// The name that stands for the store's cookies.
    var name: String { store.access { state, _ in state.name } }

    /// The `Cookie` field of a request.
    func field(
        _ text: String = "https://www.example.org/a/b", method: HTTPMethod = .get, firstParty: String? = nil
    ) throws -> String? { store.cookieField(for: try url(text), method: method, firstParty: try firstParty.map(url)) }

    func epoch(_ text: String = "https://www.example.org/") throws -> UInt64 {
        store.scope(for: try url(text))?.epoch ?? 0
    }
}

extension CookieStore {
    func receive(_ headers: HTTPHeaders, status: Int, from url: URL, method: HTTPMethod) {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        receive(TransportResponse(status: status, headers: headers, url: url), to: request)
    }
}
