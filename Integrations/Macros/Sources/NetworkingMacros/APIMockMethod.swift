public import NetTransfer

/// Records the calls of a method of a generated mock, and holds the closure that answers them.
public final class APIMockMethod<Arguments: Sendable, Handler: Sendable>: Sendable {
    private let state = Locked((handler: Handler?.none, calls: [Arguments]()))
    private let name: String

    /// - Parameter name: the name of the closure: `UsersMock.onUser`.
    public init(_ name: String) { self.name = name }

    /// The closure that answers.
    public var handler: Handler? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// The arguments of the calls, in order.
    public var calls: [Arguments] { state.withLock { $0.calls } }

    /// Records a call, and returns the closure.
    ///
    /// - Throws: `NetworkError.unsupported(_:)` if there is none, with its name.
    public func handle(_ arguments: Arguments) throws(NetworkFailure) -> Handler {
        let handler = state.withLock { state in
            state.calls.append(arguments)
            return state.handler
        }
        guard let handler else { throw Self.failure("\(name) is not set. Set it before the call.") }
        return handler
    }

    /// Records the call of a generic method, and returns its result.
    public func cast<Value>(_ value: Any, to type: Value.Type = Value.self) throws(NetworkFailure) -> Value {
        guard let value = value as? Value else {
            throw Self.failure("\(name) returned \(Swift.type(of: value)). The caller expects \(type).")
        }
        return value
    }

    private static func failure(_ text: String) -> NetworkFailure { NetworkFailure(cause: .unsupported(text)) }

    // MARK: Methods that do not throw

    /// Returns the response of a closure, or one with the error of a missing closure.
    public nonisolated(nonsending) func response<Value>(
        _ arguments: Arguments, _ call: (Handler) async -> NetworkResponse<Value>
    ) async -> NetworkResponse<Value> {
        do {
            return await call(try handle(arguments))
        } catch {
            return NetworkResponse(failure: error)
        }
    }

    /// Returns the events of a closure, or a sequence that throws the error of a missing closure.
    public func events(
        _ arguments: Arguments, _ call: (Handler) -> ServerSentEventSequence
    ) -> ServerSentEventSequence {
        do {
            return call(try handle(arguments))
        } catch {
            return .failing(error)
        }
    }

    /// Returns the transfer of a closure, or one that fails with the error of a missing closure.
    public func transfer<Value: Sendable>(_ arguments: Arguments, _ call: (Handler) -> Upload<Value>) -> Upload<Value> {
        do {
            return call(try handle(arguments))
        } catch {
            return failedTransfer(error)
        }
    }
}

/// A value behind a lock. `Mutex` is newer than the minimum versions.
private final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
