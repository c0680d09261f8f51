public import NetCore

/// Why a ``PendingOperationsQueue`` could not be opened, or did not take a request.
public enum PendingOperationsError: Error, Hashable, Sendable {
    /// Another process, or another queue in this one, has the file open.
    case inUse(path: String)
    /// The file is there, and is no queue: it is left as it is.
    case notAQueue(path: String)
    /// The file cannot be read or written. The request was not stored.
    case storageFailed(String)
    /// The queue was closed by ``PendingOperationsQueue/close()``. The request was not stored.
    case closed
    /// The request's body is a stream, which cannot be stored: give its bytes as `httpBody`.
    case bodyIsStream
    /// The request's body has more bytes than a queue stores.
    case bodyTooLarge(limit: Int)
}

extension PendingOperationsError: LocalizedError, CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .inUse(let path):
            "The queue \(path) is open already, here or in another process. Keep one queue for each file."
        case .notAQueue(let path): "The file \(path) is no queue of pending operations. Give another path."
        case .storageFailed(let reason): "The queue cannot be stored: \(reason)"
        case .closed: "The queue was closed. Open another one on its file."
        case .bodyIsStream: "A request with a body stream cannot be stored. Give its bytes as httpBody."
        case .bodyTooLarge(let limit):
            "A pending operation stores bodies of up to \(limit) bytes. Upload a larger one from a file."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
