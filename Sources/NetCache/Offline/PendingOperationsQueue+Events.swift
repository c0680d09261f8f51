public import NetCore

extension PendingOperationsQueue {
    /// A change of an operation in the queue.
    public struct Event: Sendable {
        /// What happened.
        public enum Kind: Sendable {
            /// The queue stored the operation.
            case added
            /// The queue is sending the operation.
            case started
            /// The server accepted the operation, and the queue removed it. `body` has the first 1 MiB of the response.
            case succeeded(statusCode: Int, headers: HTTPHeaders, body: Data)
            /// The operation could not be sent, or the server refused it. ``PendingOperation/state`` says whether the queue sends it again.
            case failed(NetworkFailure)
            /// The server reported a conflict, and the conflict hook resolved it so.
            case conflict(statusCode: Int, PendingOperation.Conflict.Resolution)
            /// The operation stays, unsent, while a user other than its own is signed in. The operations behind it are sent.
            case held
            /// The operation was too old to be sent, and the queue removed it.
            case expired
            /// ``PendingOperationsQueue/remove(_:)`` removed the operation.
            case removed
            /// The queue could not store the outcome, and ends the pass. The next pass begins with storing the removal of a completed
            /// operation. After a restart the queue sends the operation again, with the same idempotency key.
            case storageFailed(any Error)
        }

        /// The operation after the change.
        public let operation: PendingOperation
        public let kind: Kind
    }

    /// The reason why a queue could not be opened, or did not accept a request.
    public enum Failure: Error, Hashable, Sendable {
        /// Another process, or another queue in this process, is sending the operations of the file, or has locked it for 10 seconds.
        case inUse(path: String)
        /// The file exists and is not a queue. It stays as it is.
        case notAQueue(path: String)
        /// The file cannot be read or written. The request was not stored.
        case storageFailed(String)
        /// ``PendingOperationsQueue/close()`` closed the queue. The request was not stored.
        case closed
        /// The request's body is a stream, which cannot be stored. Set its bytes as `httpBody`.
        case bodyIsStream
        /// The request's body has more than `limit` bytes.
        case bodyTooLarge(limit: Int)
    }
}

extension PendingOperationsQueue.Failure: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .inUse(let path):
            "Another queue or process is using \(path). Call processAll() again later, or use run(monitor:), which does."
        case .notAQueue(let path): "The file \(path) is not a queue of pending operations. Use another path."
        case .storageFailed(let reason): "The queue cannot be stored: \(reason)"
        case .closed: "The queue was closed. Open another queue on its file."
        case .bodyIsStream: "A request with a body stream cannot be stored. Set its bytes as httpBody."
        case .bodyTooLarge(let limit):
            "A pending operation stores bodies of up to \(limit) bytes. Upload a larger body from a file."
        }
    }

    public var errorDescription: String? { description }
}
