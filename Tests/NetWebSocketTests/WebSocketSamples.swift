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
    /// Sends the token `old`, and `new` after a refresh.
    static func refreshingItsToken() -> NetworkClient {
        let tokens = Locked(["old", "new"])
        return NetworkClient(interceptors: [
            AuthInterceptor(
                tokenProvider: { tokens.withLock { $0.first } },
                onUnauthorized: { tokens.withLock { _ = $0.removeFirst() } })
        ])
    }
}

extension WebSocket {
    /// Sends a message to a server that echoes, and receives it.
    func expectEcho(_ message: Message, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await send(message)
        #expect(try await receive() == message, sourceLocation: sourceLocation)
    }
}

extension WebSocket.Options {
    /// The default options with changes.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }

    /// The default options with a close timeout that no pause of a busy machine exceeds.
    static let longCloseTimeout = WebSocket.Options { $0.closeTimeout = 120 }
}

extension WebSocket.Compression {
    /// `permessage-deflate` with changes.
    init(_ change: (inout Self) -> Void) {
        self = .deflate
        change(&self)
    }
}

extension ReconnectingWebSocket {
    /// The texts of the next messages.
    func texts(_ count: Int) async throws -> [String] {
        try await messages.prefix(count).reduce(into: []) { $0.append($1.text ?? "") }
    }
}

func webSocketFailure(
    _ call: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
) async -> NetworkFailure? {
    await #expect(throws: NetworkFailure.self, sourceLocation: sourceLocation) { _ = try await call() }
}

extension NetworkFailure { var webSocketError: WebSocketError? { underlyingError as? WebSocketError } }
