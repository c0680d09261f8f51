import NetTesting
import NetWebSocket
import TestLab
import Testing

extension NetworkClient {
    /// For servers with the laboratory's certificates.
    static func trusting(
        _ identity: TransportConfiguration.CertificateAuthorities? = nil, retryPolicy: RetryPolicy = .none,
        clock: any NetworkClock = .system, _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) async throws -> NetworkClient {
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: try await TestCertificates.shared.ca.pem)
        change(&configuration)
        return NetworkClient(retryPolicy: retryPolicy, transport: .platform(configuration), clock: clock)
    }
}

/// The failure of a call.
func webSocketFailure(
    _ call: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
) async -> NetworkFailure? {
    do {
        _ = try await call()
        Issue.record("It did not fail.", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error as? NetworkFailure
    }
}

extension NetworkFailure { var webSocketError: WebSocketError? { underlyingError as? WebSocketError } }
