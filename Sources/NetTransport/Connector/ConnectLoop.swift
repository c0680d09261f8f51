#if os(Linux)
    import CLibcurl
    import NetCore

    /// A connection that is being opened.
    final class ConnectAttempt: @unchecked Sendable {
        // Unchecked: only the connecting thread uses what is variable.
        let target: ConnectTarget
        let connector: Connector
        let step: (@Sendable (ConnectStep) -> Void)?
        let completion: @Sendable (Result<OpenedConnection, any Error>) -> Void
        /// Nil before libcurl has it.
        var opening: UnsafeMutablePointer<nc_opening>?
        var lookUp: Task<Void, Never>?
        /// The time of `nc_clock` when the attempt began, and the nanoseconds that the resolver of the app took.
        var start: Int64 = 0
        var lookUpTime: Int64 = 0

        init(
            _ target: ConnectTarget, _ connector: Connector, _ step: (@Sendable (ConnectStep) -> Void)?,
            _ completion: @escaping @Sendable (Result<OpenedConnection, any Error>) -> Void
        ) {
            (self.target, self.connector) = (target, connector)
            (self.step, self.completion) = (step, completion)
        }

        /// The time of `nc_clock` when the time to connect ends.
        var due: Int64 { start + Int64(min(max(1, target.milliseconds), Int(Int32.max))) * 1_000_000 }

        /// Ends it before it began, or because its connector is stopped.
        func refuse() { completion(.failure(TransportError.shutDown(target.url))) }

        static var handlers: nc_connector_handlers {
            nc_connector_handlers(
                allows: { owner, bytes, count in
                    guard let address = IPAddress(bytes: UnsafeBufferPointer(start: bytes, count: count)) else {
                        return 0
                    }
                    return ConnectAttempt.of(owner).connector.addressGuard?.allows(address) == false ? 0 : 1
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

    /// What the ``ConnectThread`` has while it opens connections: libcurl's multi handle, and the attempts.
    final class ConnectLoop {
        let handle: OpaquePointer
        /// The time when the first resolver of the app must have answered; `NC_NEVER` without one.
        private(set) var lookUpDue = NC_NEVER
        private var attempts: [ObjectIdentifier: ConnectAttempt] = [:]
        /// Of the connectors that have opened something. Each has its own names and addresses.
        private var options: [ObjectIdentifier: ConnectorOptions] = [:]

        init() throws {
            if let problem = nc_load() {
                throw NetworkError.unsupported(
                    "libcurl cannot be loaded (\(String(cString: problem))). Install libcurl4, or give another transport."
                )
            }
            guard let handle = nc_connector_make(ConnectAttempt.handlers) else {
                throw Descriptors.exhausted(for: "an event loop", url: nil)
            }
            self.handle = handle
        }

        var isIdle: Bool { attempts.isEmpty }

        /// Call it when it is idle.
        func close() { nc_connector_free(handle) }

        func handle(_ command: ConnectThread.Command) {
            switch command {
            case .open(let attempt) where attempt.connector.isStopped: attempt.refuse()
            case .open(let attempt):
                attempts[ObjectIdentifier(attempt)] = attempt
                attempt.start = nc_clock()
                do {
                    let options = try options(of: attempt.connector)
                    if !lookUp(attempt, options) { start(attempt, options, addresses: nil) }
                } catch {
                    end(attempt, .failure(error))
                }
            case .cancel(let attempt): end(attempt, .failure(CancellationError()))
            case .lookedUp(let attempt, .failure(let error)): end(attempt, .failure(error))
            case .lookedUp(let attempt, .success(let addresses)):
                guard attempts[ObjectIdentifier(attempt)] != nil,
                    let options = options[ObjectIdentifier(attempt.connector)]
                else { return }
                attempt.lookUpTime = nc_clock() - attempt.start
                start(attempt, options, addresses: addresses)
            case .endAll(let connector, let caller):
                for attempt in attempts.values where attempt.connector === connector {
                    end(attempt, .failure(TransportError.shutDown(attempt.target.url)))
                }
                options[ObjectIdentifier(connector)] = nil
                caller?.resume()
            }
        }

        private func options(of connector: Connector) throws -> ConnectorOptions {
            if let known = options[ObjectIdentifier(connector)] { return known }
            let made = try ConnectorOptions(connector)
            options[ObjectIdentifier(connector)] = made
            return made
        }

        /// Completes the attempts that have ended.
        func finish() {
            var result: Int32 = 0
            while let opening = nc_connector_next(handle, &result) {
                let attempt = ConnectAttempt.of(opening.pointee.owner)
                let connection = Result { try Self.connection(of: attempt, opening, result) }
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

        private func start(_ attempt: ConnectAttempt, _ options: ConnectorOptions, addresses: [String]?) {
            let target = attempt.target
            attempt.lookUp = nil
            do {
                guard let opening = nc_opening_make(handle, Unmanaged.passUnretained(attempt).toOpaque()) else {
                    throw ConnectorOptions.outOfMemory
                }
                attempt.opening = opening
                opening.pointee.checks_addresses = attempt.connector.addressGuard?.checksAddresses == true ? 1 : 0
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

        private static func connection(
            of attempt: ConnectAttempt, _ opening: UnsafeMutablePointer<nc_opening>, _ result: Int32
        ) throws -> OpenedConnection {
            guard result == 0 else { throw ConnectFailure(attempt.target, opening, result: Int(result)).error }
            var (local, remote) = (nc_endpoint(), nc_endpoint())
            let descriptor = nc_opening_take(opening, &local, &remote)
            guard descriptor >= 0 else { throw Descriptors.exhausted(for: "a connection", url: attempt.target.url) }
            // libcurl began when the addresses were known.
            func time(_ info: nc_info) -> Int64 {
                nc_info_offset(opening.pointee.easy, info) + attempt.lookUpTime / 1000
            }
            return OpenedConnection(
                descriptor: descriptor, peer: attempt.connector.configuration.peer(for: attempt.target),
                local: text(of: local), remote: text(of: remote),
                nameLookup: time(NC_INFO_NAMELOOKUP_TIME_T), connect: time(NC_INFO_CONNECT_TIME_T))
        }

        /// Nil for an end of a Unix-domain socket.
        private static func text(of end: nc_endpoint) -> String? {
            let address = withUnsafeBytes(of: end.address) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return address.isEmpty ? nil : TransportResponse.Connection.address(address, end.port)
        }
    }

    // MARK: The resolver of the app

    extension ConnectLoop {
        private static let mostAddresses = 64

        /// Asks the configuration's resolver. Returns false if there is none for the target: it has an address, or an override.
        private func lookUp(_ attempt: ConnectAttempt, _ options: ConnectorOptions) -> Bool {
            let host = attempt.target.host.lowercased()
            let port = attempt.target.port
            let connector = attempt.connector
            guard let resolver = connector.resolver, attempt.target.proxy == nil,
                attempt.target.socketPath == nil,
                IPAddress(HostName.normalized(host)) == nil, !options.overridden.contains("\(host):\(port)")
            else { return false }
            lookUpDue = min(lookUpDue, attempt.due)
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
            if let text = addresses.first(where: { !IPAddress.isLiteral($0) }) {
                throw ConnectFailure.notResolved("'\(text.prefix(64))' is not an address.", nil)
            }
            return Array(addresses.prefix(mostAddresses))
        }
    }
#endif
