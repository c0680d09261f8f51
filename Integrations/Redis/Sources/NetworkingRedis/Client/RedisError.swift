public import NetCore

/// An error of Redis or of the connection to it.
///
/// An error of a cache costs a hit, never a request. The limits let requests pass, unless `failsOpen` is false.
public enum RedisError: Error, Hashable, Sendable {
    /// There is no connection, and none is tried during the pause after a failure: see ``RedisConfiguration/pause``.
    case unavailable
    /// The connection was lost or refused, or its bytes were not RESP.
    case connectionFailed(reason: String)
    /// No reply arrived in that many seconds.
    case timedOut(seconds: TimeInterval)
    /// The server's own words, such as `OOM command not allowed when used memory > 'maxmemory'.`
    case refused(String)
    /// A node of a cluster referred to another one too often. The cluster is probably being resharded or has lost nodes.
    case tooManyRedirections
    /// A setting cannot be used.
    case invalidConfiguration(reason: String)
    /// The client was closed.
    case closed
}

extension RedisError: LocalizedError {
    /// One sentence that says what happened.
    public var errorDescription: String? {
        switch self {
        case .unavailable: "Redis cannot be reached. The next attempt is made after the pause."
        case .connectionFailed(let reason): "The connection to Redis failed: \(reason)"
        case .timedOut(let seconds): "Redis did not reply within \(seconds) s."
        case .refused(let words): "Redis refused the command: \(words)"
        case .tooManyRedirections: "The nodes of the Redis Cluster refer to each other. Check CLUSTER INFO."
        case .invalidConfiguration(let reason): reason
        case .closed: "This Redis client was closed."
        }
    }
}
