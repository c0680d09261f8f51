#if os(Linux)
    import CLibcurl
    import NetCore

    extension Pool {
        /// Where an exchange is in the pool.
        struct ExchangePlace {
            var origin = OriginKey()
            var server: Server?
            /// Its number among the exchanges that became ready.
            var arrival = 0
            var state = State.posted
            var loop: EventLoop?
            var isOpening = false

            enum State {
                case posted
                /// Waits for a place at its server.
                case waiting
                /// Waits for a place in the transport.
                case ready
                /// Waits for room on a connection.
                case waitingForConnection
                case running
                case finished
            }
        }

        /// Where an exchange is that is to be cancelled.
        enum Withdrawal {
            /// It waited, and waits no more. It has no loop.
            case withdrawn
            case onLoop(EventLoop)
            /// It has ended, or ends when it is submitted.
            case ended
        }

        /// Where a connection is in the pool.
        struct ConnectionPlace {
            var server: Server?
            var isHTTP2 = false
            /// The exchanges that it carries.
            var load = 0
            /// How many it can carry at once; 0 if it takes no more.
            var capacity = 1
            /// Whether the server of an HTTP/2 connection has told its limits.
            var isSettled = true
        }
    }
#endif
