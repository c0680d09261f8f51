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
        }

        private var servers: [Key: Server] = [:]
        private var keys: [UnsafeMutablePointer<nc_session>: Key] = [:]

        /// How to send the next request. Another connection is made only if all are full, and one at a time.
        func way(to key: Key, atMost limit: Int) -> Way {
            guard let server = servers[key] else { return .connect }
            if let free = server.sessions.first(where: { nc_session_room($0) > 0 }) { return .session(free) }
            let open = server.sessions.filter { $0.pointee.is_draining == 0 }
            if server.connecting == 0, open.count < limit { return .connect }
            return open.min { $0.pointee.stream_count < $1.pointee.stream_count }.map { .session($0) } ?? .wait
        }

        mutating func wait(_ exchange: CurlExchange, for key: Key) {
            servers[key, default: Server()].waiting.append(exchange)
        }

        mutating func connect(_ exchange: CurlExchange, to key: Key) {
            servers[key, default: Server()].connecting += 1
            exchange.connectsTo = key
        }

        /// That connection is made, or failed. Gives those that waited for it.
        mutating func stopWaiting(for exchange: CurlExchange) -> [CurlExchange] {
            guard let key = exchange.connectsTo, var server = servers[key] else { return [] }
            exchange.connectsTo = nil
            server.connecting -= 1
            let waiting = server.waiting
            server.waiting = []
            store(server, for: key)
            return waiting
        }

        mutating func add(_ session: UnsafeMutablePointer<nc_session>, for key: Key) {
            servers[key, default: Server()].sessions.append(session)
            keys[session] = key
        }

        mutating func remove(_ session: UnsafeMutablePointer<nc_session>) {
            guard let key = keys.removeValue(forKey: session), var server = servers[key] else { return }
            server.sessions.removeAll { $0 == session }
            store(server, for: key)
        }

        private mutating func store(_ server: Server, for key: Key) {
            let isNeeded = !server.sessions.isEmpty || server.connecting > 0 || !server.waiting.isEmpty
            servers[key] = isNeeded ? server : nil
        }
    }
#endif
