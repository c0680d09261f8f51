import NetTesting
import NetWebSocket
import TestLab
import Testing

extension NetworkClient {
    /// For servers with the laboratory's certificates.
    static func trusting(_ change: (inout TransportConfiguration) -> Void = { _ in }) async throws -> NetworkClient {
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: try await TestCertificates.shared.ca.pem)
        change(&configuration)
        return NetworkClient(retryPolicy: .none, transport: .platform(configuration))
    }
}

extension WebSocket {
    /// Sends a message to a server that echoes, and receives it.
    func expectEcho(_ message: Message, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await send(message)
        #expect(try await receive() == message, sourceLocation: sourceLocation)
    }
}

func webSocketFailure(
    _ call: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
) async -> NetworkFailure? {
    await #expect(throws: NetworkFailure.self, sourceLocation: sourceLocation) { _ = try await call() }
}

extension NetworkFailure { var webSocketError: WebSocketError? { underlyingError as? WebSocketError } }
