public import NetCore

/// An error of the test tools themselves, rather than one that they simulate.
public enum NetTestingError: Error, Hashable, Sendable {
    /// A system call failed with that `errno`.
    case system(call: String, code: Int32)
    /// The path of a Unix-domain socket is longer than `limit` bytes.
    case pathTooLong(limit: Int)
    /// The time limit was exceeded, in seconds of real time.
    case timedOut(seconds: TimeInterval)
    /// The server was stopped while a task waited for it.
    case stopped
    /// A feature is unavailable on this machine, for that reason.
    case unavailable(String)
    /// A request is not in the recording of a ``ReplayTransport``. The text names the request and the entries that are left.
    case notRecorded(String)
}

extension NetTestingError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        case .pathTooLong(let limit): "The path of a Unix-domain socket may have \(limit) bytes at most."
        case .timedOut(let seconds): "The time limit of \(seconds) s was exceeded."
        case .stopped: "The server was stopped."
        case .unavailable(let reason), .notRecorded(let reason): reason
        }
    }
}
