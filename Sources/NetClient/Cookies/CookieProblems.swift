import NetCore

/// What went wrong without failing a request: each kind is reported once.
final class CookieProblems: Sendable {
    enum Kind: Hashable {
        case suffixes, reading, writing
    }

    private struct State {
        var handler: (@Sendable (String) -> Void)?
        var seen: Set<Kind> = []
        var waiting: [String] = []
    }

    private let state = Locked(State())
    private let queue = IOQueue(label: "networking.cookies.problems")

    /// Called on a queue of its own. Setting it reports what happened before.
    var handler: (@Sendable (String) -> Void)? {
        get { state.withLock(\.handler) }
        set {
            let waiting = state.withLock { state in
                state.handler = newValue
                guard newValue != nil else { return [String]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            guard let newValue else { return }
            for text in waiting { queue.start { newValue(text) } }
        }
    }

    func report(_ kind: Kind, _ text: String) {
        let handler = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard state.seen.insert(kind).inserted else { return nil }
            if state.handler == nil { state.waiting.append(text) }
            return state.handler
        }
        if let handler { queue.start { handler(text) } }
    }
}
