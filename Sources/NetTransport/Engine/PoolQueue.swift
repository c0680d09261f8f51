#if os(Linux)
    import NetCore

    /// A server, as the pool knows it. All of it belongs to the pool, under its lock.
    final class Server {
        /// The exchanges that hold a place here: they run, or wait for a place in the transport.
        fileprivate(set) var active = 0
        fileprivate(set) var running = 0
        fileprivate(set) var limit: Int
        /// The version of HTTP that the server speaks, as far as it is known.
        fileprivate(set) var version: Version
        fileprivate var waiting = PriorityQueue()
        /// The exchanges that were next in the transport while this server had its share.
        fileprivate var held = PriorityQueue()
        /// The exchanges that wait for room on a connection.
        var waitingForConnection: [HTTPExchange] = []
        /// The idle connections with HTTP/1.1, the last used at the end.
        var idle: [Connection] = []
        /// The connections with HTTP/2.
        var http2Connections: [Connection] = []
        /// The open connections, including those of upgrades.
        var open = 0
        /// The connections that are being opened.
        var opening = 0
        /// The time until which no further HTTP/2 connection is opened beside the open ones, since one failed to open.
        var takesNoMoreUntil: Int64 = 0

        init(limit: Int, version: Version) {
            self.limit = limit
            self.version = version
        }

        /// Whether a new connection may choose HTTP/2.
        var offersHTTP2: Bool { version != .http1Required && version != .never }

        var isInUse: Bool {
            active > 0 || opening > 0 || open > 0 || !waiting.isEmpty || !waitingForConnection.isEmpty
        }

        /// The exchanges that wait for a place here, or in the transport.
        var waitingCount: Int { waiting.all.count + active - running }

        enum Version {
            /// One request goes first, and the others wait for its handshake.
            case unknown
            /// The first request failed before its handshake. The others do not wait for another.
            case unreachable
            case http1
            case http2
            /// The server requires HTTP/1.1 (RFC 9113, section 7).
            case http1Required
            /// HTTP/2 is not offered.
            case never
        }
    }

    /// The order in which exchanges run: see ``Pool``.
    struct PoolQueue {
        /// The exchanges that run at once against one server over HTTP/2.
        static let streamLimit = 128
        static let serversToRemember = 1024

        private let limit: Int
        private let share: Int
        private let connectionsPerHost: Int
        private var ready = PriorityQueue()
        /// The servers that hold exchanges back. They are few, since each has half of the places.
        private var holding: [Server] = []
        private var active = 0
        private var arrivals = 0

        init(_ configuration: TransportConfiguration) {
            limit = max(1, configuration.limits.concurrentExchanges)
            share = max(1, limit / 2)
            connectionsPerHost = max(1, configuration.limits.connectionsPerHost)
        }

        /// Takes a new exchange. Returns true if it can run now.
        mutating func submit(_ exchange: HTTPExchange, to server: Server) -> Bool {
            guard server.active < server.limit else {
                exchange.place.state = .waiting
                server.waiting.append(exchange)
                return false
            }
            server.active += 1
            guard active < limit else {
                makeReady(exchange)
                return false
            }
            run(exchange, of: server)
            return true
        }

        /// Finishes an exchange, and frees the places that it holds.
        mutating func release(_ exchange: HTTPExchange, wasRunning: Bool) {
            let state = exchange.place.state
            exchange.place.state = .finished
            if !wasRunning {
                ready.noteFinished()
                exchange.place.server?.waiting.noteFinished()
                exchange.place.server?.held.noteFinished()
            }
            guard let server = exchange.place.server, wasRunning || state == .ready else { return }
            if wasRunning {
                active -= 1
                server.running -= 1
            }
            server.active -= 1
            if server.version == .unknown, wasRunning { noteVersion(.unreachable, of: server) }
            promote(server)
        }

        /// Returns the next exchange that can run now.
        mutating func next() -> HTTPExchange? {
            guard active < limit, let (exchange, server) = takeNext() else { return nil }
            run(exchange, of: server)
            return exchange
        }

        private mutating func run(_ exchange: HTTPExchange, of server: Server) {
            active += 1
            server.running += 1
            exchange.place.state = .running
        }

        private mutating func makeReady(_ exchange: HTTPExchange) {
            arrivals += 1
            (exchange.place.state, exchange.place.arrival) = (.ready, arrivals)
            ready.append(exchange)
        }

        /// Takes the most urgent exchange, and of equals the first. Servers that have their share come after all others. Each exchange is
        /// examined twice at most: when it is held back, and when it is taken.
        private mutating func takeNext() -> (HTTPExchange, Server)? {
            while true {
                let ready = self.ready.first
                let held = holding.filter { $0.running < share }.compactMap { $0.held.first }.min(by: Self.precedes)
                if let held, ready.map({ Self.precedes(held, $0) }) ?? true { return takeHeld(held) }
                guard let ready, let server = ready.place.server else { break }
                _ = self.ready.popFirst()
                if server.running < share { return (ready, server) }
                if server.held.isEmpty { holding.append(server) }
                server.held.append(ready)
            }
            return holding.compactMap { $0.held.first }.min(by: Self.precedes).flatMap { takeHeld($0) }
        }

        private mutating func takeHeld(_ exchange: HTTPExchange) -> (HTTPExchange, Server)? {
            guard let server = exchange.place.server else { return nil }
            _ = server.held.popFirst()
            holding.removeAll { $0.held.first == nil }
            return (exchange, server)
        }

        private static func precedes(_ one: HTTPExchange, _ other: HTTPExchange) -> Bool {
            (-one.priority.rawValue, one.place.arrival) < (-other.priority.rawValue, other.place.arrival)
        }

        /// Notes which version of HTTP a server speaks, or that it is unreachable.
        mutating func noteVersion(_ version: Server.Version, of server: Server) {
            guard server.offersHTTP2, server.version != version else { return }
            server.version = version
            server.limit = version == .http2 ? max(Self.streamLimit, connectionsPerHost) : connectionsPerHost
            promote(server)
        }

        private mutating func promote(_ server: Server) {
            while server.active < server.limit, let exchange = server.waiting.popFirst() {
                server.active += 1
                makeReady(exchange)
            }
        }

        /// The exchanges that wait for a place.
        func allWaiting(of servers: some Sequence<Server>) -> [HTTPExchange] {
            ready.all + servers.flatMap { $0.waiting.all + $0.held.all }
        }
    }

    /// First in, first out, among exchanges of equal priority. It skips finished exchanges.
    struct PriorityQueue {
        private var lines = [FIFO<HTTPExchange>](repeating: FIFO(), count: RequestContext.Priority.allCases.count)
        /// The exchanges that may have finished and are still here.
        private var finished = 0

        var isEmpty: Bool { lines.allSatisfy { $0.count == 0 } }

        /// The exchange that ``popFirst()`` would remove.
        var first: HTTPExchange? {
            mutating get { front().flatMap { lines[$0].first } }
        }

        /// All that were not popped.
        var all: [HTTPExchange] { lines.flatMap(\.all).filter { $0.place.state != .finished } }

        /// Notes that an exchange may have finished before its turn. Those are removed once they may be more than half.
        mutating func noteFinished() {
            finished += 1
            guard finished >= 64, finished * 2 > lines.reduce(0, { $0 + $1.count }) else { return }
            finished = 0
            for index in lines.indices { lines[index].removeAll { $0.place.state == .finished } }
        }

        mutating func append(_ exchange: HTTPExchange) {
            lines[exchange.priority.rawValue].append(exchange)
        }

        mutating func popFirst() -> HTTPExchange? {
            front().flatMap { lines[$0].popFirst() }
        }

        /// Returns the line whose first exchange is next, after it has removed finished ones.
        private mutating func front() -> Int? {
            for index in lines.indices.reversed() {
                while let exchange = lines[index].first {
                    if exchange.place.state != .finished { return index }
                    _ = lines[index].popFirst()
                }
            }
            return nil
        }
    }
#endif
