public import NetClient
public import NetCore
import NetTransfer

/// A client without a network: answers from stubs, and remembers what it was asked (seed 003).
///
/// Give it to what takes `any NetworkClientProtocol`, or `any TransferClientProtocol`.
///
/// ```swift
/// let mock = MockNetworkClient()
/// await mock.stub(GetUserEndpoint.self) { endpoint in User(id: 1, name: "Leia \(endpoint.id)") }
/// let user = try await mock.request(GetUserEndpoint(id: "123"))
/// let count = await mock.callCount(for: GetUserEndpoint.self)
/// ```
///
/// What was not stubbed fails with ``NetworkError/unsupported(_:)``, which names it. Nothing of the pipeline runs: to test retry,
/// interceptors or decoding, give a real `NetworkClient` a ``StubTransport`` or a ``MockServer``.
public actor MockNetworkClient: NetworkClientProtocol {
    private let clock: any NetworkClock
    private var stored: [StubKey: Stub] = [:]
    private var preparation: (@Sendable (isolated MockNetworkClient) -> Void)?
    private(set) var calls: [Call] = []

    /// A client that answers nothing yet.
    ///
    /// - Parameter clock: by which delays are slept.
    public init(clock: any NetworkClock = .system) {
        self.clock = clock
    }

    /// A client with stubs, made without `await`, as a preview needs it.
    ///
    /// ```swift
    /// let mock = MockNetworkClient { mock in
    ///     mock.stub(GetUserEndpoint.self) { endpoint in User(id: 1, name: "Leia") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - clock: by which delays are slept.
    ///   - prepare: adds the stubs. It runs once, in the client's isolation, before anything else is added or asked.
    public init(
        clock: any NetworkClock = .system, stubs prepare: @escaping @Sendable (isolated MockNetworkClient) -> Void
    ) {
        self.clock = clock
        preparation = prepare
    }

    /// The stubs, with those that the initialiser was given.
    private var stubs: [StubKey: Stub] {
        get {
            if let prepare = preparation {
                preparation = nil
                prepare(self)
            }
            return stored
        }
        set { stored = newValue }
    }

    // MARK: Endpoints

    /// Answers an endpoint from what is in it.
    ///
    /// - Parameters:
    ///   - type: of the endpoint. A later stub takes the place of an earlier one.
    ///   - delay: how long the answer takes, in seconds.
    ///   - response: what it throws is the call's failure: a `NetworkFailure` as it is, anything else wrapped in one.
    public func stub<E: Endpoint>(
        _ type: E.Type, delay: TimeInterval = 0, response: @escaping @Sendable (E) async throws -> E.Response
    ) {
        stubs[.endpoint(type)] = Stub(delay: delay) { endpoint in
            guard let endpoint = endpoint as? E else { throw MockNetworkClient.nothing(for: .endpoint(type)) }
            return UncheckedSendable(try await response(endpoint))
        }
    }

    /// Fails an endpoint.
    public func stubError<E: Endpoint>(_ type: E.Type, error: NetworkFailure, delay: TimeInterval = 0) {
        stub(type, delay: delay) { _ in throw error }
    }

    /// Answers the calls of an endpoint one after the other; a call beyond the last fails.
    public func stubSequence<E: Endpoint>(_ type: E.Type, responses: [E.Response], delay: TimeInterval = 0) {
        stubSequence(type, sequence: responses.map { .success($0) }, delay: delay)
    }

    /// Answers or fails the calls of an endpoint one after the other; a call beyond the last fails.
    public func stubSequence<E: Endpoint>(
        _ type: E.Type, sequence: [Result<E.Response, NetworkFailure>], delay: TimeInterval = 0
    ) {
        let answers = AnswerSequence(sequence, of: "\(type)")
        stub(type, delay: delay) { _ in try answers.next() }
    }

    /// Sends nothing, and gives the answer that was stubbed.
    @discardableResult
    public nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        try await answer(endpoint, for: .endpoint(E.self)).value
    }

    /// How often an endpoint was asked for, stubbed or not.
    public func callCount<E: Endpoint>(for type: E.Type) -> Int { calledEndpoints(of: type).count }

    /// Whether an endpoint was asked for.
    public func wasCalled<E: Endpoint>(_ type: E.Type) -> Bool { callCount(for: type) > 0 }

    /// The endpoints of a type that were asked for, in order.
    public func calledEndpoints<E: Endpoint>(of type: E.Type) -> [E] { calls.compactMap { $0.value as? E } }

    // MARK: Requests

    /// Answers the requests of a method and path whose answer is of that type.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stub(.get, "/user") { (request: Request<User>) in User(id: 1, name: "Leia") }
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path as the request has it: for an absolute URL, all of the URL.
    ///   - delay: how long the answer takes, in seconds.
    ///   - response: what it throws is the call's failure.
    public func stub<Value>(
        _ method: HTTPMethod, _ path: String, delay: TimeInterval = 0,
        response: @escaping @Sendable (Request<Value>) async throws -> Value
    ) {
        let key = StubKey.request(method, path, Value.self)
        stubs[key] = Stub(delay: delay) { request in
            guard let request = request as? Request<Value> else { throw MockNetworkClient.nothing(for: key) }
            return UncheckedSendable(try await response(request))
        }
    }

    /// Sends nothing, and gives the answer that was stubbed for its method and path.
    @discardableResult
    public nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value {
        try await answer(request, for: .request(request.method, request.target.stubPath, Value.self)).value
    }

    /// How often a method and path were asked for by ``send(_:cached:)``, whatever the type of the answer.
    public func callCount(for method: HTTPMethod, _ path: String) -> Int {
        calls.count { $0.key.isRequest(method, path) }
    }

    // MARK: URL requests

    /// Answers what ``execute(_:)`` is given of a method and URL, query included.
    public func stub<Value>(
        _ method: HTTPMethod = .get, url: URL, delay: TimeInterval = 0,
        response: @escaping @Sendable (URLRequest) async throws -> Value
    ) {
        let key = StubKey.url(method, url, Value.self)
        stubs[key] = Stub(delay: delay) { request in
            guard let request = request as? URLRequest else { throw MockNetworkClient.nothing(for: key) }
            return UncheckedSendable(try await response(request))
        }
    }

    /// Sends nothing, and gives the answer that was stubbed for its method and URL.
    public nonisolated(nonsending) func execute<Value: Decodable>(
        _ request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard let url = request.url else { throw .invalidURL() }
        return try await answer(request, for: .url(method, url, Value.self)).value
    }

    /// The requests that ``execute(_:)`` was given, in order.
    public var executedRequests: [URLRequest] { calls.compactMap { $0.value as? URLRequest } }

    // MARK: All

    /// Forgets all stubs and calls.
    public func reset() {
        preparation = nil
        stubs = [:]
        calls = []
    }

    /// How often it was asked for anything.
    public var totalCallCount: Int { calls.count }

    func add(_ stub: Stub, for key: StubKey) {
        stubs[key] = stub
    }

    /// The answer that was stubbed: one value, for the call that asked.
    ///
    /// - Parameter report: told of the progress, if the stub has one.
    func answer<Value>(
        _ value: any Sendable, for key: StubKey, reporting report: @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws(NetworkFailure) -> UncheckedSendable<Value> {
        calls.append(Call(key: key, value: value))
        do {
            guard let stub = stubs[key] else { throw Self.nothing(for: key) }
            for progress in stub.progress {
                try await clock.sleep(for: stub.delay)
                report(progress)
            }
            try await clock.sleep(for: stub.delay)
            guard let answer = try await stub.respond(value) as? UncheckedSendable<Value> else {
                throw Self.nothing(for: key)
            }
            return answer
        } catch {
            throw NetworkFailure(wrapping: error, request: value as? URLRequest, timestamp: clock.now)
        }
    }

    static func nothing(for key: StubKey) -> NetworkError {
        .unsupported("MockNetworkClient has no stub for \(key). Add one by stub(…) before the call.")
    }

    struct Call {
        let key: StubKey
        let value: any Sendable
    }

    struct Stub {
        let delay: TimeInterval
        let progress: [TransferProgress]
        /// Gives an ``UncheckedSendable`` of the answer.
        let respond: @Sendable (any Sendable) async throws -> any Sendable

        init(
            delay: TimeInterval, progress: [TransferProgress] = [],
            respond: @escaping @Sendable (any Sendable) async throws -> any Sendable
        ) {
            self.delay = delay
            self.progress = progress
            self.respond = respond
        }
    }
}

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
