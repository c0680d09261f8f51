import NetClient
import NetTesting

/// A switch for the network of one client: give it as its `connectionMonitor:` and among its `interceptors:`.
///
/// An app takes `ConnectionMonitor.shared`, and needs no interceptor. Here the server is on the same machine, which a client reaches
/// while it is offline, too; so the switch fails the requests itself.
package final class FlightMode: ConnectionMonitoring, HTTPInterceptor, @unchecked Sendable {
    // Unchecked, since the compiler cannot see that the lock guards the two below it.
    private let lock = NSLock()
    private var isOn = false
    private var listeners: [UUID: AsyncStream<ConnectionStatus>.Continuation] = [:]

    package init() {}

    package var isReachable: Bool { lock.withLock { !isOn } }

    package func set(_ isOn: Bool) {
        lock.withLock {
            self.isOn = isOn
            for listener in listeners.values { listener.yield(ConnectionStatus(isReachable: !isOn)) }
        }
    }

    package var statuses: AsyncStream<ConnectionStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = UUID()
            lock.withLock {
                listeners[id] = continuation
                continuation.yield(ConnectionStatus(isReachable: !isOn))
            }
            continuation.onTermination = { [weak self] _ in
                self?.lock.withLock { self?.listeners[id] = nil }
            }
        }
    }

    package func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard isReachable else { throw NetworkError.noInternetConnection }
        return try await next(request)
    }
}

extension NetworkClient {
    /// A client of the stand-in, with a switch for its network.
    package static func of(
        _ server: NotesServer, _ flightMode: FlightMode = FlightMode(), clock: any NetworkClock = .system
    ) -> NetworkClient {
        NetworkClient(
            environment: NotesEnvironment(baseURL: server.server.url), interceptors: [flightMode],
            connectionMonitor: flightMode, clock: clock)
    }
}

private struct NotesEnvironment: NetworkEnvironment {
    let baseURL: URL
}
