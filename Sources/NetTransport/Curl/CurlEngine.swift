#if os(Linux)
    import CLibcurl
    import NetCore

    /// libcurl's side of a loop: the multi handle, the options of the configuration, and the transfers that are kept for reuse.
    final class CurlEngine {
        let loop: UnsafeMutablePointer<nc_loop>
        /// Whether servers may choose HTTP/2.
        let speaksHTTP2: Bool
        private let defaults: CurlDefaults
        private let options: CurlOptions
        private let asksTrust: Bool
        private let hasProxy: Bool
        private let onlyConnects: Bool
        /// Whether plain requests are refused, since QUIC always has TLS.
        private let requiresTLS: Bool
        private var idle: [UnsafeMutablePointer<nc_transfer>] = []
        private var isClosed = false

        /// Each idle transfer holds some kilobytes.
        private static let idleTransfers = 64

        init(mailbox: OpaquePointer, loop owner: CurlLoop) throws {
            if let problem = nc_load() {
                throw NetworkError.unsupported(
                    "libcurl cannot be loaded (\(String(cString: problem))). Install libcurl4, or give another transport."
                )
            }
            let configuration = owner.configuration
            defaults = owner.core.defaults
            onlyConnects = owner.onlyConnects
            asksTrust = configuration.trustPolicy != nil || owner.core.developmentGuard != nil
            hasProxy = owner.core.proxyPlan != nil
            options = try CurlOptions(configuration, proxies: owner.core.proxyPlan)
            let mayUseHTTP2 = configuration.httpVersions == .automatic || defaults.requiresHTTP2
            speaksHTTP2 = mayUseHTTP2 && Self.http2Problem == nil
            requiresTLS = configuration.httpVersions == .http3Only
            if defaults.requiresHTTP2, let problem = Self.http2Problem {
                throw NetworkError.unsupported("\(problem) Set httpVersions to .automatic.")
            }
            if requiresTLS, let problem = Self.http3Problem { throw NetworkError.unsupported(problem) }
            // Unretained: the loop owns this engine, and closes it in `tearDown()`. Nothing calls back afterwards.
            let context = Unmanaged.passUnretained(owner).toOpaque()
            guard let loop = nc_loop_make(nc_mailbox_descriptor(mailbox), CurlHandlers.table, context) else {
                throw Descriptors.exhausted(for: "an event loop", url: nil)
            }
            self.loop = loop
            loop.pointee.tells_closed = asksTrust ? 1 : 0
            loop.pointee.stream_window = speaksHTTP2 ? Self.streamWindow(defaults) : 0
            loop.pointee.head_limit = Int32(clamping: defaults.headerBytes)
            loop.pointee.idle_sessions = Int32(clamping: configuration.limits.idleConnections)
            loop.pointee.family =
                switch configuration.addressFamily {
                case .any: 0
                case .ipv4Only: AF_INET
                case .ipv6Only: AF_INET6
                }
            loop.pointee.checks_addresses = owner.core.addressGuard?.checksAddresses == true ? 1 : 0
            let most = Int(Int32.max) / 2
            let result = nc_loop_limit(
                loop, min(max(1, configuration.limits.idleConnections), most),
                min(max(1, configuration.limits.connectionsPerHost), most))
            do {
                guard result == 0 else {
                    throw NetworkError.unsupported(
                        "\(String(cString: nc_version())) does not support CURLMOPT_MAX_HOST_CONNECTIONS.")
                }
                // Sets every option once, so that an option that the library lacks fails the first request.
                idle.append(try make())
            } catch {
                close()
                throw error
            }
        }

        func close() {
            for transfer in idle { nc_transfer_free(transfer) }
            idle = []
            if !isClosed { nc_loop_free(loop) }
            isClosed = true
        }

        /// Why the installed libraries cannot speak HTTP/2; nil if they can.
        static var http2Problem: String? {
            if let problem = nc_load() { return String(cString: problem) }
            return nc_http2_problem().map { String(cString: $0) }
        }

        /// Why the installed libcurl cannot speak HTTP/3; nil if it can.
        static var http3Problem: String? {
            if let problem = nc_load() { return String(cString: problem) }
            guard nc_has_http3() == 0 else { return nil }
            return
                "HTTP/3 needs libcurl 8.8 or later that is built with it; this one is \(String(cString: nc_version()))."
        }

        /// The bytes that a server may send ahead of the reader of one stream: enough for a reader that reports half of them late.
        private static func streamWindow(_ defaults: CurlDefaults) -> Int32 {
            Int32(clamping: max(64 * 1024, defaults.streamBufferBytes * 4))
        }

        // MARK: Transfers

        /// Returns a transfer that is set up for an exchange.
        func transfer(for exchange: CurlExchange, trust: CurlTrust?) throws -> UnsafeMutablePointer<nc_transfer> {
            let transfer = try idle.popLast() ?? make()
            do {
                try setUp(transfer, for: exchange, trust: trust)
            } catch {
                transfer.pointee.owner = nil
                keep(transfer, isClean: false)
                throw error
            }
            return transfer
        }

        /// Returns a transfer for an exchange that an HTTP/2 session sends, without libcurl.
        func streamTransfer(for exchange: CurlExchange) throws -> UnsafeMutablePointer<nc_transfer> {
            let transfer = try idle.popLast() ?? make()
            do {
                try bind(transfer, to: exchange)
                transfer.pointee.expects_continue = exchange.request.callerExpectsContinue ? 1 : 0
            } catch {
                transfer.pointee.owner = nil
                keep(transfer, isClean: true)
                throw error
            }
            return transfer
        }

        /// Removes a transfer from the loop, and keeps it for a later exchange.
        func recycle(_ transfer: UnsafeMutablePointer<nc_transfer>, isClean: Bool) {
            nc_loop_remove(loop, transfer)
            keep(transfer, isClean: isClean)
        }

        private func keep(_ transfer: UnsafeMutablePointer<nc_transfer>, isClean: Bool) {
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

        /// Sets what every exchange needs. Returns the name of the first option that failed, or nil.
        private func bind(_ transfer: UnsafeMutablePointer<nc_transfer>) -> String? {
            let failed = nc_transfer_bind(transfer)
            if failed.rawValue != 0 { return String(cString: nc_option_name(failed)) }
            let easy = transfer.pointee.easy
            if let option = options.apply(to: easy) { return option }
            // The callback before each request, since 7.80, asks the policy.
            if asksTrust, nc_set_pointer(easy, NC_OPT_PREREQDATA, transfer) != 0 {
                return "CURLOPT_PREREQFUNCTION"
            }
            return nil
        }

        private func bind(_ transfer: UnsafeMutablePointer<nc_transfer>, to exchange: CurlExchange) throws {
            // Unretained: the exchange is in `live` until `end(_:_:)`, which clears the transfer.
            transfer.pointee.owner = Unmanaged.passUnretained(exchange).toOpaque()
            transfer.pointee.head_limit = defaults.headerBytes
            transfer.pointee.streams = exchange.streams ? 1 : 0
            transfer.pointee.collect_limit = Int64(max(0, exchange.collectLimit))
            transfer.pointee.high_water = defaults.streamBufferBytes
            transfer.pointee.tells_steps = exchange.reportStep == nil ? 0 : 1
            transfer.pointee.wants_events = exchange.progress == nil ? 0 : 1
            transfer.pointee.decodes = exchange.request.decodesContent ? 1 : 0
            try CurlUpload.attach(exchange.request, to: transfer)
        }

        private func setUp(
            _ transfer: UnsafeMutablePointer<nc_transfer>, for exchange: CurlExchange, trust: CurlTrust?
        ) throws {
            let request = exchange.request
            let easy = transfer.pointee.easy
            guard request.isHTTPS || !requiresTLS else {
                throw NetworkError.unsupported("HTTP/3 is for https URLs only. Set httpVersions to .automatic.")
            }
            try bind(transfer, to: exchange)
            transfer.pointee.expects_continue = request.expectsContinue ? 1 : 0
            transfer.pointee.requires_http2 = defaults.requiresHTTP2 ? 1 : 0
            transfer.pointee.is_tls = request.isHTTPS ? 1 : 0
            transfer.pointee.asks_trust = (trust != nil || exchange.unverified != nil) && request.isHTTPS ? 1 : 0
            transfer.pointee.has_tls_proxy = exchange.proxy?.isTLS == true ? 1 : 0
            let offersHTTP2 =
                speaksHTTP2 && exchange.place.origin?.offersHTTP2 == true && !exchange.route.avoidsHTTP2
            transfer.pointee.offers_http2 = offersHTTP2 ? 1 : 0
            // An open connection can serve if the server is known to speak HTTP/1.1. Otherwise the only open one is about to be taken over
            // for HTTP/2.
            let isChoosing = offersHTTP2 && exchange.place.origin?.version != .http1
            transfer.pointee.is_choosing = isChoosing ? 1 : 0
            let failed = nc_transfer_prepare(transfer, request.block.pointer, request.isPlainGet ? 1 : 0)
            guard failed.rawValue == 0 else {
                throw TransportError(
                    .other, phase: .preparing, message: "libcurl refused \(String(cString: nc_option_name(failed))).",
                    url: exchange.url)
            }
            if isChoosing {
                transfer.pointee.needs_reset = 1
                _ = nc_set_long(easy, NC_OPT_FRESH_CONNECT, 1)
            }
            if let lookUp = exchange.lookUp, let option = lookUp.apply(to: transfer, defaults.connectMilliseconds) {
                throw Self.missing(option)
            }
            if onlyConnects { try connectOnly(transfer) }
            if exchange.showsCertificate {
                // The next request with this handle must not show it.
                transfer.pointee.needs_reset = 1
                if let option = options.applyCertificate(to: easy) { throw Self.missing(option) }
            }
            // The next request with this handle is verified, or goes through the proxy.
            if exchange.unverified != nil {
                transfer.pointee.needs_reset = 1
                _ = nc_set_long(easy, NC_OPT_SSL_VERIFYPEER, 0)
                _ = nc_set_long(easy, NC_OPT_SSL_VERIFYHOST, 0)
            }
            if let proxy = exchange.proxy {
                try Self.check(exchange, proxy)
            } else if hasProxy {
                transfer.pointee.needs_reset = 1
                guard nc_set_pointer(easy, NC_OPT_PROXY, "") == 0 else { throw Self.missing("CURLOPT_PROXY") }
            }
        }

        /// A name in a SOCKS request has at most 255 bytes (RFC 1928, section 5). libcurl looks up longer ones itself, or overflows
        /// (CVE-2023-38545).
        private static func check(_ exchange: CurlExchange, _ proxy: ProxyPlan.Server) throws {
            guard proxy.name.hasPrefix("socks"), (exchange.url?.host ?? "").utf8.count > 255 else { return }
            throw TransportError(
                .nameNotResolved, phase: .preparing, message: "The host has more than 255 bytes.", url: exchange.url)
        }

        /// Opens a new connection, through a proxy by CONNECT, and leaves it open with nothing sent on it.
        private func connectOnly(_ transfer: UnsafeMutablePointer<nc_transfer>) throws {
            transfer.pointee.needs_reset = 1
            let options = [
                (NC_OPT_CONNECT_ONLY, 1), (NC_OPT_HTTPPROXYTUNNEL, 1), (NC_OPT_FRESH_CONNECT, 1),
                (NC_OPT_FORBID_REUSE, 0),
            ]
            for (option, value) in options where nc_set_long(transfer.pointee.easy, option, value) != 0 {
                throw NetworkError.unsupported(
                    "\(String(cString: nc_version())) cannot hand over a connection (\(String(cString: nc_option_name(option))))."
                )
            }
        }
    }
#endif
