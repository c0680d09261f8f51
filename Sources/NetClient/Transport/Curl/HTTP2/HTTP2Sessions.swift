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
            /// Another connection was tried in vain while these were open.
            var takesNoMore = false
            /// Whether a connection is being made, or has not heard yet how much its server takes.
            var isOpening: Bool { connecting > 0 || sessions.contains { $0.pointee.is_settled == 0 } }
        }

        private var servers: [Key: Server] = [:]
        private var keys: [UnsafeMutablePointer<nc_session>: Key] = [:]
        /// Those for which some wait.
        private var crowded: Set<Key> = []

        /// How to send the next request. Another connection is made only if all are full, and one at a time. None waits behind a stream of
        /// one connection: the next that has room may be another.
        func way(to key: Key, atMost limit: Int) -> Way {
            guard let server = servers[key] else { return .connect }
            if let free = server.sessions.first(where: { nc_session_room($0) > 0 }) { return .session(free) }
            let open = server.sessions.filter { $0.pointee.is_draining == 0 }
            // One that takes no stream at all is not helped by more connections, and must not be waited for without a timeout.
            if let shut = open.first(where: { $0.pointee.is_settled != 0 && nc_session_limit($0) == 0 }) {
                return .session(shut)
            }
            let mayConnect = !server.isOpening && open.count < limit && (open.isEmpty || !server.takesNoMore)
            return mayConnect ? .connect : .wait
        }

        /// One that waits and need not any longer.
        mutating func nextWaiting(atMost limit: Int) -> CurlExchange? {
            for key in crowded {
                guard let first = servers[key]?.waiting.first else {
                    crowded.remove(key)
                    continue
                }
                if case .wait = way(to: key, atMost: limit) { continue }
                servers[key]?.waiting.removeFirst()
                first.waitsFor = nil
                return first
            }
            return nil
        }

        /// The connection of an exchange was not made. True if there is one that will do.
        mutating func failedToConnect(_ exchange: CurlExchange) -> Bool {
            guard let key = exchange.connectsTo, let server = servers[key] else { return false }
            guard server.sessions.contains(where: { $0.pointee.is_draining == 0 }) else { return false }
            servers[key]?.takesNoMore = true
            return true
        }

        mutating func wait(_ exchange: CurlExchange, for key: Key) {
            servers[key, default: Server()].waiting.append(exchange)
            crowded.insert(key)
            exchange.waitsFor = key
        }

        /// It has ended while it waited.
        mutating func forget(_ exchange: CurlExchange) {
            guard let key = exchange.waitsFor, var server = servers[key] else { return }
            exchange.waitsFor = nil
            server.waiting.removeAll { $0 === exchange }
            store(server, for: key)
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
            }
            store(server, for: key)
        }

        mutating func remove(_ session: UnsafeMutablePointer<nc_session>) {
            guard let key = keys.removeValue(forKey: session), var server = servers[key] else { return }
            server.sessions.removeAll { $0 == session }
            server.takesNoMore = false
            store(server, for: key)
        }

        private mutating func store(_ server: Server, for key: Key) {
            let isNeeded = !server.sessions.isEmpty || server.connecting > 0 || !server.waiting.isEmpty
            servers[key] = isNeeded ? server : nil
        }
    }
#endif
