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
                    openingConnections: server.opening, runningExchanges: server.running - server.crowded.count,
                    waitingExchanges: server.waitingCount + server.crowded.count)
            }
        }
    }

    extension Server {
        /// The connections that carry nothing. An HTTP/2 connection whose server has not told its limits is not one of them.
        var allIdle: [Connection] { idle + sessions.filter { $0.place.load == 0 && $0.place.isSettled } }
    }
#endif
