internal import NIOConcurrencyHelpers
internal import NIOCore
public import NetCore

/// A client of a Redis server or a Redis Cluster. All tasks share one connection for each server, and commands do not wait for the replies of
/// others (pipelining).
///
/// ```swift
/// let redis = RedisClient(.tcp(host: "cache.internal"))
/// let reply = try await redis.send(["GET", "greeting"])
/// ```
///
/// It connects at the first use, and again after a connection was lost. If the server cannot be reached or does not reply in time, commands
/// fail at once for ``RedisConfiguration/pause`` seconds. So a Redis that is down costs most requests nothing.
///
/// In a Redis Cluster, the client follows `MOVED` and `ASK`, and remembers which node has which slot.
public final class RedisClient: Sendable {
    private struct State {
        var nodes: [RedisAddress: RedisConnection] = [:]
        /// The nodes of slots that are not on the first node.
        var slots: [Int: RedisAddress] = [:]
        var isClosed = false
    }

    private let configuration: RedisConfiguration
    private let clock: any NetworkClock
    private let state = NIOLockedValueBox(State())

    /// The most redirections of one command.
    private static let redirectionLimit = 5
    /// The most nodes with a connection. A server cannot make the client open more.
    private static let nodeLimit = 1_000

    /// Creates a client. It does nothing until it is used.
    ///
    /// - Parameters:
    ///   - configuration: the address, the credentials and the timeouts.
    ///   - clock: measures the pause.
    public init(_ configuration: RedisConfiguration, clock: any NetworkClock = .system) {
        self.configuration = configuration
        self.clock = clock
    }

    /// Creates a client without credentials and TLS.
    public convenience init(_ address: RedisAddress) {
        self.init(RedisConfiguration(address))
    }

    deinit { close() }

    /// Closes the connections. Waiting and later commands fail. May be called more than once.
    public func close() {
        let nodes = state.withLockedValue { state in
            state.isClosed = true
            return state.nodes.values.map { $0 }
        }
        for node in nodes { node.close() }
    }

    /// Sends a command.
    ///
    /// - Returns: the reply.
    /// - Throws: ``RedisError``, or `CancellationError` if the task is cancelled. The server may run a cancelled command all the same.
    public func send(_ command: RedisCommand) async throws -> RedisValue {
        let known = knownNode(of: command)
        do {
            return try await send(command, to: known ?? configuration.address)
        } catch let error as RedisError {
            if case .refused = error { throw error }
            // The node may have been replaced. The first node knows its successor.
            if let known { state.withLockedValue { state in state.slots = state.slots.filter { $0.value != known } } }
            throw error
        }
    }

    /// Returns the node of the command's slot, or nil if it is the first node or unknown.
    private func knownNode(of command: RedisCommand) -> RedisAddress? {
        guard let key = command.key, !state.withLockedValue({ $0.slots.isEmpty }) else { return nil }
        let slot = ClusterSlot.of(key.bytes)
        return state.withLockedValue { $0.slots[slot] }
    }

    /// Sends a command, and blocks the thread until the reply arrives. For a thread of your own, such as that of a `LogSink`. It does not follow
    /// redirections of a cluster.
    ///
    /// - Throws: ``RedisError``.
    @available(*, noasync)
    public func sendAndWait(_ command: RedisCommand) throws -> RedisValue {
        try node(at: configuration.address).send(command).futureResult.wait()
    }

    /// Sends a command to a node, and follows redirections
    /// (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding>).
    func send(_ command: RedisCommand, to address: RedisAddress) async throws -> RedisValue {
        var (address, isAsking) = (address, false)
        for _ in 0...Self.redirectionLimit {
            do {
                return try await send(command, to: node(at: address), isAsking: isAsking)
            } catch RedisError.refused(let words) {
                guard let redirection = ClusterRedirection(words, from: address) else {
                    throw RedisError.refused(words)
                }
                (address, isAsking) = (redirection.address, !redirection.isPermanent)
                if redirection.isPermanent {
                    state.withLockedValue { $0.slots[redirection.slot] = redirection.address }
                }
            }
        }
        throw RedisError.tooManyRedirections
    }

    private func send(
        _ command: RedisCommand, to node: RedisConnection, isAsking: Bool
    ) async throws -> RedisValue {
        try Task.checkCancellation()
        let reply = node.send(command, isAsking: isAsking)
        return try await withTaskCancellationHandler {
            try await reply.futureResult.get()
        } onCancel: {
            // A promise keeps its first result. The reply that still arrives finds its place in the order, and is ignored.
            reply.fail(CancellationError())
        }
    }

    private func node(at address: RedisAddress) throws -> RedisConnection {
        try state.withLockedValue { state in
            if state.isClosed { throw RedisError.closed }
            if let node = state.nodes[address] { return node }
            guard state.nodes.count < Self.nodeLimit else { throw RedisError.tooManyRedirections }
            var configuration = configuration
            configuration.address = address
            let node = RedisConnection(configuration, clock: clock)
            state.nodes[address] = node
            return node
        }
    }

    /// Returns the address of each master: one outside of a cluster.
    func masters() async throws -> [RedisAddress] {
        do {
            let ranges = try await send(["CLUSTER", "SLOTS"], to: configuration.address).elements ?? []
            let nodes = ranges.compactMap { range -> RedisAddress? in
                guard let parts = range.elements, parts.count > 2, let node = parts[2].elements, node.count > 1,
                    case .integer(let port) = node[1]
                else { return nil }
                return ClusterRedirection.address(node[0].text ?? "", port: Int(port), from: configuration.address)
            }
            return nodes.isEmpty ? [configuration.address] : Array(Set(nodes))
        } catch RedisError.refused {
            // Not a cluster, or a user without the permission for it.
            return [configuration.address]
        }
    }
}
