/// Holds each exchange until the test answers it or its task is cancelled.
final class HeldTransport: HTTPTransport {
    private struct Exchange {
        let id: UInt64
        let request: URLRequest
        let context: RequestContext
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var path: String { request.url?.path ?? "" }
    }

    private struct State {
        var held: [Exchange] = []
        var started: [String] = []
        var cancelled: [String] = []
        var isShutDown = false
    }

    private let state = Locked(State())
    private let lastID = Locked(UInt64(0))
    private let isEndedByShutdown: Bool

    /// - Parameter isEndedByShutdown: whether the shutdown of the transport ends exchanges, and not the cancellation of their tasks.
    init(isEndedByShutdown: Bool = false) { self.isEndedByShutdown = isEndedByShutdown }

    // Paths, in order.
    var started: [String] { state.withLock(\.started) }
    var cancelled: [String] { state.withLock(\.cancelled) }
    var held: [String] { state.withLock { $0.held.map(\.path) } }
    var isShutDown: Bool { state.withLock(\.isShutDown) }
    var contexts: [RequestContext] { state.withLock { $0.held.map(\.context) } }

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        let id = lastID.next()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isRefused = state.withLock { state in
                    state.started.append(request.url?.path ?? "")
                    if state.isShutDown || (Task.isCancelled && !isEndedByShutdown) { return true }
                    state.held.append(Exchange(id: id, request: request, context: context, continuation: continuation))
                    return false
                }
                if isRefused, isEndedByShutdown {
                    continuation.resume(throwing: TransportError(.shutDown, phase: .preparing, message: ""))
                } else if isRefused {
                    cancel(request, continuation)
                }
            }
        } onCancel: {
            if isEndedByShutdown { return }
            let exchange = state.withLock { state in
                state.held.firstIndex { $0.id == id }.map { state.held.remove(at: $0) }
            }
            if let exchange { cancel(exchange.request, exchange.continuation) }
        }
    }

    private func cancel(_ request: URLRequest, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        state.withLock { $0.cancelled.append(request.url?.path ?? "") }
        continuation.resume(throwing: CancellationError())
    }

    func shutdown() async {
        guard isEndedByShutdown else { return }
        let held = state.withLock { state in
            state.isShutDown = true
            defer { state.held = [] }
            return state.held
        }
        let error = TransportError(.shutDown, phase: .waiting, message: "")
        for exchange in held { exchange.continuation.resume(throwing: error) }
    }

    /// Answers the oldest exchange of that path, or of any.
    func answer(
        _ path: String? = nil, _ result: Result<TransportResponse, any Error> = .success(NetClientTests.answer())
    ) {
        let exchange = state.withLock { state in
            state.held.firstIndex { path == nil || $0.path == path }.map { state.held.remove(at: $0) }
        }
        guard let exchange else { return _ = Issue.record("no exchange is held at \(path ?? "any path")") }
        exchange.continuation.resume(
            with: result.map { response in
                var response = response
                response.url = response.url ?? exchange.request.url
                return response
            })
    }

    func waitForHeld(_ count: Int) async throws {
        try await waitUntil("\(count) exchanges are held") { held.count == count ? () : nil }
    }

    func waitForStarted(_ count: Int) async throws {
        try await waitUntil("\(count) exchanges were sent") { started.count >= count ? () : nil }
    }
}

/// The numbers of calls by their end.
struct Tally: Equatable, Sendable {
    var succeeded = 0
    var failed = 0
    var rejected = 0
    var cancelled = 0

    var total: Int { succeeded + failed + rejected + cancelled }

    /// Counts a call. A rejected call was not sent.
    mutating func add(_ result: Result<TransportResponse, any Error>) {
        switch result {
        case .success(let response) where response.status < 500: succeeded += 1
        case .success: failed += 1
        case .failure(let error):
            let failure = error as? NetworkFailure
            let isRejected = failure?.code == "circuit_open" || failure?.underlyingError is LimitExceeded
            if error is CancellationError || failure?.isCancellation == true {
                cancelled += 1
            } else if isRejected {
                rejected += 1
            } else {
                failed += 1
            }
        }
    }
}
