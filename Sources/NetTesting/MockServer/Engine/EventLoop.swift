import NetCore

/// The one thread of a server: waits with `poll` for whatever happens first, and lets the connections go on.
///
/// One thread and not one a connection: a test with hundreds of connections shall not measure our threads.
final class EventLoop {
    private let listener: Listener
    private let services: Connection.Services
    private var connections: [any LoopConnection] = []
    private var accepted = 0
    /// Out of descriptors, the listener would report the same connection for ever.
    private var acceptsAgainAt: TimeInterval?

    init(listener: Listener, services: Connection.Services) {
        self.listener = listener
        self.services = services
    }

    /// Returns when the server was told to stop, with everything closed.
    func run() {
        defer { end() }
        var polled: [pollfd] = []
        while true {
            guard carryOutCommands() else { return }
            connections.removeAll(where: \.isClosed)
            fill(&polled)
            let result = poll(&polled, nfds_t(polled.count), timeout(now: Self.now))
            guard result >= 0 else {
                // Only a signal, and they are blocked here, or want of memory in the kernel.
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

    /// The mailbox, the listener, and the connections in their order.
    private func fill(_ polled: inout [pollfd]) {
        polled.removeAll(keepingCapacity: true)
        polled.append(pollfd(fd: services.mailbox.receiver.descriptor, events: Int16(POLLIN), revents: 0))
        let listens = acceptsAgainAt == nil
        polled.append(pollfd(fd: listener.socket.descriptor, events: listens ? Int16(POLLIN) : 0, revents: 0))
        for connection in connections {
            polled.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
        }
    }

    /// Milliseconds, rounded up: waking too early would only mean to sleep again.
    private func timeout(now: TimeInterval) -> Int32 {
        let deadline = connections.reduce(acceptsAgainAt ?? .infinity) { min($0, $1.deadline ?? .infinity) }
        if connections.contains(where: \.hasPendingBytes) { return 0 }
        guard deadline < .infinity else { return -1 }
        return Int32(min(max(0, (deadline - now) * 1_000).rounded(.up), 60_000))
    }

    /// False when the command was to stop.
    private func carryOutCommands() -> Bool {
        for command in services.mailbox.take() {
            switch command {
            case .answer(let response, let number, let exchange):
                // Numbers grow, so that the list is sorted by them.
                guard let connection = connection(number) else { continue }
                connection.receive(response, exchange: exchange, now: Self.now)
            case .closeConnections:
                for connection in connections { connection.close() }
            case .http2(let command, let number):
                for connection in connections where number == nil || number == connection.number {
                    connection.carryOut(command, now: Self.now)
                }
            case .stop:
                return false
            }
        }
        return true
    }

    private func connection(_ number: Int) -> (any LoopConnection)? {
        var range = connections[...]
        while !range.isEmpty {
            let middle = range.startIndex + range.count / 2
            let found = range[middle].number
            if found == number { return range[middle] }
            range = found < number ? range[(middle + 1)...] : range[..<middle]
        }
        return nil
    }

    private func accept(now: TimeInterval) {
        while true {
            switch listener.accept() {
            case .connection(let socket):
                guard let channel = Channel(over: socket, context: services.tls) else {
                    socket.close()
                    continue
                }
                accepted += 1
                services.journal.update {
                    $0.accepted += 1
                    $0.open += 1
                }
                let connection = Connection(number: accepted, channel: channel, services: services)
                connections.append(connection)
                if let fault = services.dispatcher.takeFault(at: .onAccept) { connection.strike(fault, now: now) }
            case .nothing:
                return
            case .exhausted:
                acceptsAgainAt = now + 0.05
                return
            }
        }
    }

    private func end() {
        listener.close()
        for connection in connections { connection.close() }
        connections = []
        services.mailbox.close()
        services.journal.update { $0.isStopped = true }
    }
}
