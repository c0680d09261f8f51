public import NetCore

// What endpoints have by seed 003, for `Request<T>` too.
extension MockNetworkClient {
    /// Fails the requests of a method and path whose answer would be of that type.
    public func stubError<Value>(
        _ method: HTTPMethod, _ path: String, as type: Value.Type, error: NetworkFailure, delay: TimeInterval = 0
    ) {
        stub(method, path, delay: delay) { (_: Request<Value>) in throw error }
    }

    /// Answers the requests of a method and path one after the other; a request beyond the last fails.
    public func stubSequence<Value>(
        _ method: HTTPMethod, _ path: String, responses: [Value], delay: TimeInterval = 0
    ) {
        stubSequence(method, path, sequence: responses.map { .success($0) }, delay: delay)
    }

    /// Answers or fails the requests of a method and path one after the other; a request beyond the last fails.
    public func stubSequence<Value>(
        _ method: HTTPMethod, _ path: String, sequence: [Result<Value, NetworkFailure>], delay: TimeInterval = 0
    ) {
        let answers = AnswerSequence(sequence, of: "\(method) \(path)")
        stub(method, path, delay: delay) { (_: Request<Value>) in try answers.next() }
    }

    /// Whether a method and path were asked for by ``send(_:cached:)``.
    public func wasCalled(_ method: HTTPMethod, _ path: String) -> Bool { callCount(for: method, path) > 0 }

    /// The requests for answers of a type, in order.
    public func calledRequests<Value>(for type: Value.Type) -> [Request<Value>] {
        calls.compactMap { $0.value as? Request<Value> }
    }

    /// What was asked for so far, in order, stubbed or not: each as the error for a missing stub names it.
    public var callHistory: [String] { calls.map { "\($0.key)" } }
}

/// Answers that are given once each.
struct AnswerSequence<Value>: Sendable {
    private let name: String
    private let rest: Locked<ArraySlice<UncheckedSendable<Result<Value, NetworkFailure>>>>

    init(_ sequence: [Result<Value, NetworkFailure>], of name: String) {
        self.name = name
        rest = Locked(sequence.map(UncheckedSendable.init)[...])
    }

    func next() throws -> Value {
        guard let next = rest.withLock({ $0.popFirst() }) else {
            throw NetworkError.unsupported("The sequence for \(name) has no answer left. Give it one for each call.")
        }
        return try next.value.get()
    }
}
