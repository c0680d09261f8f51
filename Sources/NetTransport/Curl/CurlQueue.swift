#if os(Linux)
    import NetCore

    /// Decides which exchange runs. The others wait here, without an easy handle.
    ///
    /// An exchange waits first for a place at its origin, then, holding that place, for a place in the transport, so that an origin that
    /// hangs cannot starve the others. An origin with half of the transport's places gets another one only while no other origin waits.
    struct CurlQueue {
        /// The exchanges that run at once against one origin over HTTP/2.
        static let streamLimit = 128
        private static let originsToRemember = 1024

        /// Where an exchange is in the queue.
        struct Place {
            fileprivate(set) var origin: Origin?
            /// Its number among the exchanges that became ready.
            fileprivate var arrival = 0
            var state = State.posted
        }

        enum State {
            case posted
            /// Waits for a place at its origin.
            case waiting
            /// Waits for a place in the transport.
            case ready
            case running
            case finished
        }

        final class Origin {
            /// The exchanges that hold a place here: they run, or wait for a place in the transport.
            fileprivate var active = 0
            fileprivate var running = 0
            fileprivate var limit: Int
            /// The version of HTTP that the server speaks, as far as it is known.
            fileprivate(set) var version: Version
            fileprivate var waiting = PriorityFIFO()
            /// The exchanges that were next in the transport while this origin had its share.
            fileprivate var held = PriorityFIFO()

            fileprivate init(limit: Int, version: Version) {
                self.limit = limit
                self.version = version
            }

            /// Whether a new connection may choose HTTP/2.
            var offersHTTP2: Bool { version != .http1Required && version != .never }
        }

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

        private let limit: Int
        private let share: Int
        private let connectionsPerHost: Int
        /// See ``CurlEngine/speaksHTTP2``.
        var speaksHTTP2 = false
        private var origins: [UInt64: Origin] = [:]
        private var ready = PriorityFIFO()
        /// The origins that hold exchanges back. They are few, since each has half of the places.
        private var holding: [Origin] = []
        private var active = 0
        private var arrivals = 0

        init(configuration: TransportConfiguration) {
            limit = max(1, configuration.limits.concurrentExchanges)
            share = max(1, limit / 2)
            connectionsPerHost = max(1, configuration.limits.connectionsPerHost)
        }

        /// Takes a new exchange. Returns true if it can run now.
        mutating func submit(_ exchange: CurlExchange) -> Bool {
            let origin = origin(of: exchange)
            exchange.place.origin = origin
            guard origin.active < origin.limit else {
                exchange.place.state = .waiting
                origin.waiting.append(exchange)
                return false
            }
            origin.active += 1
            guard active < limit else {
                makeReady(exchange)
                return false
            }
            run(exchange, of: origin)
            return true
        }

        /// Finishes an exchange, and frees the places that it holds.
        mutating func release(_ exchange: CurlExchange) {
            let state = exchange.place.state
            exchange.place.state = .finished
            guard let origin = exchange.place.origin, state == .running || state == .ready else { return }
            if state == .running {
                active -= 1
                origin.running -= 1
            }
            origin.active -= 1
            if origin.version == .unknown, state == .running { learned(.unreachable, of: exchange) }
            promote(origin)
        }

        /// Returns the next exchange that can run now.
        mutating func next() -> CurlExchange? {
            guard active < limit, let (exchange, origin) = takeNext() else { return nil }
            run(exchange, of: origin)
            return exchange
        }

        private mutating func run(_ exchange: CurlExchange, of origin: Origin) {
            active += 1
            origin.running += 1
            exchange.place.state = .running
        }

        private mutating func makeReady(_ exchange: CurlExchange) {
            arrivals += 1
            exchange.place.arrival = arrivals
            exchange.place.state = .ready
            ready.append(exchange)
        }

        /// Takes the most urgent exchange, and of equals the first. Origins that have their share come after all others. Each exchange is
        /// examined twice at most: when it is held back, and when it is taken.
        private mutating func takeNext() -> (CurlExchange, Origin)? {
            while true {
                let ready = self.ready.first
                let held = holding.filter { $0.running < share }.compactMap { $0.held.first }.min(by: Self.precedes)
                if let held, ready.map({ Self.precedes(held, $0) }) ?? true { return takeHeld(held) }
                guard let ready, let origin = ready.place.origin else { break }
                _ = self.ready.popFirst()
                if origin.running < share { return (ready, origin) }
                if origin.held.isEmpty { holding.append(origin) }
                origin.held.append(ready)
            }
            return holding.compactMap { $0.held.first }.min(by: Self.precedes).flatMap { takeHeld($0) }
        }

        private mutating func takeHeld(_ exchange: CurlExchange) -> (CurlExchange, Origin)? {
            guard let origin = exchange.place.origin else { return nil }
            _ = origin.held.popFirst()
            holding.removeAll { $0.held.first == nil }
            return (exchange, origin)
        }

        private static func precedes(_ one: CurlExchange, _ other: CurlExchange) -> Bool {
            (-one.priority.rawValue, one.place.arrival) < (-other.priority.rawValue, other.place.arrival)
        }

        /// Notes which version of HTTP the server of an exchange speaks, or that it is unreachable.
        mutating func learned(_ version: Version, of exchange: CurlExchange) {
            guard let origin = exchange.place.origin, origin.offersHTTP2, origin.version != version else { return }
            origin.version = version
            origin.limit = version == .http2 ? max(Self.streamLimit, connectionsPerHost) : connectionsPerHost
            promote(origin)
        }

        private mutating func promote(_ origin: Origin) {
            while origin.active < origin.limit, let exchange = origin.waiting.popFirst() {
                origin.active += 1
                makeReady(exchange)
            }
        }

        private mutating func origin(of exchange: CurlExchange) -> Origin {
            let key = exchange.request.originKey
            if let known = origins[key] { return known }
            if origins.count >= Self.originsToRemember {
                origins = origins.filter {
                    $0.value.active > 0 || !$0.value.waiting.isEmpty || $0.value.version == .http1Required
                }
                if origins.count >= Self.originsToRemember { origins = origins.filter { $0.value.active > 0 } }
            }
            let mayShare = speaksHTTP2 && !exchange.request.authority.isEmpty
            let new = Origin(limit: mayShare ? 1 : connectionsPerHost, version: mayShare ? .unknown : .never)
            origins[key] = new
            return new
        }
    }

    /// First in, first out, among exchanges of equal priority. It skips finished exchanges.
    private struct PriorityFIFO {
        private var lines = [Line](repeating: Line(), count: RequestContext.Priority.allCases.count)

        private struct Line {
            var exchanges: [CurlExchange?] = []
            var first = 0
        }

        var isEmpty: Bool { lines.allSatisfy { $0.first == $0.exchanges.count } }

        /// The exchange that ``popFirst()`` would remove.
        var first: CurlExchange? {
            mutating get {
                for index in lines.indices.reversed() {
                    while lines[index].first < lines[index].exchanges.count {
                        if let exchange = lines[index].exchanges[lines[index].first], exchange.place.state != .finished
                        {
                            return exchange
                        }
                        _ = pop(&lines[index])
                    }
                }
                return nil
            }
        }

        mutating func append(_ exchange: CurlExchange) {
            lines[exchange.priority.rawValue].exchanges.append(exchange)
        }

        mutating func popFirst() -> CurlExchange? {
            for index in lines.indices.reversed() {
                while let exchange = pop(&lines[index]) {
                    if exchange.place.state != .finished { return exchange }
                }
            }
            return nil
        }

        private func pop(_ line: inout Line) -> CurlExchange? {
            guard line.first < line.exchanges.count else { return nil }
            defer {
                line.exchanges[line.first] = nil
                line.first += 1
                if line.first == line.exchanges.count {
                    line = Line()
                } else if line.first >= 1024, line.first * 2 > line.exchanges.count {
                    line.exchanges.removeFirst(line.first)
                    line.first = 0
                }
            }
            return line.exchanges[line.first]
        }
    }
#endif
