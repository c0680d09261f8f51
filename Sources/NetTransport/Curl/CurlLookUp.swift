#if os(Linux)
    import CLibcurl
    import NetCore

    /// The ``TransportConfiguration/Resolver`` of a transport, and the hosts that it is not asked about.
    struct CurlResolver: Sendable {
        private let resolver: TransportConfiguration.Resolver
        private let overridden: Set<String>

        init?(_ configuration: TransportConfiguration) {
            guard let resolver = configuration.resolver else { return nil }
            self.resolver = resolver
            overridden = Set(configuration.resolveOverrides.map { "\($0.host.lowercased()):\($0.port)" })
        }

        /// Nil if the URL has an address, or ``TransportConfiguration/resolveOverrides`` have one for it.
        func lookUp(_ url: URL?) -> CurlLookUp? {
            guard let url, let host = url.host?.lowercased(), IPAddress(host) == nil else { return nil }
            let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
            guard !overridden.contains("\(host):\(port)") else { return nil }
            return CurlLookUp(resolver, host, port)
        }
    }

    /// The look-up of a request's host by a resolver, if the request needs a new connection.
    ///
    /// Only libcurl knows whether it does. So a request is first handed to libcurl without an address: it is sent over an open connection, or
    /// ends with `NC_FAILURE_LOOK_UP` before anything is opened. Then the resolver is asked, and the request starts again with its addresses.
    final class CurlLookUp: Sendable {
        private struct State {
            var task: Task<Void, Never>?
            var addresses: Result<[String], any Error>?
            /// How often libcurl wanted a look-up.
            var rounds = 0
            /// The nanoseconds that the resolver took.
            var duration: Int64 = 0
        }

        private let resolver: TransportConfiguration.Resolver
        private let host: String
        private let port: Int
        private let state = Locked(State())

        /// libcurl forgets the addresses if another request to the host starts before the connection is opened.
        private static let mostRounds = 5
        private static let mostAddresses = 64

        init(_ resolver: TransportConfiguration.Resolver, _ host: String, _ port: Int) {
            self.resolver = resolver
            self.host = host
            self.port = port
        }

        /// Gives libcurl the addresses, as far as they are known. Returns the name of the first option that failed, or nil.
        func apply(to transfer: UnsafeMutablePointer<nc_transfer>, _ connectMilliseconds: Int) -> String? {
            let (addresses, duration) = state.withLock { (try? $0.addresses?.get(), $0.duration) }
            let entry = addresses.map { CurlOptions.resolveEntry(host, port, $0) } ?? "-\(host):\(port)"
            var failed = nc_transfer_resolve(transfer, entry)
            transfer.pointee.look_up_time = duration / 1000
            if failed.rawValue == 0, duration > 0 {
                let rest = max(1, connectMilliseconds - Int(duration / 1_000_000))
                if nc_set_long(transfer.pointee.easy, NC_OPT_CONNECTTIMEOUT_MS, rest) != 0 {
                    failed = NC_OPT_CONNECTTIMEOUT_MS
                }
            }
            return failed.rawValue == 0 ? nil : String(cString: nc_option_name(failed))
        }

        /// Begins a round: nil if there were too many, else whether the addresses are known from an earlier one.
        func beginRound() -> Bool? {
            state.withLock { state in
                state.rounds += 1
                return state.rounds > Self.mostRounds ? nil : state.addresses != nil
            }
        }

        /// Asks the resolver, and posts `NC_COMMAND_LOOKED_UP`.
        func ask(for exchange: CurlExchange) {
            let start = nc_clock()
            state.withLock { state in
                state.task = Task {
                    let addresses: Result<[String], any Error>
                    do {
                        addresses = .success(try Self.checked(try await resolver.addresses(host, port)))
                    } catch {
                        addresses = .failure(error)
                    }
                    self.state.withLock { state in
                        state.addresses = addresses
                        state.duration = nc_clock() - start
                    }
                    exchange.post(NC_COMMAND_LOOKED_UP)
                }
            }
        }

        func cancel() {
            state.withLock(\.task)?.cancel()
        }

        /// The error of the look-up, or nil if it has found addresses.
        func failure(_ url: URL?) -> TransportError? {
            guard case .failure(let cause) = state.withLock(\.addresses) else { return nil }
            var error = Self.error("The resolver '\(resolver.name)' failed: \(cause)", url)
            error.underlying = TransportError.Underlying(cause)
            return error
        }

        static func error(_ message: String, _ url: URL?) -> TransportError {
            TransportError(.nameNotResolved, phase: .resolving, message: message.onOneLine, url: url)
        }

        /// Only addresses reach libcurl's list, in which commas and colons have a meaning.
        private static func checked(_ addresses: [String]) throws -> [String] {
            guard !addresses.isEmpty else { throw error("The host has no address.", nil) }
            for text in addresses {
                var address = in6_addr()
                guard inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &address) == 1, !text.utf8.contains(0)
                else {
                    throw error("'\(text.prefix(64))' is not an address.", nil)
                }
            }
            return Array(addresses.prefix(mostAddresses))
        }
    }

    extension CurlLoop {
        /// libcurl needs a new connection for an exchange, and an address for it.
        func lookUp(_ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, _ engine: CurlEngine) {
            exchange.transfer = nil
            engine.recycle(transfer, isClean: false)
            switch exchange.lookUp?.beginRound() {
            case true?: connect(exchange, engine)
            case false?:
                exchange.timeouts.lookUpDue =
                    engine.loop.pointee.now + Int64(core.defaults.connectMilliseconds) * 1_000_000
                noteDue(exchange.timeouts.lookUpDue)
                exchange.lookUp?.ask(for: exchange)
            case nil:
                let error = CurlLookUp.error("libcurl does not use the resolver's addresses.", exchange.url)
                end(exchange, error)
            }
        }

        /// The resolver has answered.
        func lookedUp(_ exchange: CurlExchange, _ engine: CurlEngine) {
            exchange.timeouts.lookUpDue = 0
            if let failure = exchange.lookUp?.failure(exchange.url) { return end(exchange, failure) }
            connect(exchange, engine)
        }
    }
#endif
