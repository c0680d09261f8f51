#if os(Linux)
    import CLibcurl
    import NetCore

    /// Decides which exchange runs, and over which connection. The others wait here.
    ///
    /// An exchange waits first for a place at its server, then, holding that place, for a place in the transport, so that a server that
    /// hangs cannot starve the others. A server with half of the transport's places gets another one only while no other server waits. With
    /// both places it takes an idle connection, a stream of an open one, or opens another.
    final class Pool: Sendable {
        /// How a new exchange goes on.
        enum Admission {
            case starts
            case waits
            case refused(any Error)
        }

        private struct State {
            var queue: PoolQueue
            var servers: [OriginKey: Server] = [:]
            var loops: [EventLoop] = []
            var nextLoop = 0
            var isClosed = false
        }

        private let state: Locked<State>
        private let idleLimit: Int
        private let connectionsPerHost: Int
        private let speaksHTTP2: Bool

        init(_ configuration: TransportConfiguration, speaksHTTP2: Bool) {
            state = Locked(State(queue: PoolQueue(configuration)))
            idleLimit = max(0, configuration.limits.idleConnections)
            connectionsPerHost = max(1, configuration.limits.connectionsPerHost)
            self.speaksHTTP2 = speaksHTTP2
        }

        // MARK: Exchanges

        /// Takes a new exchange. If it starts, its connection is set, or it has to open one.
        func submit(_ exchange: HTTPExchange, loops: [EventLoop]) -> Admission {
            state.withLock { state in
                if exchange.place.state == .finished { return .refused(CancellationError()) }
                if state.isClosed { return .refused(TransportError.shutDown(exchange.url)) }
                state.loops = loops
                let server = server(of: exchange, &state)
                exchange.place.server = server
                // A connection that may be open for hours takes no place.
                if exchange.isUpgrade {
                    exchange.place.state = .running
                    open(exchange, at: server, nil, &state)
                    return .starts
                }
                guard state.queue.submit(exchange, to: server) else { return .waits }
                return assign(exchange, nil, &state) ? .starts : .waits
            }
        }

        /// Withdraws an exchange that is cancelled.
        func withdraw(_ exchange: HTTPExchange) -> Withdrawal {
            state.withLock { state in
                switch exchange.place.state {
                case .running: return exchange.place.loop.map { .onLoop($0) } ?? .ended
                case .finished: return .ended
                case .posted:
                    exchange.place.state = .finished
                    return .ended
                case .waitingForConnection:
                    exchange.place.server?.waitingForConnection.removeAll { $0 === exchange }
                    state.queue.release(exchange, wasRunning: true)
                case .waiting, .ready: state.queue.release(exchange, wasRunning: false)
                }
                return .withdrawn
            }
        }

        /// The loop of an exchange; nil while it waits.
        func loop(of exchange: HTTPExchange) -> EventLoop? {
            state.withLock { _ in exchange.place.loop }
        }

        /// Frees the places of an exchange that has ended, and takes its connection back. Returns the exchanges that start now.
        func finished(
            _ exchange: HTTPExchange, over connection: Connection?, on loop: EventLoop?
        ) -> [HTTPExchange] {
            state.withLock { state in
                guard let server = exchange.place.server, exchange.place.state == .running else { return [] }
                endOpening(exchange)
                if let connection {
                    connection.place.load -= 1
                    if !connection.place.isHTTP2, connection.isIdle, connection.place.server != nil {
                        server.idle.append(connection)
                        connection.loop.noteDue(connection.idleSince + EventLoop.sweepInterval)
                    }
                }
                if exchange.isUpgrade {
                    exchange.place.state = .finished
                } else {
                    state.queue.release(exchange, wasRunning: true)
                }
                return next(server, loop, &state)
            }
        }

        /// Returns the exchanges that can start now, of a server whose connections have changed, and of exchanges that wait for a place.
        private func next(_ server: Server?, _ loop: EventLoop?, _ state: inout State) -> [HTTPExchange] {
            var starting: [HTTPExchange] = []
            while let server, !server.waitingForConnection.isEmpty {
                let first = server.waitingForConnection.removeFirst()
                guard start(first, loop, &state) else {
                    server.waitingForConnection.insert(first, at: 0)
                    break
                }
                starting.append(first)
            }
            while let exchange = state.queue.next() {
                if assign(exchange, loop, &state) { starting.append(exchange) }
            }
            return starting
        }

        /// Gives an exchange a connection, or has it open one, or has it wait for room on one. Returns whether it starts.
        private func assign(_ exchange: HTTPExchange, _ loop: EventLoop?, _ state: inout State) -> Bool {
            if start(exchange, loop, &state) { return true }
            (exchange.place.state, exchange.place.loop) = (.waitingForConnection, nil)
            exchange.place.server?.waitingForConnection.append(exchange)
            return false
        }

        /// Returns false if no connection has room, and no other may be opened.
        private func start(_ exchange: HTTPExchange, _ loop: EventLoop?, _ state: inout State) -> Bool {
            guard let server = exchange.place.server else { return false }
            if server.version == .http2 {
                if let free = server.http2Connections.first(where: { $0.place.load < $0.place.capacity }) {
                    take(free, for: exchange)
                    return true
                }
                // Another connection is opened only if all are full, and one at a time.
                let open = server.http2Connections.filter { $0.place.capacity > 0 }
                let isOpening = server.opening > 0 || open.contains { !$0.place.isSettled }
                guard !isOpening, open.count < connectionsPerHost,
                    open.isEmpty || nc_clock() >= server.takesNoMoreUntil
                else { return false }
            } else if let index = server.idle.lastIndex(where: { loop == nil || $0.loop === loop })
                ?? server.idle.indices.last
            {
                take(server.idle.remove(at: index), for: exchange)
                return true
            } else if !exchange.isUpgrade, server.running - server.waitingForConnection.count > server.limit {
                // More waited for HTTP/2 than the server may now have connections.
                return false
            }
            open(exchange, at: server, loop, &state)
            return true
        }

        private func take(_ connection: Connection, for exchange: HTTPExchange) {
            connection.place.load += 1
            exchange.connection = connection
            exchange.place.loop = connection.loop
            exchange.place.state = .running
        }

        private func open(_ exchange: HTTPExchange, at server: Server, _ loop: EventLoop?, _ state: inout State) {
            server.opening += 1
            exchange.place.isOpening = true
            exchange.place.state = .running
            if state.loops.count > 1 {
                state.nextLoop = (state.nextLoop + 1) % state.loops.count
                exchange.place.loop = state.loops[state.nextLoop]
            } else {
                exchange.place.loop = loop ?? state.loops.first
            }
        }

        /// Returns false if no connection was being opened for the exchange.
        @discardableResult
        private func endOpening(_ exchange: HTTPExchange) -> Bool {
            guard exchange.place.isOpening else { return false }
            exchange.place.isOpening = false
            exchange.place.server?.opening -= 1
            return true
        }

        // MARK: Connections

        /// Gives an exchange another connection than one that was found closed before anything was sent, as a new exchange gets one. Returns
        /// whether it starts again.
        func reassign(_ exchange: HTTPExchange, from connection: Connection, on loop: EventLoop) -> Bool {
            state.withLock { state in
                connection.place.load -= 1
                return assign(exchange, loop, &state)
            }
        }

        /// Notes that no connection was opened for an exchange.
        ///
        /// - Parameter isRefused: false if the exchange ended before the server was asked.
        func failedToOpen(_ exchange: HTTPExchange, isRefused: Bool) {
            state.withLock { state in
                guard endOpening(exchange), let server = exchange.place.server, isRefused, !exchange.isUpgrade else {
                    return
                }
                if server.http2Connections.contains(where: { $0.place.capacity > 0 }) {
                    // The server may limit their number.
                    server.takesNoMoreUntil = nc_clock() + 10_000_000_000
                } else if server.version == .http2 {
                    // The others do not wait for one after the other.
                    state.queue.noteVersion(.unreachable, of: server)
                }
            }
        }

        /// Notes that the connection of an exchange is open. Returns the exchanges that start now.
        func opened(_ connection: Connection, for exchange: HTTPExchange, isHTTP2: Bool) -> [HTTPExchange] {
            state.withLock { state in
                guard let server = exchange.place.server else { return [] }
                endOpening(exchange)
                connection.place = ConnectionPlace(
                    server: server, isHTTP2: isHTTP2, load: 1, capacity: 1, isSettled: !isHTTP2)
                server.open += 1
                if isHTTP2 { server.http2Connections.append(connection) }
                if !exchange.isUpgrade { state.queue.noteVersion(isHTTP2 ? .http2 : .http1, of: server) }
                return next(server, connection.loop, &state)
            }
        }

        /// Notes how many streams an HTTP/2 connection can carry; 0 if it takes no more. Returns the exchanges that start now.
        func update(_ connection: Connection, capacity: Int) -> [HTTPExchange] {
            state.withLock { state in
                connection.place.capacity = capacity
                connection.place.isSettled = true
                return next(connection.place.server, connection.loop, &state)
            }
        }

        /// Notes that the server of an exchange requires HTTP/1.1 (RFC 9113, section 7).
        func requiresHTTP1(_ exchange: HTTPExchange) {
            state.withLock { state in
                if let server = exchange.place.server { state.queue.noteVersion(.http1Required, of: server) }
            }
        }

        /// Forgets a connection that is about to be closed. Does nothing if it has forgotten it.
        func remove(_ connection: Connection) {
            state.withLock { state in remove(connection, &state) }
        }

        private func remove(_ connection: Connection, _ state: inout State) {
            guard let server = connection.place.server else { return }
            connection.place.server = nil
            connection.place.capacity = 0
            server.open -= 1
            if connection.place.isHTTP2 {
                server.http2Connections.removeAll { $0 === connection }
                server.takesNoMoreUntil = 0
            } else if let index = server.idle.lastIndex(where: { $0 === connection }) {
                server.idle.remove(at: index)
            }
        }

        /// Closes the connections of a loop that were idle for too long, showed a client certificate that was replaced, or are more than may
        /// be idle, the oldest first.
        ///
        /// A connection that became idle a moment ago is kept: its last caller may send the next request.
        ///
        /// - Parameter certificate: the number of the client certificate that is shown now.
        func closeIdle(now: Int64, on loop: EventLoop, certificate: Int) {
            let closing = state.withLock { state -> [Connection] in
                let closing = state.servers.idleToClose(
                    now: now, on: loop, certificate: certificate, keeping: idleLimit)
                for connection in closing { remove(connection, &state) }
                return closing
            }
            for connection in closing { connection.retire() }
        }

        /// Whether a connection to the server of an exchange may choose HTTP/2.
        func offersHTTP2(_ exchange: HTTPExchange) -> Bool {
            state.withLock { _ in exchange.place.server?.offersHTTP2 == true }
        }

        // MARK: All exchanges

        /// Takes out the exchanges that wait and match. They have no loop.
        func takeWaiting(where matches: (HTTPExchange) -> Bool) -> [HTTPExchange] {
            state.withLock { state in
                var found: [HTTPExchange] = []
                for server in state.servers.values {
                    for exchange in server.waitingForConnection where matches(exchange) {
                        found.append(exchange)
                        state.queue.release(exchange, wasRunning: true)
                    }
                    server.waitingForConnection.removeAll { $0.place.state == .finished }
                }
                for exchange in state.queue.allWaiting(of: state.servers.values) where matches(exchange) {
                    found.append(exchange)
                    state.queue.release(exchange, wasRunning: false)
                }
                return found
            }
        }

        /// Starts what can start, after ``takeWaiting(where:)`` or ``withdraw(_:)``.
        func startNext() -> [HTTPExchange] {
            state.withLock { state in
                state.servers.values.filter { !$0.waitingForConnection.isEmpty }.flatMap { next($0, nil, &state) }
                    + next(nil, nil, &state)
            }
        }

        /// The earliest time at which an exchange that waits runs out of time; nil for none.
        func nextDue(now: Int64) -> Int64? {
            state.withLock { state in
                let waiting =
                    state.queue.allWaiting(of: state.servers.values)
                    + state.servers.values.flatMap(\.waitingForConnection)
                return waiting.lazy.map { $0.timeouts.nextDue(now: now) }.filter { $0 < NC_NEVER }.min()
            }
        }

        /// The connections and exchanges of this moment.
        func statistics() -> [ConnectionStatistics] {
            state.withLock { $0.servers.filter(\.value.isInUse).map { $0.key.statistics(of: $0.value) } }.merged
        }

        /// Refuses new exchanges.
        func close() {
            state.withLock { $0.isClosed = true }
        }

        private func server(of exchange: HTTPExchange, _ state: inout State) -> Server {
            let key = exchange.place.origin
            if let known = state.servers[key] { return known }
            if state.servers.count >= PoolQueue.serversToRemember {
                state.servers = state.servers.filter { $0.value.isInUse || $0.value.version == .http1Required }
                if state.servers.count >= PoolQueue.serversToRemember {
                    state.servers = state.servers.filter(\.value.isInUse)
                }
            }
            let mayShare = speaksHTTP2 && (key.isHTTPS || exchange.engine.settings.requiresHTTP2)
            let new = Server(limit: mayShare ? 1 : connectionsPerHost, version: mayShare ? .unknown : .never)
            state.servers[key] = new
            return new
        }
    }
#endif
