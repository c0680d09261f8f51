#if os(Linux)
    import NetCore

    extension Pool {
        /// Two exchanges may share a connection if these are equal. Two hosts never share one, whatever their certificates say.
        struct OriginKey: Hashable {
            /// In lower case.
            var host = ""
            var port = 0
            var isHTTPS = false
            /// The percent-encoded path of a Unix-domain socket; empty for TCP.
            var socket = ""
            /// The number of the client certificate that the server sees, see ``ClientTLS/generation``; nil for none.
            var certificate: Int?

            /// As ``ConnectionStatistics/origin`` has it.
            private var name: String {
                socket.isEmpty ? "\(isHTTPS ? "https" : "http")://\(host):\(port)" : "http+unix://\(socket)"
            }

            func statistics(of server: Server) -> ConnectionStatistics {
                ConnectionStatistics(
                    origin: name, openConnections: server.open, idleConnections: server.allIdle.count,
                    openingConnections: server.opening,
                    runningExchanges: server.running - server.waitingForConnection.count,
                    waitingExchanges: server.waitingCount + server.waitingForConnection.count)
            }
        }
    }

    extension Server {
        /// The connections that carry nothing. An HTTP/2 connection whose server has not told its limits is not one of them.
        var allIdle: [Connection] { idle + http2Connections.filter { $0.place.load == 0 && $0.place.isSettled } }
    }

    extension [Pool.OriginKey: Server] {
        /// The idle connections of a loop to close. See ``Pool/closeIdle(now:on:certificate:)``.
        func idleToClose(now: Int64, on loop: EventLoop, certificate: Int, keeping limit: Int) -> [Connection] {
            var idle: [Connection] = []
            var closing: [Connection] = []
            var elsewhere = 0
            for (origin, server) in self {
                let isReplaced = origin.certificate.map { $0 != certificate } ?? false
                for connection in server.allIdle {
                    if connection.loop !== loop {
                        elsewhere += 1
                    } else if isReplaced {
                        closing.append(connection)
                    } else {
                        idle.append(connection)
                    }
                }
            }
            idle.sort { $0.idleSince < $1.idleSince }
            var surplus = idle.count + elsewhere - limit
            for connection in idle {
                let age = now - connection.idleSince
                if age >= connection.idleLimit || surplus > 0 && age >= EventLoop.sweepInterval {
                    surplus -= 1
                    closing.append(connection)
                } else {
                    let limit = surplus > 0 ? EventLoop.sweepInterval : connection.idleLimit
                    loop.noteDue(connection.idleSince + limit)
                }
            }
            return closing
        }
    }
#endif
