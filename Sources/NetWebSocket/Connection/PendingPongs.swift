import NetCore

/// Pings that wait for their answers.
final class PendingPongs: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var ending: (any Error)?
    }

    private let state = Locked(State())

    /// A number that no other ping of this connection has; its bytes are the payload.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    static func payload(of number: UInt64) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    /// Waits for the answer to a ping.
    ///
    /// - Parameter send: sends it, once its answer cannot be missed.
    func wait(for number: UInt64, send: @escaping @Sendable () async throws -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ending = state.withLock { state -> (any Error)? in
                    if let ending = state.ending { return ending }
                    state.waiting[number] = continuation
                    return nil
                }
                if let ending { return continuation.resume(throwing: ending) }
                // After a cancellation the handler has run already and found nothing.
                if Task.isCancelled { return end(number, CancellationError()) }
                Task {
                    do { try await send() } catch { self.end(number, error) }
                }
            }
        } onCancel: {
            end(number, CancellationError())
        }
    }

    /// A pong has come. It answers its own ping and all before it, since a peer may leave out those that it has no time for (RFC 6455,
    /// section 5.5.3). One that nobody asked for is nothing.
    func received(_ payload: Data) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let answered = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard number <= state.last else { return [] }
            let answered = state.waiting.filter { $0.key <= number }
            for key in answered.keys { state.waiting[key] = nil }
            return Array(answered.values)
        }
        for continuation in answered { continuation.resume() }
    }

    /// No answers come any more.
    func finish(_ error: any Error) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            state.ending = state.ending ?? error
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }

    private func end(_ number: UInt64, _ error: any Error) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: error)
    }
}
