#if os(Linux)
    import CLibcurl
    import NetCore

    /// libcurl's side of the loop: the multi handle, the options of the configuration, and transfers kept for reuse.
    final class CurlEngine {
        let loop: UnsafeMutablePointer<nc_loop>
        private let defaults: CurlDefaults
        private let asksTrust: Bool
        /// Whether servers may choose HTTP/2.
        let speaksHTTP2: Bool
        private let options: CurlOptions
        private var idle: [UnsafeMutablePointer<nc_transfer>] = []

        /// Each keeps some kilobytes; more are made when they are needed.
        private static let idleTransfers = 64

        init(configuration: TransportConfiguration, mailbox: OpaquePointer, context: CurlLoop) throws {
            if let problem = nc_load() {
                throw NetworkError.unsupported(
                    "libcurl cannot be loaded (\(String(cString: problem))). Install libcurl4, or give another transport."
                )
            }
            defaults = context.core.defaults
            asksTrust = configuration.trustPolicy != nil
            options = try CurlOptions(configuration)
            // What is offered to a server would be offered to such a proxy as well.
            let hasTLSProxy = configuration.proxy == .system && CurlProxy.environmentNamesTLS
            speaksHTTP2 = configuration.httpVersions == .automatic && !hasTLSProxy && Self.http2Problem == nil
            let handlers = CurlHandlers.table
            let descriptor = nc_mailbox_descriptor(mailbox)
            guard let loop = nc_loop_make(descriptor, handlers, Unmanaged.passUnretained(context).toOpaque()) else {
                throw Descriptors.exhausted(for: "an event loop", url: nil)
            }
            self.loop = loop
            loop.pointee.tells_closed = configuration.trustPolicy == nil ? 0 : 1
            loop.pointee.stream_window = speaksHTTP2 ? Self.streamWindow(defaults) : 0
            loop.pointee.head_limit = Int32(clamping: defaults.headerBytes)
            loop.pointee.idle_sessions = Int32(clamping: configuration.limits.idleConnections)
            loop.pointee.checks_addresses = context.core.addressGuard?.checksAddresses == true ? 1 : 0
            let (idleConnections, hostConnections) = (
                max(1, configuration.limits.idleConnections), max(1, configuration.limits.connectionsPerHost)
            )
            do {
                try set(NC_MOPT_MAXCONNECTS, idleConnections, "MAXCONNECTS")
                try set(NC_MOPT_MAX_HOST_CONNECTIONS, hostConnections, "MAX_HOST_CONNECTIONS")
                nc_loop_limit(loop, min(idleConnections, Int(Int32.max) / 2), min(hostConnections, Int(Int32.max) / 2))
                // Tries every option once, so that what the library lacks shows before the first request.
                idle.append(try make())
            } catch {
                close()
                throw error
            }
        }

        /// Why HTTP/2 cannot be had from the libraries that are installed; nil if it can.
        static var http2Problem: String? {
            if let problem = nc_load() { return String(cString: problem) }
            return nc_http2_problem().map { String(cString: $0) }
        }

        /// What a server may send ahead of the reader of one stream: enough that half of it may be announced late.
        private static func streamWindow(_ defaults: CurlDefaults) -> Int32 {
            Int32(clamping: max(64 * 1024, defaults.streamBufferBytes * 4))
        }

        func close() {
            for transfer in idle { nc_transfer_free(transfer) }
            idle = []
            if !isClosed { nc_loop_free(loop) }
            isClosed = true
        }

        private var isClosed = false

        /// A transfer, set up for an exchange.
        func transfer(for exchange: CurlExchange, trust: CurlTrust?) throws -> UnsafeMutablePointer<nc_transfer> {
            let transfer = try idle.popLast() ?? make()
            do {
                try setUp(transfer, for: exchange, trust: trust)
            } catch {
                transfer.pointee.owner = nil
                transfer.pointee.needs_reset = 1
                recycle(transfer, isClean: false)
                throw error
            }
            return transfer
        }

        /// Takes a transfer out of the multi handle, and keeps it if it can serve again.
        func giveBack(_ transfer: UnsafeMutablePointer<nc_transfer>, isClean: Bool) {
            nc_loop_remove(loop, transfer)
            recycle(transfer, isClean: isClean)
        }

        private func recycle(_ transfer: UnsafeMutablePointer<nc_transfer>, isClean: Bool) {
            guard idle.count < Self.idleTransfers, !isClosed else { return nc_transfer_free(transfer) }
            let needsReset = transfer.pointee.needs_reset != 0 || !isClean
            nc_transfer_clear(transfer)
            if needsReset {
                nc_transfer_reset(transfer)
                guard bind(transfer) == nil else { return nc_transfer_free(transfer) }
            }
            idle.append(transfer)
        }

        private func make() throws -> UnsafeMutablePointer<nc_transfer> {
            guard let transfer = nc_transfer_make(loop) else {
                throw TransportError(.other, phase: .preparing, message: "libcurl has no memory for a handle.")
            }
            if let option = bind(transfer) {
                nc_transfer_free(transfer)
                throw Self.missing(option)
            }
            return transfer
        }

        private static func missing(_ option: String) -> NetworkError {
            .unsupported(
                "\(String(cString: nc_version())) does not support \(option). Install a newer libcurl, or leave the setting out."
            )
        }

        /// The name of the first option that did not take, or nil.
        private func bind(_ transfer: UnsafeMutablePointer<nc_transfer>) -> String? {
            let failed = nc_transfer_bind(transfer)
            if failed.rawValue != 0 { return "CURLOPT number \(failed.rawValue)" }
            let easy = transfer.pointee.easy
            if let option = options.apply(to: easy) { return option }
            // Without the callback before each request (7.80) there is no place to ask a policy.
            if asksTrust, nc_set_pointer(easy, NC_OPT_PREREQDATA, transfer) != 0 {
                return "CURLOPT_PREREQFUNCTION"
            }
            return nil
        }

        /// A transfer for an exchange that is sent over HTTP/2: libcurl has no part in it.
        func streamTransfer(for exchange: CurlExchange) throws -> UnsafeMutablePointer<nc_transfer> {
            let transfer = try idle.popLast() ?? make()
            do {
                try bind(transfer, to: exchange)
                transfer.pointee.expects_continue = exchange.request.callerExpectsContinue ? 1 : 0
            } catch {
                transfer.pointee.owner = nil
                recycle(transfer, isClean: true)
                throw error
            }
            return transfer
        }

        /// Lets go of what a transfer was to send: it is kept for its connection only.
        func detach(_ transfer: UnsafeMutablePointer<nc_transfer>) {
            CurlUpload.detach(transfer)
        }

        private func bind(_ transfer: UnsafeMutablePointer<nc_transfer>, to exchange: CurlExchange) throws {
            transfer.pointee.owner = Unmanaged.passUnretained(exchange).toOpaque()
            transfer.pointee.head_limit = defaults.headerBytes
            transfer.pointee.streams = exchange.streams ? 1 : 0
            transfer.pointee.collect_limit = Int64(max(0, exchange.collectLimit))
            transfer.pointee.high_water = defaults.streamBufferBytes
            transfer.pointee.wants_events = exchange.progress == nil ? 0 : 1
            transfer.pointee.decodes = exchange.request.decodesContent ? 1 : 0
            try CurlUpload.attach(exchange.request, to: transfer)
        }

        private func setUp(
            _ transfer: UnsafeMutablePointer<nc_transfer>, for exchange: CurlExchange, trust: CurlTrust?
        ) throws {
            let request = exchange.request
            let easy = transfer.pointee.easy
            try bind(transfer, to: exchange)
            transfer.pointee.expects_continue = request.expectsContinue ? 1 : 0
            transfer.pointee.asks_trust = trust != nil && request.isHTTPS ? 1 : 0
            let offersHTTP2 =
                speaksHTTP2 && exchange.origin?.offersHTTP2 == true && exchange.outbox == nil && !exchange.avoidsHTTP2
            transfer.pointee.offers_http2 = offersHTTP2 ? 1 : 0
            // Of a server that is known for HTTP/1.1, a connection that is there may serve. Otherwise there is none but one of HTTP/2 that is
            // about to be taken over.
            let isChoosing = offersHTTP2 && exchange.origin?.version != .http1
            transfer.pointee.is_choosing = isChoosing ? 1 : 0
            let failed = nc_transfer_prepare(transfer, request.block.pointer, request.isPlainGet ? 1 : 0)
            guard failed.rawValue == 0 else {
                throw TransportError(
                    .other, phase: .preparing, message: "libcurl did not take option \(failed.rawValue).",
                    url: exchange.url)
            }
            if isChoosing {
                transfer.pointee.needs_reset = 1
                _ = nc_set_long(easy, NC_OPT_FRESH_CONNECT, 1)
            }
            if exchange.outbox != nil { try onlyConnect(transfer) }
            if exchange.showsCertificate {
                // Not for the next request with this handle.
                transfer.pointee.needs_reset = 1
                if let option = options.applyCertificate(to: easy) { throw Self.missing(option) }
            }
        }

        /// A connection of its own, through a proxy by CONNECT, that stays open with nothing sent on it.
        private func onlyConnect(_ transfer: UnsafeMutablePointer<nc_transfer>) throws {
            transfer.pointee.needs_reset = 1
            let options = [
                (NC_OPT_CONNECT_ONLY, 1), (NC_OPT_HTTPPROXYTUNNEL, 1), (NC_OPT_FRESH_CONNECT, 1),
                (NC_OPT_FORBID_REUSE, 0),
            ]
            for (option, value) in options where nc_set_long(transfer.pointee.easy, option, value) != 0 {
                throw NetworkError.unsupported(
                    "\(String(cString: nc_version())) cannot leave a connection to its caller (option \(option.rawValue))."
                )
            }
        }

        private func set(_ option: nc_multi_option, _ value: Int, _ name: String) throws {
            guard nc_loop_set(loop, option, value) == 0 else {
                throw NetworkError.unsupported("\(String(cString: nc_version())) does not support CURLMOPT_\(name).")
            }
        }
    }
#endif
