public import NetCore

extension CircuitBreaker {
    /// What a circuit does with requests.
    public enum State: Hashable, Sendable {
        /// Requests go through.
        case closed
        /// Requests fail at once until then. If the date has passed, the next request is the trial.
        case open(until: Date)
        /// One request is on its way as a trial; others fail at once.
        case halfOpen
    }

    /// A circuit that went from one state to another.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        /// Scheme, host and port: `"https://api.example.com:443"`.
        public let origin: String
        /// The host alone, in lower case.
        public let host: String
        /// What it was.
        public let from: State
        /// What it is now.
        public let to: State
        /// When it changed.
        public let date: Date

        /// Origin and the two states in one line.
        public var description: String { "\(origin): \(from.name) -> \(to.name)" }
    }
}

extension CircuitBreaker.State {
    /// `closed`, `open` or `half-open`.
    fileprivate var name: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }
}
