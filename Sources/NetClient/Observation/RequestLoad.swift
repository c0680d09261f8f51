import NetCore

/// What shows the state of a request: ``RequestState`` from iOS 17 on, `RequestStateObject` before.
@MainActor
protocol RequestFace: AnyObject {
    associatedtype Value

    var value: Value? { get set }
    var failure: NetworkFailure? { get set }
    var isLoading: Bool { get set }
}

/// Loads, and tells a face what happens: the one state machine behind all faces.
@MainActor
final class RequestLoad<Value> {
    private let operation: @MainActor () async throws -> Value
    private var task: Task<Void, Never>?
    /// Which load is the newest: an older one that ends later says nothing.
    private var number = 0

    init(_ operation: @escaping @MainActor () async throws -> Value) {
        self.operation = operation
    }

    deinit {
        task?.cancel()
    }

    /// Loads, and returns when that has ended. A load that is running already is stopped. Cancelling the task that waits stops it too.
    func run<Face: RequestFace>(for face: Face) async where Face.Value == Value {
        task?.cancel()
        number += 1
        let number = number
        face.isLoading = true
        face.failure = nil
        let task = Task { [weak self, weak face, operation] in
            let result: Result<Value, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            if let face { self?.finish(number, result, face) }
        }
        self.task = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func cancel() {
        task?.cancel()
    }

    private func finish<Face: RequestFace>(_ number: Int, _ result: Result<Value, any Error>, _ face: Face)
    where Face.Value == Value {
        guard number == self.number else { return }
        face.isLoading = false
        task = nil
        switch result {
        case .success(let value): face.value = value
        case .failure(let error):
            let failure = NetworkFailure(wrapping: error, request: nil)
            if case .cancelled = failure.cause { return }
            face.failure = failure
        }
    }
}
