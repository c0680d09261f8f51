public import NetClient
public import NetCore
import NetTransfer

/// A client without a network that answers from stubs and records the calls.
///
/// Use it for code that takes `any NetworkClientProtocol` or `any TransferClientProtocol`.
///
/// ```swift
/// let mock = MockNetworkClient()
/// await mock.stub(GetUserEndpoint.self) { endpoint in User(id: 1, name: "Leia \(endpoint.id)") }
/// let user = try await mock.request(GetUserEndpoint(id: "123"))
/// let count = await mock.callCount(for: GetUserEndpoint.self)
/// ```
///
/// A call without a stub fails with ``NetworkError/unsupported(_:)``, which names it. The pipeline does not run. To test retries,
/// interceptors or decoding, use a `NetworkClient` with a ``StubTransport`` or a ``MockServer``.
public actor MockNetworkClient: NetworkClientProtocol {
    private let clock: any NetworkClock
    private var stored: [StubKey: Stub] = [:]
    private var preparation: (@Sendable (isolated MockNetworkClient) -> Void)?
    private(set) var calls: [Call] = []

    /// - Parameter clock: the clock for delays.
    public init(clock: any NetworkClock = .system) { self.clock = clock }

    /// Creates a client with stubs without `await`, for example in a preview.
    ///
    /// ```swift
    /// let mock = MockNetworkClient { mock in
    ///     mock.stub(GetUserEndpoint.self) { endpoint in User(id: 1, name: "Leia") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - clock: the clock for delays.
    ///   - prepare: adds the stubs. It runs once, isolated to the client, before the first stub or call.
    public init(
        clock: any NetworkClock = .system, stubs prepare: @escaping @Sendable (isolated MockNetworkClient) -> Void
    ) {
        self.clock = clock
        preparation = prepare
    }

    /// The stubs, including those of the initializer.
    private var stubs: [StubKey: Stub] {
        get {
            preparation.take()?(self)
            return stored
        }
        set { stored = newValue }
    }

    // MARK: Endpoints

    /// Answers an endpoint by a closure.
    ///
    /// - Parameters:
    ///   - type: the endpoint's type. A later stub replaces an earlier one.
    ///   - delay: the delay of the response in seconds.
    ///   - response: returns the response. An error that is not a `NetworkFailure` is wrapped in one.
    public func stub<E: Endpoint>(
        _ type: E.Type, delay: TimeInterval = 0, response: @escaping @Sendable (E) async throws -> E.Response
    ) {
        add(.endpoint(.init(type)), delay: delay, response)
    }

    /// Fails an endpoint.
    public func stubError<E: Endpoint>(_ type: E.Type, error: NetworkFailure, delay: TimeInterval = 0) {
        stub(type, delay: delay) { _ in throw error }
    }

    /// Answers the calls of an endpoint in order. Further calls fail.
    public func stubSequence<E: Endpoint>(_ type: E.Type, responses: [E.Response], delay: TimeInterval = 0) {
        stubSequence(type, sequence: responses.map { .success($0) }, delay: delay)
    }

    /// Answers or fails the calls of an endpoint in order. Further calls fail.
    public func stubSequence<E: Endpoint>(
        _ type: E.Type, sequence: [Result<E.Response, NetworkFailure>], delay: TimeInterval = 0
    ) {
        let next = Self.answers(sequence, of: "\(type)")
        stub(type, delay: delay) { _ in try next() }
    }

    /// Returns the response of the stub.
    @discardableResult
    public nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        try await answer(endpoint, for: .endpoint(.init(E.self))).value
    }

    /// Returns the number of calls of an endpoint, with or without a stub.
    public func callCount<E: Endpoint>(for type: E.Type) -> Int { calledEndpoints(of: type).count }

    /// Whether an endpoint was called.
    public func wasCalled<E: Endpoint>(_ type: E.Type) -> Bool { callCount(for: type) > 0 }

    /// Returns the called endpoints of a type, in order.
    public func calledEndpoints<E: Endpoint>(of type: E.Type) -> [E] { calls.compactMap { $0.value as? E } }

    // MARK: Requests

    /// Answers the requests of a method and path with that response type.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stub(.get, "/user") { (request: Request<User>) in User(id: 1, name: "Leia") }
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path of the request, or the whole URL if it is absolute.
    ///   - delay: the delay of the response in seconds.
    ///   - response: returns the response.
    public func stub<Value>(
        _ method: HTTPMethod, _ path: String, delay: TimeInterval = 0,
        response: @escaping @Sendable (Request<Value>) async throws -> Value
    ) {
        add(.request(method, path: path, answer: .init(Value.self)), delay: delay, response)
    }

    /// Returns the response of the stub for the method and path.
    @discardableResult
    public nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value {
        try await answer(
            request, for: .request(request.method, path: request.target.stubPath, answer: .init(Value.self))
        ).value
    }

    /// Returns the number of calls of ``send(_:cached:)`` with a method and path, whatever the response type.
    public func callCount(for method: HTTPMethod, _ path: String) -> Int {
        calls.count { $0.key.isRequest(method, path) }
    }

    // MARK: URL requests

    /// Answers the requests to ``execute(_:)`` with a method and URL, including its query.
    public func stub<Value>(
        _ method: HTTPMethod = .get, url: URL, delay: TimeInterval = 0,
        response: @escaping @Sendable (URLRequest) async throws -> Value
    ) {
        add(.url(method, url, answer: .init(Value.self)), delay: delay, response)
    }

    /// Returns the response of the stub for the method and URL.
    public nonisolated(nonsending) func execute<Value: Decodable>(
        _ request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard let url = request.url else { throw .invalidURL() }
        return try await answer(request, for: .url(method, url, answer: .init(Value.self))).value
    }

    /// The requests to ``execute(_:)``, in order.
    public var executedRequests: [URLRequest] { calls.compactMap { $0.value as? URLRequest } }

    // MARK: All calls

    /// Removes all stubs and calls.
    public func reset() {
        preparation = nil
        stubs = [:]
        calls = []
    }

    /// Stubs the calls with a key, whose value has the type of the closure's parameter.
    func add<Called, Value>(
        _ key: StubKey, _ progress: [TransferProgress] = [], delay: TimeInterval,
        _ response: @escaping @Sendable (Called) async throws -> Value
    ) {
        stubs[key] = Stub(delay: delay, progress: progress) { value in
            guard let value = value as? Called else { throw MockNetworkClient.nothing(for: key) }
            return UncheckedSendable(try await response(value))
        }
    }

    /// Returns the response of a stub, after its progress.
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

    /// Returns a function that returns each answer once.
    private static func answers<Value>(
        _ sequence: [Result<Value, NetworkFailure>], of name: String
    ) -> @Sendable () throws -> Value {
        let rest = Locked(sequence.map(UncheckedSendable.init)[...])
        return {
            guard let next = rest.withLock({ $0.popFirst() }) else {
                throw NetworkError.unsupported(
                    "The sequence for \(name) has no answer left. Give it one for each call.")
            }
            return try next.value.get()
        }
    }

    static func nothing(for key: StubKey) -> NetworkError {
        .unsupported("MockNetworkClient has no stub for \(key). Add one by stub(…) before the call.")
    }

    /// Answers the requests of a method and path in order. Further requests fail.
    public func stubSequence<Value>(_ method: HTTPMethod, _ path: String, responses: [Value], delay: TimeInterval = 0) {
        stubSequence(method, path, sequence: responses.map { .success($0) }, delay: delay)
    }

    /// Answers or fails the requests of a method and path in order. Further requests fail.
    public func stubSequence<Value>(
        _ method: HTTPMethod, _ path: String, sequence: [Result<Value, NetworkFailure>], delay: TimeInterval = 0
    ) {
        let next = Self.answers(sequence, of: "\(method) \(path)")
        stub(method, path, delay: delay) { (_: Request<Value>) in try next() }
    }

    /// Returns the requests with a response type, in order.
    public func calledRequests<Value>(for type: Value.Type) -> [Request<Value>] {
        calls.compactMap { $0.value as? Request<Value> }
    }

    /// A description of each call in order, with or without a stub: `GET /user with an answer of type User`.
    public var callHistory: [String] { calls.map { "\($0.key)" } }
}
