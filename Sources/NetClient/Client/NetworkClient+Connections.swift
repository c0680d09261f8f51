// The connections of a client, for those who operate it.
extension NetworkClient {
    /// Returns the connections and exchanges of this moment, one element for each origin that has any, sorted by origin. Clients that share
    /// the transport (``with(_:)``) have the same. Nil if the transport cannot tell, as `URLSessionTransport`.
    ///
    /// It takes the lock of the transport's pool for a moment, so call it once a second rather than for each request.
    public func connectionStatistics() -> [ConnectionStatistics]? { resources.transport.connectionStatistics() }

    /// Replaces the client certificate of the transport, for example when it is renewed, for all clients that share the transport (``with(_:)``).
    ///
    /// New connections use it. Connections that were opened with the earlier one get no further requests: they close when their last
    /// response has ended. WebSockets stay open. ``configuration`` keeps the earlier certificate, so a client that is derived later with
    /// other transport settings begins with that one.
    ///
    /// Use it for a certificate of the same subject. The cache keeps responses to different certificates apart, but a request that is under
    /// way during the replacement may be stored as one of the earlier. For another subject, make a new client.
    ///
    /// - Throws: ``NetworkFailure``. Its cause is ``NetworkError/unsupported(_:)`` if the configuration has no client certificate, or if the
    ///   transport cannot replace it, as `URLSessionTransport`; its ``NetworkFailure/transportError`` has the code
    ///   ``TransportError/Code/clientCertificateRejected`` for a certificate that cannot be read or used with its key. Then the earlier one stays.
    public func replaceClientCertificate(
        _ certificate: TransportConfiguration.ClientCertificate
    ) throws(NetworkFailure) {
        do {
            try resources.transport.replaceClientCertificate(certificate)
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
    }
}
