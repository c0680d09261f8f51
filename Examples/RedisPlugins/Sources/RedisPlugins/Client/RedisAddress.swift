/// Where a Redis server listens.
public enum RedisAddress: Hashable, Sendable {
    /// On a TCP port. What goes there is not encrypted: for a private network.
    case tcp(host: String, port: Int = 6379)
    /// On a Unix-domain socket of this machine.
    case unixSocket(path: String)
}
