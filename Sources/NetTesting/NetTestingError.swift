public import NetCore

/// What can go wrong in the test tools themselves, as opposed to what they simulate.
public enum NetTestingError: Error, Hashable, Sendable {
    /// A call to the system failed: which one, and its `errno`.
    case system(call: String, code: Int32)
    /// The path of a Unix-domain socket does not fit into the system's address structure, which ends at `limit` bytes.
    case pathTooLong(limit: Int)
    /// What was waited for did not happen within that many seconds of real time.
    case timedOut(seconds: TimeInterval)
    /// The server was stopped, so what was waited for cannot happen any more.
    case stopped
    /// It cannot be had on this machine, and why: what is missing, and how to get it.
    case unavailable(String)
    /// What was asked is not in the recording that a ``ReplayTransport`` answers from, and what is.
    case notRecorded(String)
}

extension NetTestingError: LocalizedError {
    /// One sentence that says what happened.
    public var errorDescription: String? {
        switch self {
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (errno \(code))."
        case .pathTooLong(let limit): "The path of a Unix-domain socket may have \(limit) bytes at most."
        case .timedOut(let seconds): "It did not happen within \(seconds) s."
        case .stopped: "The server was stopped."
        case .unavailable(let reason), .notRecorded(let reason): reason
        }
    }
}
