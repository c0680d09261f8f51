public import Foundation
public import NetClient
public import ServiceLifecycle

/// A service that drains a client on graceful shutdown.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [NetworkClientService(client: client), server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// List it before the services that use the client: a group shuts down its services in reverse order, so the client drains when they have
/// ended.
public struct NetworkClientService: Service, CustomStringConvertible {
    /// The client that is shut down.
    public let client: NetworkClient
    /// The longest time that calls in flight have to end after a graceful shutdown begins, in seconds.
    public let drainLimit: TimeInterval

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - client: the client to shut down. Clients that are derived from it (`with(_:)`) go on: make a service for each.
    ///   - drainLimit: the longest time to wait for calls in flight, in seconds, on the client's clock. The default is 30. Zero and less
    ///     cancel them at once; `.infinity` waits without a limit. A `maximumGracefulShutdownDuration` of the group should be longer.
    public init(client: NetworkClient, drainLimit: TimeInterval = 30) {
        self.client = client
        self.drainLimit = drainLimit
    }

    /// Waits for a graceful shutdown, and then drains the client: new calls fail with `NetworkError.unsupported(_:)`, and the calls in flight
    /// run to their end. Returns when they have ended.
    ///
    /// Calls that are in flight when the limit has passed fail with `NetworkError.cancelled`. A call that waits in an interceptor fails at
    /// its next step. A response that is still read as a stream when all calls have ended is cut off: the client does not wait for streams.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, before or while it drains. It then cancels the calls, and does not wait for
    ///   them.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            cancel()
            throw error
        }
        try await drain()
    }

    public var description: String { "NetworkClientService" }

    private enum Event {
        case drained
        case limitReached
    }

    private func drain() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        // Tasks of their own: `shutdown` returns when the calls have ended, also if this task is cancelled.
        Task { [client] in
            await client.shutdown(.drain)
            continuation.yield(.drained)
        }
        let timer =
            drainLimit == .infinity
            ? nil
            : Task { [client, drainLimit] in
                if drainLimit > 0 { try await client.clock.sleep(for: drainLimit) }
                continuation.yield(.limitReached)
            }
        defer { timer?.cancel() }
        for await event in events {
            switch event {
            case .drained: return
            case .limitReached: cancel()
            }
        }
        // The stream ends if this task is cancelled.
        cancel()
        throw CancellationError()
    }

    /// Cancels the calls in flight and refuses new ones, without waiting.
    private func cancel() {
        client.cancelAll()
        Task { [client] in await client.shutdown(.cancel) }
    }
}
