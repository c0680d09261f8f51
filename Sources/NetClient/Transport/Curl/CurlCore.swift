#if os(Linux)
    import CLibcurl
    import NetCore

    /// What each request needs of the configuration, apart from it: copying the whole would retain and release its many parts.
    struct CurlDefaults: Sendable {
        let decodesContent: Bool
        let idleTimeout: TimeInterval?
        let totalTimeout: TimeInterval?
        let headerBytes: Int
        let decodedBodyBytes: Int
        let streamBufferBytes: Int

        init(_ configuration: TransportConfiguration) {
            decodesContent = configuration.decodesContent
            idleTimeout = configuration.timeouts.idle
            totalTimeout = configuration.timeouts.total
            headerBytes = max(0, configuration.limits.headerBytes)
            decodedBodyBytes = max(0, configuration.limits.decodedBodyBytes)
            // A window of HTTP/2, which is some times as large, has an end.
            streamBufferBytes = min(max(1, configuration.limits.streamBufferBytes), 1 << 28)
        }
    }

    /// What the transport and its thread share: the way in, and the news that the thread has ended.
    ///
    /// It does not hold the transport, so that releasing the transport can end the thread.
    final class CurlCore: @unchecked Sendable {
        // Unchecked because of the pointer: the mailbox has its own lock.
        let configuration: TransportConfiguration
        let defaults: CurlDefaults
        let addressGuard: AddressGuard?
        /// Nil without a client certificate.
        let certificateScope: ClientCertificateScope?
        /// Why the address policy cannot be kept.
        let addressRefusal: (any Error)?
        let mailbox: OpaquePointer?
        let decoderMemory = DecoderMemory()
        /// The user is told once that bytes came after the end of a coded body.
        let surplusNotice = OnceFlag()
        private let ending = Locked(Ending())

        private struct Ending {
            var hasEnded = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        init(configuration: TransportConfiguration) {
            self.configuration = configuration
            defaults = CurlDefaults(configuration)
            certificateScope = ClientCertificateScope(configuration)
            do {
                addressGuard = try AddressGuard(configuration.addressPolicy)
                addressRefusal = addressGuard?.checksAddresses == true ? Self.whatHidesAddresses(configuration) : nil
            } catch {
                addressGuard = nil
                addressRefusal = error
            }
            mailbox = nc_mailbox_make()
        }

        deinit {
            if let mailbox { nc_mailbox_free(mailbox) }
        }

        private static func whatHidesAddresses(_ configuration: TransportConfiguration) -> NetworkError? {
            if configuration.unixSocketPath != nil {
                return .unsupported(
                    "A Unix-domain socket has no address that addressPolicy could allow. Set one of the two.")
            }
            let isProxied =
                switch configuration.proxy {
                case .none: false
                case .http: true
                case .system: CurlProxy.environmentNamesOne
                }
            guard isProxied else { return nil }
            return .unsupported(
                "Behind a proxy the server's address cannot be seen, and so addressPolicy not be kept. Set proxy to .none, "
                    + "or have the proxy keep it.")
        }

        /// Hands an exchange to the thread, which is started if it is the first.
        func start(_ exchange: CurlExchange) {
            guard let mailbox else {
                return exchange.fail(Descriptors.exhausted(for: "an event loop", url: exchange.url))
            }
            let retained = Unmanaged.passRetained(exchange)
            let command = nc_command(kind: NC_COMMAND_START, object: retained.toOpaque())
            switch nc_mailbox_post(mailbox, command) {
            case NC_POSTED:
                break
            case NC_POSTED_FIRST:
                startThread(mailbox)
            default:
                retained.release()
                exchange.fail(CurlCore.shutDownError(exchange.url))
            }
        }

        /// Hands a command to the thread. If it has ended there is nothing left that the command could be about.
        func post(_ kind: nc_command_kind, _ exchange: CurlExchange) {
            guard let mailbox else { return }
            let retained = Unmanaged.passRetained(exchange)
            let posted = nc_mailbox_post(mailbox, nc_command(kind: kind, object: retained.toOpaque()))
            if posted == NC_POSTED_FIRST {
                // A task that was cancelled before its own start was posted.
                startThread(mailbox)
            } else if posted == NC_POSTED_NOT {
                retained.release()
            }
        }

        func stop() {
            guard let mailbox else { return }
            _ = nc_mailbox_post(mailbox, nc_command(kind: NC_COMMAND_STOP, object: nil))
        }

        func shutdown() async {
            guard let mailbox, nc_mailbox_post(mailbox, nc_command(kind: NC_COMMAND_STOP, object: nil)) == NC_POSTED
            else {
                return await waitIfRunning()
            }
            await withCheckedContinuation { continuation in wait(continuation) }
        }

        /// Called by the thread, as the last thing it does.
        func threadEnded() {
            let waiting = ending.withLock { ending in
                ending.hasEnded = true
                defer { ending.waiting = [] }
                return ending.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        static func shutDownError(_ url: URL?) -> TransportError {
            TransportError(.shutDown, phase: .preparing, message: "The transport was shut down.", url: url)
        }

        private let isStarted = Locked(false)

        private func waitIfRunning() async {
            guard isStarted.withLock({ $0 }) else { return }
            await withCheckedContinuation { continuation in wait(continuation) }
        }

        private func wait(_ continuation: CheckedContinuation<Void, Never>) {
            let hasEnded = ending.withLock { ending in
                if !ending.hasEnded { ending.waiting.append(continuation) }
                return ending.hasEnded
            }
            if hasEnded { continuation.resume() }
        }

        private func startThread(_ mailbox: OpaquePointer) {
            isStarted.withLock { $0 = true }
            let loop = Unmanaged.passRetained(CurlLoop(core: self, mailbox: mailbox))
            let error = nc_thread_start(
                "net.curl",
                { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run() },
                loop.toOpaque())
            guard error != 0 else { return }
            // No thread to be had: say so to everyone who has come so far, on this one.
            loop.takeRetainedValue().refuseAll(
                NetworkError.unsupported(
                    "No thread can be started for the transport: \(String(cString: strerror(error)))"))
        }
    }
#endif
