#if os(Linux)
    import CLibcurl
    import NetCore

    /// The settings that each request reads, apart from the configuration: copying the whole retains and releases its many parts.
    struct CurlDefaults: Sendable {
        let decodesContent: Bool
        let idleTimeout: TimeInterval?
        let totalTimeout: TimeInterval?
        let headerBytes: Int
        let decodedBodyBytes: Int
        let streamBufferBytes: Int
        /// The time to connect, as libcurl takes it. Zero would be its default of five minutes.
        let connectMilliseconds: Int
        /// Whether only HTTP/2 may be spoken, also without TLS.
        let requiresHTTP2: Bool

        init(_ configuration: TransportConfiguration) {
            decodesContent = configuration.decodesContent
            idleTimeout = configuration.timeouts.idle
            totalTimeout = configuration.timeouts.total
            headerBytes = max(0, configuration.limits.headerBytes)
            decodedBodyBytes = max(0, configuration.limits.decodedBodyBytes)
            let connect = configuration.timeouts.connect.flatMap { $0 > 0 && $0 < 1e6 ? Int($0 * 1000) : nil }
            connectMilliseconds = max(1, connect ?? Int(Int32.max))
            requiresHTTP2 = configuration.httpVersions == .http2PriorKnowledge
            // The window of an HTTP/2 stream is a multiple of this, and windows are limited to 2^31 - 1 (RFC 9113, section 6.9.1).
            streamBufferBytes = min(max(1, configuration.limits.streamBufferBytes), 1 << 28)
        }
    }

    /// What a transport and its loop share: the settings, the mailbox for commands, and the end of the loop.
    ///
    /// It does not hold the transport, so releasing the transport can end the loop.
    final class CurlCore: @unchecked Sendable {
        // Unchecked because of the pointer: the mailbox has its own lock.
        let configuration: TransportConfiguration
        let defaults: CurlDefaults
        let addressGuard: AddressGuard?
        /// Nil if every certificate must be trusted.
        let developmentGuard: DevelopmentGuard?
        /// Nil without a proxy.
        let proxyPlan: ProxyPlan?
        /// Nil without a client certificate.
        let certificateScope: ClientCertificateScope?
        /// Nil if libcurl looks up names.
        let resolver: CurlResolver?
        /// Why every request is refused; nil if none is.
        let refusal: (any Error)?
        let decoderMemory = DecoderMemory()
        /// Taken by the first response with bytes after the end of its coded body, which is the only one reported to the user.
        let surplusNotice = OnceFlag()
        private let mailbox: OpaquePointer?
        private let loopType: CurlLoop.Type
        private let state = Locked(State())

        private struct State {
            var isStarted = false
            var hasEnded = false
            /// Not a `WaiterList`: a shutdown waits for the end of the loop also in a cancelled task.
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        /// - Parameters:
        ///   - refusal: the error of every request; nil to find out from the configuration.
        ///   - loopType: the loop to run.
        init(
            configuration: TransportConfiguration, refusal: (any Error)? = nil, loopType: CurlLoop.Type = CurlLoop.self
        ) {
            self.configuration = configuration
            self.loopType = loopType
            defaults = CurlDefaults(configuration)
            certificateScope = ClientCertificateScope(configuration)
            resolver = CurlResolver(configuration)
            var problem = refusal
            func read<Rule>(_ rule: () throws -> Rule?) -> Rule? {
                do { return try rule() } catch {
                    problem = problem ?? error
                    return nil
                }
            }
            let proxyPlan = read {
                try ProxyPlan(configuration.proxy, environment: ProcessInfo.processInfo.environment)
            }
            self.proxyPlan = proxyPlan
            let addressGuard = read { try AddressGuard(configuration.addressPolicy) }
            self.addressGuard = addressGuard
            developmentGuard = read { try DevelopmentGuard(configuration.developmentServers, proxies: proxyPlan) }
            self.refusal =
                problem
                ?? Self.conflict(
                    in: configuration, checksAddresses: addressGuard?.checksAddresses == true,
                    isProxied: proxyPlan != nil)
            mailbox = nc_mailbox_make()
        }

        deinit {
            if let mailbox { nc_mailbox_free(mailbox) }
        }

        /// Why settings cannot be enforced together; nil if they can.
        private static func conflict(in configuration: TransportConfiguration, checksAddresses: Bool, isProxied: Bool)
            -> NetworkError?
        {
            let isHTTP3 = configuration.httpVersions == .http3Only
            let settings = [
                ("addressPolicy", checksAddresses), ("resolver", configuration.resolver != nil),
                ("dnsOverHTTPS", configuration.dnsOverHTTPS != nil), ("httpVersions = .http3Only", isHTTP3),
                ("addressFamily", configuration.addressFamily != .any),
                ("localAddress", configuration.localAddress != nil),
            ]
            if configuration.unixSocketPath != nil, let (name, _) = settings.first(where: \.1) {
                return .unsupported("\(name) has no meaning for a Unix-domain socket. Set one of the two.")
            }
            if configuration.resolver != nil, configuration.localAddress.flatMap({ IPAddress($0) }) != nil {
                return .unsupported("libcurl would ask the resolver for localAddress too. Name the interface instead.")
            }
            if configuration.dnsOverHTTPS != nil, configuration.resolver != nil {
                return .unsupported("resolver and dnsOverHTTPS both look up names. Set one of the two.")
            }
            if isHTTP3,
                checksAddresses || configuration.trustPolicy != nil || configuration.clientCertificate != nil
                    || configuration.developmentServers != .none
            {
                return .unsupported(
                    "addressPolicy, trustPolicy, clientCertificate and developmentServers are not enforced over HTTP/3. Leave httpVersions at "
                        + ".automatic.")
            }
            if configuration.dnsOverHTTPS != nil,
                (try? ProxyPlan(.system, environment: ProcessInfo.processInfo.environment)) != nil
            {
                return .unsupported(
                    "libcurl would send DNS over HTTPS through the environment's proxy. Remove dnsOverHTTPS or the variable."
                )
            }
            guard let (name, _) = settings.prefix(4).first(where: \.1) else { return nil }
            guard isProxied else { return nil }
            return .unsupported(
                "A proxy connects to the server in place of this transport, so \(name) cannot be enforced. Set proxy to .none, "
                    + "or configure the proxy.")
        }

        // MARK: Commands

        /// Hands a command to the loop, and starts the loop if the command is the first.
        ///
        /// - Returns: false if the mailbox could not be created or the loop has ended. Then a new exchange fails with ``startFailure(_:)``, and
        ///   any other command has nothing left to act on.
        @discardableResult
        func post(_ kind: nc_command_kind, _ target: CurlCommandTarget) -> Bool {
            guard let mailbox else { return false }
            // The loop releases the target when it takes the command.
            let retained = Unmanaged.passRetained(target)
            switch nc_mailbox_post(mailbox, nc_command(kind: kind, object: retained.toOpaque())) {
            case NC_POSTED: break
            // A cancellation may come before the start that it cancels.
            case NC_POSTED_FIRST: startLoop(mailbox)
            default:
                retained.release()
                return false
            }
            return true
        }

        /// Cancels the exchanges of a client that were posted before.
        func cancel(_ group: ObjectIdentifier) {
            guard state.withLock({ $0.isStarted }) else { return }
            post(NC_COMMAND_CANCEL_GROUP, CurlGroupCommand(core: self, group: group))
        }

        func startFailure(_ url: URL?) -> TransportError {
            mailbox == nil ? Descriptors.exhausted(for: "an event loop", url: url) : Self.shutDownError(url)
        }

        // MARK: The loop

        private func startLoop(_ mailbox: OpaquePointer) {
            state.withLock { $0.isStarted = true }
            let loop = loopType.init(core: self, mailbox: mailbox)
            let error = CurlThread.start(loop)
            guard error != 0 else { return }
            // Without a thread, every exchange so far is refused on this one.
            loop.refuseAll(
                NetworkError.unsupported("The transport cannot start a thread: \(String(cString: strerror(error)))"))
        }

        /// Tells the thread of ``IdleLoops``, which runs this loop, that another loop has arrived. Does nothing if this loop has ended.
        func announceArrival() {
            guard let mailbox else { return }
            _ = nc_mailbox_post(mailbox, nc_command(kind: NC_COMMAND_ARRIVAL, object: nil))
        }

        /// Ends the loop without waiting for it.
        func stop() {
            _ = postStop()
        }

        /// Ends the loop, and returns when it has ended.
        func shutdown() async {
            let mayRun = postStop() || state.withLock { $0.isStarted }
            guard mayRun else { return }
            await withCheckedContinuation { continuation in
                let hasEnded = state.withLock { state in
                    if !state.hasEnded { state.waiters.append(continuation) }
                    return state.hasEnded
                }
                if hasEnded { continuation.resume() }
            }
        }

        private func postStop() -> Bool {
            guard let mailbox else { return false }
            return nc_mailbox_post(mailbox, nc_command(kind: NC_COMMAND_STOP, object: nil)) == NC_POSTED
        }

        /// Called by the loop, as the last thing it does.
        func loopEnded() {
            let waiters = state.withLock { state in
                state.hasEnded = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        static func shutDownError(_ url: URL?) -> TransportError {
            TransportError(.shutDown, phase: .preparing, message: "The transport was shut down.", url: url)
        }
    }

    /// The object of a command, as the parts of an exchange know it.
    class CurlCommandTarget: @unchecked Sendable {
        // Unchecked because it is not final: see ``CurlExchange``.
        let core: CurlCore
        let url: URL?

        init(core: CurlCore, url: URL?) {
            self.core = core
            self.url = url
        }

        final func post(_ kind: nc_command_kind) {
            core.post(kind, self)
        }
    }

    /// Names the exchanges of one client.
    final class CurlGroupCommand: CurlCommandTarget, @unchecked Sendable {
        // Unchecked as its superclass; its own property is constant.
        let group: ObjectIdentifier

        init(core: CurlCore, group: ObjectIdentifier) {
            self.group = group
            super.init(core: core, url: nil)
        }
    }

    /// The descriptors of this process.
    enum Descriptors {
        /// Whether nothing more can be opened now (`EMFILE`, `ENFILE`).
        static var areExhausted: Bool {
            let descriptor = open("/", O_RDONLY | O_CLOEXEC)
            guard descriptor < 0 else {
                close(descriptor)
                return false
            }
            return errno == EMFILE || errno == ENFILE
        }

        static func exhausted(for what: String, url: URL?) -> TransportError {
            TransportError(
                .descriptorsExhausted, phase: .preparing,
                message: "No file descriptor is available for \(what).", url: url)
        }
    }
#endif
