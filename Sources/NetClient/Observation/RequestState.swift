#if canImport(Observation)
    public import Observation
#endif

/// An observable object that shows the state of a request: ``RequestState`` from iOS 17, `RequestStateObject` before.
@MainActor
protocol RequestObservable: AnyObject {
    associatedtype Value

    var value: Value? { get set }
    var failure: NetworkFailure? { get set }
    var isLoading: Bool { get set }
}

/// Loads a value and updates an observable object: the state machine of both classes.
@MainActor
final class RequestLoad<Value> {
    private let operation: @MainActor () async throws -> Value
    private var task: Task<Void, Never>?
    /// The number of the newest load. The result of an older one is ignored.
    private var number = 0

    init(_ operation: @escaping @MainActor () async throws -> Value) { self.operation = operation }

    deinit { task?.cancel() }

    /// - Parameter stopsWithCaller: whether cancelling the waiting task stops the load too.
    func run<Object: RequestObservable>(for object: Object, stopsWithCaller: Bool) async where Object.Value == Value {
        task?.cancel()
        number += 1
        let number = number
        object.isLoading = true
        object.failure = nil
        let task = Task { [weak self, weak object, operation] in
            let result: Result<Value, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            if let object { self?.finish(number, result, object) }
        }
        self.task = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            if stopsWithCaller { task.cancel() }
        }
    }

    func cancel() { task?.cancel() }

    private func finish<Object: RequestObservable>(_ number: Int, _ result: Result<Value, any Error>, _ object: Object)
    where Object.Value == Value {
        guard number == self.number else { return }
        object.isLoading = false
        task = nil
        switch result {
        case .success(let value): object.value = value
        case .failure(let error):
            let failure = NetworkFailure(wrapping: error, request: nil)
            if case .cancelled = failure.cause { return }
            object.failure = failure
        }
    }
}

#if canImport(Observation)
    /// The state of a request for user interfaces. A view that reads it is drawn again when it changes.
    ///
    /// ```swift
    /// let state = await RequestState { try await client.request(GetUserEndpoint(id: "123")).send() }
    /// await state.load()
    /// print(await state.value?.name ?? "no answer")
    /// ```
    ///
    /// In SwiftUI, `.task { await state.load() }` loads when the view appears and stops when it disappears, and
    /// `.refreshable { await state.refresh() }` loads again. The previous value stays during a load, and if the load fails.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class RequestState<Value>: RequestObservable {
        /// The newest value; nil before the first one.
        public internal(set) var value: Value?

        /// The error of the newest load; nil if it succeeded, and while the next one is running. Stopping a load is not a failure.
        public internal(set) var failure: NetworkFailure?

        /// Whether a load is running.
        public internal(set) var isLoading = false

        @ObservationIgnored private let request: RequestLoad<Value>

        /// Creates a state without loading.
        ///
        /// - Parameters:
        ///   - value: the value before the first load, such as a stored one.
        ///   - operation: loads the value. It starts on the main actor; a request does not run there.
        public init(_ value: Value? = nil, load operation: @escaping @MainActor () async throws -> Value) {
            self.value = value
            request = RequestLoad(operation)
        }

        /// Loads, and returns at the end. Stops a running load. Cancelling the waiting task stops the load too.
        public func load() async { await request.run(for: self, stopsWithCaller: true) }

        /// Loads for `.refreshable`, and returns at the end. Stops a running load.
        ///
        /// SwiftUI cancels the task of `.refreshable` when the view is drawn again, as for the change of ``isLoading``. So cancelling the waiting
        /// task does not stop this load; ``cancel()``, another load and the release of this object do.
        public func refresh() async { await request.run(for: self, stopsWithCaller: false) }

        /// Stops the running load, if any.
        public func cancel() { request.cancel() }
    }
#endif
