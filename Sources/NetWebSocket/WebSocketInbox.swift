import NetCore

/// Messages that have come and were not taken yet. When they are many the one who brings them has to wait, and with him the server.
final class WebSocketInbox: Sendable {
    private struct State {
        var messages: [WebSocket.Message] = []
        var first = 0
        var bytes = 0
        var discards = false
        /// After the messages: nil for the end, or why there are no more.
        var ending: (failure: (any Error)?, Void)?
        var lastReader: UInt64 = 0
        var readers: [(id: UInt64, continuation: CheckedContinuation<WebSocket.Message?, any Error>)] = []
        var bringer: CheckedContinuation<Void, Never>?

        var isFull: Bool { bytes >= WebSocketInbox.capacity || messages.count - first >= WebSocketInbox.count }
    }

    /// Bytes, and messages, from which on the server has to wait.
    static let capacity = 256 * 1024
    static let count = 1024

    private let state = Locked(State())

    /// Whether the reader holds up the connection.
    var isFull: Bool { state.withLock { $0.bringer != nil } }

    /// Hands over a message. Returns when there is room for another.
    func bring(_ message: WebSocket.Message) async {
        let (reader, waits) = state.withLock { state -> (CheckedContinuation<WebSocket.Message?, any Error>?, Bool) in
            if state.discards || state.ending != nil { return (nil, false) }
            if !state.readers.isEmpty { return (state.readers.removeFirst().continuation, false) }
            state.messages.append(message)
            state.bytes += message.size
            return (nil, state.isFull)
        }
        reader?.resume(returning: message)
        guard waits else { return }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state -> Bool in
                if state.discards || state.ending != nil || !state.isFull { return true }
                state.bringer = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    /// What still comes is of no interest.
    func discard() {
        resumeBringer { $0.discards = true }
    }

    /// There are no more messages. Those that are here can still be taken.
    func finish(_ failure: (any Error)?) {
        let readers = state.withLock { state in
            if state.ending == nil { state.ending = (failure, ()) }
            defer { state.readers = [] }
            return state.readers
        }
        resumeBringer { _ in }
        for reader in readers { reader.continuation.resume(with: Self.result(of: failure)) }
    }

    /// The next message, or nil at the end.
    ///
    /// - Throws: why there are no more; `CancellationError` if the task is cancelled, and then no message is lost.
    func next() async throws -> WebSocket.Message? {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, bringer) = state.withLock { state in step(&state, id, continuation) }
                bringer?.resume()
                if let result { continuation.resume(with: result) }
                if result == nil, Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func step(
        _ state: inout State, _ id: UInt64, _ continuation: CheckedContinuation<WebSocket.Message?, any Error>
    ) -> (Result<WebSocket.Message?, any Error>?, CheckedContinuation<Void, Never>?) {
        guard state.first < state.messages.count else {
            if let ending = state.ending { return (Self.result(of: ending.failure), nil) }
            state.readers.append((id, continuation))
            return (nil, nil)
        }
        let message = state.messages[state.first]
        state.messages[state.first] = .binary(Data())
        state.first += 1
        state.bytes -= message.size
        if state.first == state.messages.count {
            state.messages.removeAll(keepingCapacity: true)
            state.first = 0
        }
        guard state.bytes <= Self.capacity / 2, state.messages.count - state.first <= Self.count / 2 else {
            return (.success(message), nil)
        }
        defer { state.bringer = nil }
        return (.success(message), state.bringer)
    }

    private func cancel(_ id: UInt64) {
        let reader = state.withLock { state in
            state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
        }
        reader?.continuation.resume(throwing: CancellationError())
    }

    private func resumeBringer(_ change: (inout State) -> Void) {
        let bringer = state.withLock { state in
            change(&state)
            defer { state.bringer = nil }
            return state.bringer
        }
        bringer?.resume()
    }

    private static func result(of failure: (any Error)?) -> Result<WebSocket.Message?, any Error> {
        failure.map { .failure($0) } ?? .success(nil)
    }
}

extension WebSocket.Message {
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}
