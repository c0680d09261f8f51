public import NetCore

/// What can go wrong with Redis. A cache or a log that meets it costs a hit or a line, never a request.
public enum RedisError: Error, Hashable, Sendable {
    /// There is no connection, and none is tried for a moment: the last try failed.
    case unavailable
    /// The connection was lost, refused or could not be understood before the answer came, and why.
    case connectionFailed(reason: String)
    /// No answer came for that many seconds.
    case timedOut(seconds: TimeInterval)
    /// The server's own words, such as `OOM command not allowed when used memory > 'maxmemory'.`
    case refused(String)
    /// The client was closed.
    case closed
}

extension RedisError: LocalizedError {
    /// One sentence that says what happened.
    public var errorDescription: String? {
        switch self {
        case .unavailable: "Redis is not to be reached; it is tried again in a moment."
        case .connectionFailed(let reason): "The connection to Redis failed: \(reason)"
        case .timedOut(let seconds): "Redis did not answer for \(seconds) s."
        case .refused(let words): "Redis refused: \(words)"
        case .closed: "This client of Redis was closed."
        }
    }
}
