import NetCore

/// The loop on the one thread of a server: it waits for events with `poll`, and hands them to the connections.
///
/// It is one thread for all connections, so that a test with hundreds of connections does not measure our threads.
final class EventLoop {
    private let listener: Listener
    private let services: LoopConnection.Services
    private let open: (_ number: Int, Channel, _ now: TimeInterval) -> LoopConnection
    /// In the order of their numbers.
    private var connections: [LoopConnection] = []
    /// When to accept again after the process ran out of descriptors. Until then `poll` would report the same connection without end.
    private var acceptsAgainAt: TimeInterval?
    private var isStopped = false

    /// - Parameter open: makes the connection of a client that was accepted.
    init(
        listener: Listener, services: LoopConnection.Services,
        open: @escaping (_ number: Int, Channel, _ now: TimeInterval) -> LoopConnection
    ) {
        self.listener = listener
        self.services = services
        self.open = open
    }

    /// Runs until the server is stopped, and closes everything.
    func run() {
        defer {
            listener.close()
            closeConnections()
            connections = []
            services.commands.close()
            services.journal.update { $0.isStopped = true }
        }
        var polled: [pollfd] = []
        while true {
            for command in services.commands.take() { command(self) }
            if isStopped { return }
            connections.removeAll(where: \.isClosed)
            fill(&polled)
            let result = poll(&polled, nfds_t(polled.count), timeout(now: Self.now))
            guard result >= 0 else {
                // The kernel is out of memory. A signal cannot be the reason, since this thread blocks signals.
                _ = usleep(1_000)
                continue
            }
            let now = Self.now
            for (index, entry) in zip(connections.indices, polled.dropFirst(2)) {
                let connection = connections[index]
                let events = entry.revents | (connection.hasPendingBytes ? Int16(POLLIN) : 0)
                if events != 0 {
                    connection.handle(events, now: now)
                } else if let deadline = connection.deadline, deadline <= now {
                    connection.advance(now: now)
                }
                if let successor = connection.successor {
                    connections[index] = successor
                    successor.advance(now: now)
                }
            }
            if let time = acceptsAgainAt, time <= now { acceptsAgainAt = nil }
            if polled[1].revents != 0 { accept(now: now) }
        }
    }

    private static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }

    /// Sends the response of a handler.
    func answer(_ response: MockResponse, connection number: Int, exchange: Int) {
        connections.first { $0.number == number }?.receive(response, exchange: exchange, now: Self.now)
    }

    /// Changes one connection, or all if the number is nil.
    ///
    /// - Parameter change: returns whether it has changed the connection.
    func update(_ number: Int?, _ change: (LoopConnection) -> Bool) {
        for connection in connections where (number == nil || number == connection.number) && change(connection) {
            connection.advance(now: Self.now)
        }
    }

    func closeConnections() { for connection in connections { connection.close() } }

    func stop() { isStopped = true }

    /// Lists the command queue, the listener, and the connections in their order.
    private func fill(_ polled: inout [pollfd]) {
        polled.removeAll(keepingCapacity: true)
        polled.append(pollfd(fd: services.commands.receiver.descriptor, events: Int16(POLLIN), revents: 0))
        let listens = acceptsAgainAt == nil
        polled.append(pollfd(fd: listener.socket.descriptor, events: listens ? Int16(POLLIN) : 0, revents: 0))
        polled += connections.lazy.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    }

    /// Returns the time to wait in milliseconds, rounded up so that the loop does not wake too early.
    private func timeout(now: TimeInterval) -> Int32 {
        let deadline = connections.reduce(acceptsAgainAt ?? .infinity) { min($0, $1.deadline ?? .infinity) }
        if connections.contains(where: \.hasPendingBytes) { return 0 }
        guard deadline < .infinity else { return -1 }
        return Int32(min(max(0, (deadline - now) * 1_000).rounded(.up), 60_000))
    }

    private func accept(now: TimeInterval) {
        while true {
            switch listener.accept() {
            case .connection(let socket):
                guard let channel = Channel(over: socket, context: services.tls) else {
                    socket.close()
                    continue
                }
                let number = services.journal.update {
                    $0.accepted += 1
                    $0.open += 1
                    return $0.accepted
                }
                connections.append(open(number, channel, now))
            case .nothing: return
            case .exhausted:
                acceptsAgainAt = now + 0.05
                return
            }
        }
    }
}
