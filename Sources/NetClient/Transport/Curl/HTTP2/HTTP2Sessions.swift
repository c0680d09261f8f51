#if os(Linux)
    import CLibcurl
    import NetCore

    /// The connections of a loop that speak HTTP/2, by the server that they lead to.
    struct HTTP2Sessions {
        /// Two requests may share a connection if these agree. No two hosts do, whatever their certificates say.
        struct Key: Hashable {
            /// `host:port`, in lower case.
            let authority: String
            /// Whether the server has seen the client certificate.
            let showsCertificate: Bool

            init(_ exchange: CurlExchange) {
                authority = exchange.request.authority
                showsCertificate = exchange.showsCertificate
            }
        }

        enum Way {
            case session(UnsafeMutablePointer<nc_session>)
            /// A connection is being made that will do.
            case wait
            case connect
        }

        private struct Server {
            var sessions: [UnsafeMutablePointer<nc_session>] = []
            var connecting = 0
            var waiting: [CurlExchange] = []
            /// Whether a connection is being made, or has not heard yet how much its server takes.
            var isOpening: Bool { connecting > 0 || sessions.contains { $0.pointee.is_settled == 0 } }
        }

        private var servers: [Key: Server] = [:]
        private var keys: [UnsafeMutablePointer<nc_session>: Key] = [:]
        /// Those that have waited long enough.
        private(set) var released: [CurlExchange] = []

        /// How to send the next request. Another connection is made only if all are full, and one at a time.
        func way(to key: Key, for exchange: CurlExchange, atMost limit: Int) -> Way {
            guard let server = servers[key] else { return .connect }
            if let free = server.sessions.first(where: { nc_session_room($0) > 0 }) { return .session(free) }
            let open = server.sessions.filter { $0.pointee.is_draining == 0 }
            if server.isOpening { return exchange.waitsNoMore ? .connect : .wait }
            if open.count < limit { return .connect }
            return open.min { $0.pointee.stream_count < $1.pointee.stream_count }.map { .session($0) } ?? .connect
        }

        mutating func wait(_ exchange: CurlExchange, for key: Key) {
            servers[key, default: Server()].waiting.append(exchange)
        }

        mutating func connect(_ exchange: CurlExchange, to key: Key) {
            servers[key, default: Server()].connecting += 1
            exchange.connectsTo = key
        }

        /// That connection is made, or it failed, or speaks HTTP/1.1.
        mutating func connected(_ exchange: CurlExchange, as session: UnsafeMutablePointer<nc_session>? = nil) {
            let key = exchange.connectsTo ?? Key(exchange)
            var server = servers[key] ?? Server()
            if exchange.connectsTo != nil { server.connecting -= 1 }
            exchange.connectsTo = nil
            if let session {
                server.sessions.append(session)
                keys[session] = key
            } else {
                // A server that does not answer must not be waited for once by each of them.
                for other in server.waiting { other.waitsNoMore = true }
                released += server.waiting
                server.waiting = []
            }
            store(server, for: key)
        }

        /// The server has said how much it takes.
        mutating func settle(_ session: UnsafeMutablePointer<nc_session>) {
            guard let key = keys[session], let server = servers[key] else { return }
            store(server, for: key)
        }

        mutating func remove(_ session: UnsafeMutablePointer<nc_session>) {
            guard let key = keys.removeValue(forKey: session), var server = servers[key] else { return }
            server.sessions.removeAll { $0 == session }
            store(server, for: key)
        }

        /// Gives those that need not wait any longer, once.
        mutating func takeReleased() -> [CurlExchange] {
            defer { released = [] }
            return released
        }

        private mutating func store(_ server: Server, for key: Key) {
            var server = server
            if !server.isOpening {
                released += server.waiting
                server.waiting = []
            }
            let isNeeded = !server.sessions.isEmpty || server.connecting > 0 || !server.waiting.isEmpty
            servers[key] = isNeeded ? server : nil
        }
    }
#endif
