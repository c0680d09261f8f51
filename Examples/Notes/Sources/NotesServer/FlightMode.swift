import NetClient
import NetTesting

/// A switch for the network of one client: give it as its `connectionMonitor:` and among its `interceptors:`.
///
/// An app takes `ConnectionMonitor.shared`, and needs no interceptor. Here the server is on the same machine, which a client reaches
/// while it is offline, too; so the switch fails the requests itself.
package final class FlightMode: ConnectionMonitoring, HTTPInterceptor {
    private let network = MockConnectionMonitor()

    package init() {}

    package var isReachable: Bool { network.isReachable }

    package var statuses: AsyncStream<ConnectionStatus> { network.statuses }

    package func set(_ isOn: Bool) { network.isReachable = !isOn }

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
