public import NetCore

/// Where a Redis server listens.
public enum RedisAddress: Hashable, Sendable {
    /// A TCP port.
    case tcp(host: String, port: Int = 6379)
    /// A Unix-domain socket of this machine.
    case unixSocket(path: String)
}

/// The settings of a ``RedisClient``.
///
/// ```swift
/// var configuration = RedisConfiguration(.tcp(host: "cache.internal", port: 6380))
/// configuration.password = password
/// configuration.tls = try RedisTLS()
/// let redis = RedisClient(configuration)
/// ```
public struct RedisConfiguration: Sendable {
    /// The server, or any node of a Redis Cluster.
    public var address: RedisAddress
    /// The user for `AUTH` (Redis 6 and later); nil for the default user.
    public var username: String?
    /// The password for `AUTH`; nil if the server needs none.
    public var password: String?
    /// The database for `SELECT`. A Redis Cluster has only 0.
    public var database = 0
    /// The encryption of the connection; nil sends everything in clear text, the password included.
    public var tls: RedisTLS?
    /// The time that connecting, and each reply, may take, in seconds of real time. From a millisecond to a day.
    public var timeout: TimeInterval = 0.5
    /// The time without attempts after the server could not be reached or did not reply, in seconds.
    public var pause: TimeInterval = 1

    /// Creates a configuration without a password and without TLS.
    public init(_ address: RedisAddress) {
        self.address = address
    }
}

extension RedisConfiguration: RedactedReflectable {
    /// The settings without the password.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "address": address, "username": username, "database": database, "tls": tls != nil, "timeout": timeout,
            "pause": pause,
        ]
    }
}
