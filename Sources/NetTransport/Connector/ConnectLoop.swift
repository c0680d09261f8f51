#if os(Linux)
    import CLibcurl
    import NetCore

    /// A connection that is being opened.
    final class ConnectAttempt: @unchecked Sendable {
        // Unchecked: only the connector's thread uses what is variable.
        let target: ConnectTarget
        let addressGuard: AddressGuard?
        let step: (@Sendable (ConnectStep) -> Void)?
        let completion: @Sendable (Result<OpenedConnection, any Error>) -> Void
        /// Nil before libcurl has it.
        var opening: UnsafeMutablePointer<nc_opening>?
        var lookUp: Task<Void, Never>?
        /// The time of `nc_clock` when the attempt began, and the nanoseconds that the resolver of the app took.
        var start: Int64 = 0
        var lookUpTime: Int64 = 0

        init(
            _ target: ConnectTarget, _ addressGuard: AddressGuard?, _ step: (@Sendable (ConnectStep) -> Void)?,
            _ completion: @escaping @Sendable (Result<OpenedConnection, any Error>) -> Void
        ) {
            self.target = target
            self.addressGuard = addressGuard
            self.step = step
            self.completion = completion
        }

        /// The time of `nc_clock` when the time to connect ends.
        var due: Int64 { start + Int64(min(max(1, target.milliseconds), Int(Int32.max))) * 1_000_000 }

        static var handlers: nc_connector_handlers {
            nc_connector_handlers(
                allows: { owner, bytes, count in
                    guard let address = IPAddress(bytes: UnsafeBufferPointer(start: bytes, count: count)) else {
                        return 0
                    }
                    return ConnectAttempt.of(owner).addressGuard?.allows(address) == false ? 0 : 1
                },
                opens: { owner, address, port, isFirst in
                    let step = ConnectAttempt.of(owner).step
                    if isFirst != 0 { step?(.lookedUp) }
                    step?(.connecting(to: TransportResponse.Connection.address(String(cString: address), port)))
                })
        }

        static func of(_ owner: UnsafeMutableRawPointer) -> ConnectAttempt {
            // Retained in `attempts` of the loop as long as there is an opening.
            Unmanaged<ConnectAttempt>.fromOpaque(owner).takeUnretainedValue()
        }
    }

    /// What the thread of a ``Connector`` has while it opens connections: libcurl's multi handle, and the attempts.
    final class ConnectLoop {
        let handle: OpaquePointer
        /// The time when the first resolver of the app must have answered; `NC_NEVER` without one.
        private(set) var lookUpDue = NC_NEVER
        private let connector: Connector
        private let options: ConnectorOptions
        private let overridden: Set<String>
        private var attempts: [ObjectIdentifier: ConnectAttempt] = [:]

        init(_ connector: Connector) throws {
            if let problem = nc_load() {
                throw NetworkError.unsupported(
                    "libcurl cannot be loaded (\(String(cString: problem))). Install libcurl4, or give another transport."
                )
            }
            self.connector = connector
            options = try ConnectorOptions(connector.configuration)
            overridden = Set(
                connector.configuration.resolveOverrides.map { "\($0.host.lowercased()):\($0.port)" })
            guard let handle = nc_connector_make(ConnectAttempt.handlers) else {
                throw Descriptors.exhausted(for: "an event loop", url: nil)
            }
            self.handle = handle
        }

        var isIdle: Bool { attempts.isEmpty }

        /// Ends what is being opened.
        func close() {
            for attempt in attempts.values { end(attempt, .failure(Connector.shutDownError(attempt.target.url))) }
            nc_connector_free(handle)
        }

        func handle(_ command: Connector.Command) {
            switch command {
            case .open(let attempt):
                attempts[ObjectIdentifier(attempt)] = attempt
                attempt.start = nc_clock()
                if !lookUp(attempt) { start(attempt, addresses: nil) }
            case .cancel(let attempt): end(attempt, .failure(CancellationError()))
            case .lookedUp(let attempt, .failure(let error)): end(attempt, .failure(error))
            case .lookedUp(let attempt, .success(let addresses)):
                attempt.lookUpTime = nc_clock() - attempt.start
                start(attempt, addresses: addresses)
            }
        }

        /// Completes the attempts that have ended.
        func finish() {
            var result: Int32 = 0
            while let opening = nc_connector_next(handle, &result) {
                let attempt = ConnectAttempt.of(opening.pointee.owner)
                let connection = Result { try self.connection(of: attempt, opening, result) }
                if case .success = connection { attempt.step?(.connected) }
                end(attempt, connection)
            }
            guard lookUpDue != NC_NEVER, nc_clock() >= lookUpDue else { return }
            lookUpDue = NC_NEVER
            for attempt in attempts.values where attempt.lookUp != nil {
                guard attempt.due <= nc_clock() else {
                    lookUpDue = min(lookUpDue, attempt.due)
                    continue
                }
                let error = TransportError(
                    .connectTimeout, phase: .resolving,
                    message: "The resolver did not answer within the time to connect.", url: attempt.target.url)
                end(attempt, .failure(error))
            }
        }

        /// Does nothing if the attempt has ended.
        private func end(_ attempt: ConnectAttempt, _ result: Result<OpenedConnection, any Error>) {
            guard attempts.removeValue(forKey: ObjectIdentifier(attempt)) != nil else { return }
            attempt.lookUp?.cancel()
            attempt.lookUp = nil
            if let opening = attempt.opening { nc_opening_free(opening) }
            attempt.opening = nil
            attempt.completion(result)
        }

        private func start(_ attempt: ConnectAttempt, addresses: [String]?) {
            guard attempts[ObjectIdentifier(attempt)] != nil else { return }
            let target = attempt.target
            attempt.lookUp = nil
            do {
                guard let opening = nc_opening_make(handle, Unmanaged.passUnretained(attempt).toOpaque()) else {
                    throw TransportError(.other, phase: .preparing, message: "libcurl has no memory for a handle.")
                }
                attempt.opening = opening
                opening.pointee.checks_addresses = attempt.addressGuard?.checksAddresses == true ? 1 : 0
                opening.pointee.tells_steps = attempt.step == nil ? 0 : 1
                let rest = Int((attempt.due - attempt.start - attempt.lookUpTime) / 1_000_000)
                try options.apply(to: opening, target, addresses, milliseconds: max(1, rest))
                let result = nc_opening_start(opening)
                guard result == 0 else {
                    throw TransportError(
                        .other, phase: .preparing, message: "libcurl cannot open a connection [curl_multi \(result)].",
                        url: target.url)
                }
            } catch {
                end(attempt, .failure(error))
            }
        }

        private func connection(
            of attempt: ConnectAttempt, _ opening: UnsafeMutablePointer<nc_opening>, _ result: Int32
        ) throws -> OpenedConnection {
            guard result == 0 else {
                throw ConnectFailure(attempt.target, opening, result: Int(result)).error
            }
            var (local, remote) = (nc_endpoint(), nc_endpoint())
            let descriptor = nc_opening_take(opening, &local, &remote)
            guard descriptor >= 0 else { throw Descriptors.exhausted(for: "a connection", url: attempt.target.url) }
            // libcurl began when the addresses were known.
            func time(_ info: nc_info) -> Int64 {
                nc_info_offset(opening.pointee.easy, info) + attempt.lookUpTime / 1000
            }
            return OpenedConnection(
                descriptor: descriptor, peer: options.peer(for: attempt.target),
                local: OpenedConnection.Endpoint(local), remote: OpenedConnection.Endpoint(remote),
                nameLookup: time(NC_INFO_NAMELOOKUP_TIME_T), connect: time(NC_INFO_CONNECT_TIME_T))
        }
    }

    // MARK: The resolver of the app

    extension ConnectLoop {
        private static let mostAddresses = 64

        /// Asks the configuration's resolver. Returns false if there is none for the target: it has an address, or an override.
        private func lookUp(_ attempt: ConnectAttempt) -> Bool {
            let host = attempt.target.host.lowercased()
            let port = attempt.target.port
            guard let resolver = connector.resolver, attempt.target.proxy == nil,
                attempt.target.socketPath == nil,
                IPAddress(HostName.normalized(host)) == nil, !overridden.contains("\(host):\(port)")
            else { return false }
            lookUpDue = min(lookUpDue, attempt.due)
            let connector = connector
            attempt.lookUp = Task {
                let addresses: Result<[String], any Error>
                do {
                    addresses = .success(try ConnectLoop.checked(try await resolver.addresses(host, port)))
                } catch {
                    var failure = ConnectFailure.notResolved(
                        "The resolver '\(resolver.name)' failed: \(error)", attempt.target.url)
                    failure.underlying = TransportError.Underlying(error)
                    addresses = .failure(failure)
                }
                connector.post(.lookedUp(attempt, addresses))
            }
            return true
        }

        /// Only addresses reach libcurl's list, in which commas and colons have a meaning.
        private static func checked(_ addresses: [String]) throws -> [String] {
            guard !addresses.isEmpty else { throw ConnectFailure.notResolved("The host has no address.", nil) }
            for text in addresses {
                var address = in6_addr()
                guard inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &address) == 1, !text.utf8.contains(0)
                else { throw ConnectFailure.notResolved("'\(text.prefix(64))' is not an address.", nil) }
            }
            return Array(addresses.prefix(mostAddresses))
        }
    }

    extension OpenedConnection.Endpoint {
        fileprivate init?(_ endpoint: nc_endpoint) {
            address = withUnsafeBytes(of: endpoint.address) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            port = Int(endpoint.port)
            if address.isEmpty { return nil }
        }
    }
#endif
