/// A request as it is seen on the wire, as far as the model predicts it.
struct Wire: Hashable, Sendable, CustomStringConvertible {
    /// `A`, `B` (another port), `L` (another host), or `alice` and `bob` for the Unix-domain socket of that user.
    var origin: String
    var method: String
    var path: String
    /// The fields with credentials and the tokens in them (`authorization=alice.c17.t0`, `?=…` for the query), `cookie:seen` for the
    /// analytics cookie, and `accept-language=de`. In order.
    var marks: [String]

    var description: String { "\(method) \(origin)\(path) [\(marks.joined(separator: " "))]" }

    var tokens: [String] {
        let tokens: [String] = marks.filter { !$0.hasPrefix("accept-language") }.compactMap { mark in
            mark.firstIndex(of: "=").map { String(mark[mark.index(after: $0)...]) }
        }
        return Set(tokens).sorted()
    }
}

struct Prediction: Sendable {
    /// The requests on the wire. Of several calls at the same time, in any order.
    var wire: [Wire] = []
    /// Whose the body is, for each call.
    var owners: [String] = []
    /// How many times each call's request is sent, or answered by a cache: what its trace says.
    var attempts: [Int] = []
    /// What the server waits for before it answers, by path: only for several calls at the same time.
    var gates: [String: WireGate] = [:]
}

/// What has to have happened before the server answers requests for one path.
struct WireGate: Sendable {
    /// The requests that have arrived, of those that are sent at once.
    var arrivals = 0
    /// The calls that wait in the coalescer.
    var waiting = 0
    /// The redirects that calls have followed.
    var redirects = 0
    /// The requests that have arrived, with those of calls that have waited in vain: what these wait for.
    var total = 0
    var isOpen = false
}
