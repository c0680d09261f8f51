extension TransportResponse {
    /// The connection that a response came over. A part that does not apply or is unknown is nil.
    ///
    /// On Linux it is read once, after the handshake, and shared by all exchanges of the connection. Over a Unix-domain socket nothing is
    /// known. `URLSession` reports it at the end of the response on Apple platforms, and not at all on Linux.
    public struct Connection: Hashable, Sendable {
        /// The version of TLS, or nil without TLS.
        public var tlsVersion: TransportConfiguration.TLSVersion?
        /// The cipher suite by its name in IANA's registry: `"TLS_AES_128_GCM_SHA256"`. On Apple platforms, a few old ones are numbers: `"0x0035"`.
        public var cipherSuite: String?
        /// The protocol that the server chose in the handshake (ALPN, RFC 7301): `"h2"` or `"http/1.1"`. Nil if it chose none, or without TLS.
        public var applicationProtocol: String?
        /// The server's certificates, leaf first: as sent on Linux, as evaluated on Apple platforms. There they are known for the
        /// first exchange of a connection, of a transport with a trust policy or authorities of its own.
        ///
        /// To decide by them, use a ``ServerTrustPolicy``: it is asked before the request is sent, and sees certificates that prove the server's.
        public var certificates: CertificateChain?
        /// The own address and port, such as `"192.0.2.7:51234"` or `"[::1]:51234"`.
        public var localAddress: String?
        /// The address and port of the peer: the server or a proxy.
        public var remoteAddress: String?

        public init() {}

        /// `192.0.2.1:443`, `[::1]:443`.
        package static func address(_ host: String, _ port: some BinaryInteger) -> String {
            host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// The connection that the response came over, or nil if nothing is known of it: for a response of a cache, or of a custom transport.
    public var connection: TransportResponse.Connection? { pipeline.metricsBox?.connection?.value }

    /// The trailer fields, which follow the body (RFC 9110, section 6.5), such as `grpc-status` or a `Digest`.
    ///
    /// They are there when the body has been read to its end (nil before the end arrives), and empty if there were none. `URLSession` drops them, so there, and for a
    /// response of a cache, they stay nil. They are never merged into ``headers``, and nothing in this SDK acts on them: a `Set-Cookie`
    /// or `Content-Length` among them has no effect. ``TransportConfiguration/Limits/headerBytes`` bounds head and trailers together.
    public var trailers: HTTPHeaders? { pipeline.metricsBox?.trailers }

    /// The redirects that were followed before this response, in order: heads only.
    public var redirects: [RetryTrace.Redirect] { retryTrace.hops }
}

extension TransportResponse.Connection: RedactedReflectable {
    /// All parts; of the certificates their number.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "tlsVersion": tlsVersion, "cipherSuite": cipherSuite, "applicationProtocol": applicationProtocol,
            "certificates": certificates?.certificates.count, "localAddress": localAddress,
            "remoteAddress": remoteAddress,
        ]
    }
}

/// What is known of a connection, shared by its exchanges: each costs a reference only.
package typealias ConnectionBox = Boxed<TransportResponse.Connection>

/// The metrics of an exchange that may still be running, its connection and its trailers. The end of the body completes them.
package final class MetricsBox: Sendable {
    private struct Facts {
        var metrics: TransportResponse.Metrics
        var connection: ConnectionBox?
        var trailers: HTTPHeaders?
    }

    private let complete: Facts?
    private let value: Locked<Facts>?

    package init(_ metrics: TransportResponse.Metrics, over connection: ConnectionBox? = nil) {
        complete = nil
        value = Locked(Facts(metrics: metrics, connection: connection))
    }

    /// Creates the metrics of a finished exchange. They need no lock, which would cost more than the rest of a small response's metrics.
    package init(
        complete metrics: TransportResponse.Metrics, over connection: ConnectionBox? = nil,
        trailers: HTTPHeaders? = nil
    ) {
        complete = Facts(metrics: metrics, connection: connection, trailers: trailers)
        value = nil
    }

    package var metrics: TransportResponse.Metrics {
        get { complete?.metrics ?? value?.withLock(\.metrics) ?? TransportResponse.Metrics() }
        set { value?.withLock { $0.metrics = newValue } }
    }

    package var connection: ConnectionBox? {
        get { complete.map(\.connection) ?? value?.withLock(\.connection) }
        set { value?.withLock { $0.connection = newValue } }
    }

    package var trailers: HTTPHeaders? {
        get { complete.map(\.trailers) ?? value?.withLock(\.trailers) }
        set { value?.withLock { $0.trailers = newValue } }
    }
}
