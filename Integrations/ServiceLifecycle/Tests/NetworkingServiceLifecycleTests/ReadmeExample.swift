import Configuration
import Logging
import NetClient
import NetworkingConfiguration
import NetworkingServiceLifecycle
import ServiceLifecycle
import UnixSignals

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
func run(_ server: any Service, reading config: ConfigReader) async throws {
    let client = NetworkClient(configuration: try await .init(reading: config.scoped(to: "http.client")))
    let group = ServiceGroup(
        services: [NetworkClientService(client: client, drainLimit: 20), server],
        gracefulShutdownSignals: [.sigterm], logger: Logger(label: "app"))
    try await group.run()
}
