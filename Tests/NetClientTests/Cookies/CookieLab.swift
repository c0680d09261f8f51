import NetTesting

@testable import NetClient

/// A store, a clock, and short ways to play exchanges with it.
struct CookieLab {
    let clock = TestClock()
    let store: CookieStore
    let problems = Locked([String]())

    init(file: URL? = nil, suffixes: URL? = nil) {
        store = CookieStore(file: file, publicSuffixFile: suffixes, clock: clock)
        store.onProblem = { [problems] text in problems.withLock { $0.append(text) } }
    }

    /// Takes a response with these `Set-Cookie` fields.
    func receive(_ fields: String..., from text: String = "https://www.example.org/a/b", method: HTTPMethod = .get)
        throws
    {
        store.receive(
            HTTPHeaders(received: fields.map { HTTPHeader(name: "Set-Cookie", value: $0) }), from: try url(text),
            method: method)
    }

    /// The `Cookie` field of a request.
    func field(
        _ text: String = "https://www.example.org/a/b", method: HTTPMethod = .get, firstParty: String? = nil
    ) throws -> String? {
        store.cookieField(for: try url(text), method: method, firstParty: try firstParty.map(url))
    }

    func epoch(_ text: String = "https://www.example.org/") throws -> UInt64 {
        store.scope(for: try url(text)).epoch
    }
}

struct NoURL: Error { let text: String }

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw NoURL(text: text) }
    return url
}
