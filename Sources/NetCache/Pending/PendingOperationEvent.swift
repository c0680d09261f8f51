public import NetCore

/// What has become of an operation in a ``PendingOperationsQueue``.
public struct PendingOperationEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// It was stored.
        case added
        /// It is being sent.
        case started
        /// The server has taken it, and it is gone from the queue. `body` has the first 1 MiB of the answer.
        case succeeded(statusCode: Int, headers: HTTPHeaders, body: Data)
        /// It could not be sent, or the server refused it. ``PendingOperation/state`` says whether it will be sent again.
        case failed(NetworkFailure)
        /// The server is in conflict with it, and this is what the conflict hook made of it.
        case conflict(statusCode: Int, PendingConflict.Resolution)
        /// It stays, unsent, while another user is signed in than the one whose it is. Those behind it are sent.
        case held
        /// It was too old to be sent, and is gone from the queue.
        case expired
        /// Somebody removed it.
        case removed
        /// What became of it could not be stored: after a restart it is sent again, with the same idempotency key.
        case storageFailed(any Error)
    }

    /// The operation, as it is afterwards.
    public let operation: PendingOperation
    /// What happened.
    public let kind: Kind
}

/// An operation with which the server is in conflict (409, 412): somebody else has changed what it is about.
public struct PendingConflict: Sendable {
    /// What to do about it.
    public enum Resolution: Sendable {
        /// It stays, and is sent again the next time that the queue is processed.
        case keep
        /// It is gone from the queue: the server's state stands.
        case drop
        /// This request takes its place, under a new idempotency key, and is sent now. Of a request that meets one conflict after the
        /// other, the fourth in a row is kept.
        case replace(URLRequest)
    }

    /// The operation that was sent.
    public let operation: PendingOperation
    /// 409 or 412.
    public let statusCode: Int
    /// The header fields of the answer: the current `ETag`, perhaps.
    public let headers: HTTPHeaders
    /// The first 1 MiB of the answer.
    public let body: Data
}

extension PendingConflict: RedactedReflectable {
    /// The operation, the status and the header fields, without the body.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["operation": operation, "statusCode": statusCode, "headers": headers, "body": "\(body.count) bytes"]
    }
}

/// Hands events to everybody who listens.
final class PendingOperationEvents: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<PendingOperationEvent>.Continuation] = [:]
        var last = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// What a listener may fall behind before it misses events.
    private static let bufferSize = 1000

    deinit { end() }

    /// Ends the streams, also those that are asked for later.
    func end() {
        let listeners = state.withLock { state in
            state.hasEnded = true
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.finish() }
    }

    func send(_ kind: PendingOperationEvent.Kind, _ operation: PendingOperation) {
        let event = PendingOperationEvent(operation: operation, kind: kind)
        for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.yield(event) }
    }

    func stream() -> AsyncStream<PendingOperationEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.bufferSize)) { continuation in
            let id = state.withLock { state -> Int? in
                guard !state.hasEnded else { return nil }
                state.last += 1
                state.listeners[state.last] = continuation
                return state.last
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
        }
    }
}
