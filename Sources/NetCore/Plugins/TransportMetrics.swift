/// Where the time of one exchange went, and what it moved. Times are seconds since the exchange began; one that did not
/// happen (no lookup and no handshake on a reused connection) or is not known to the transport is nil.
public struct TransportMetrics: Hashable, Sendable {
    /// The address was known.
    public var nameLookup: TimeInterval?
    /// The connection was open.
    public var connect: TimeInterval?
    /// The TLS handshake was complete.
    public var secureConnect: TimeInterval?
    /// The request's first byte could be sent.
    public var requestStart: TimeInterval?
    /// The response's first byte was there.
    public var firstByte: TimeInterval?
    /// All was received. Nil while the body is still coming.
    public var total: TimeInterval?
    /// Whether the connection had been used before.
    public var isReusedConnection: Bool?
    /// Bytes of the request's body.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's body on the wire.
    public var bytesReceived: Int64 = 0
    /// The address of the peer (server or proxy), such as `"127.0.0.1:8080"`.
    public var remoteAddress: String?

    /// Nothing known.
    public init() {}
}

/// Holds the metrics of an exchange that may still be running: the body's end completes them.
package final class MetricsBox: Sendable {
    private let complete: TransportMetrics?
    private let value: Locked<TransportMetrics>?

    package init(_ metrics: TransportMetrics) {
        complete = nil
        value = Locked(metrics)
    }

    /// Of an exchange that is over: there is nothing to guard, and a lock costs more than all else of a small response's
    /// metrics.
    package init(complete metrics: TransportMetrics) {
        complete = metrics
        value = nil
    }

    package var metrics: TransportMetrics {
        get { complete ?? value?.withLock { $0 } ?? TransportMetrics() }
        set { value?.withLock { $0 = newValue } }
    }
}
