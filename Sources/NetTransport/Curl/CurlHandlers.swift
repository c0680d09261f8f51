#if os(Linux)
    import CLibcurl
    import NetCore

    /// The functions that the C side calls, on the loop's thread.
    enum CurlHandlers {
        static var table: nc_handlers {
            nc_handlers(
                read: { owner, buffer, capacity in
                    let exchange = CurlHandlers.exchange(owner)
                    return switch exchange.request.upload {
                    case .stream(let feed): feed.read(into: buffer, capacity: capacity, for: exchange)
                    case .pieces(let pieces): pieces.read(into: buffer, capacity: capacity)
                    default: Int(NC_READFUNC_ABORT)
                    }
                },
                rewind: { owner in
                    switch CurlHandlers.exchange(owner).request.upload {
                    case .stream(let feed): return feed.isUntouched ? 1 : 0
                    case .pieces(let pieces):
                        pieces.rewind()
                        return 1
                    default: return 0
                    }
                },
                trust: { owner, transfer, connection, descriptor in
                    CurlHandlers.trusts(
                        CurlHandlers.exchange(owner), transfer, connection: String(cString: connection),
                        descriptor: descriptor) ? 1 : 0
                },
                closed: { context, descriptor in
                    CurlHandlers.loop(context).trust?.closed(descriptor)
                },
                ready: { context, descriptor in
                    CurlHandlers.loop(context).noteReady(descriptor)
                },
                ended: { context, session in
                    CurlHandlers.loop(context).sessions.remove(session)
                },
                allows: { context, bytes, count in
                    let loop = CurlHandlers.loop(context)
                    guard let address = IPAddress(bytes: UnsafeBufferPointer(start: bytes, count: count)) else {
                        return 0
                    }
                    return loop.core.addressGuard?.allows(address) == false ? 0 : 1
                },
                opened: { transfer, local, localPort, remote, remotePort in
                    var connection = TransportResponse.Connection(tlsOf: transfer)
                    connection.localAddress = TransportResponse.Connection.address(String(cString: local), localPort)
                    connection.remoteAddress = TransportResponse.Connection.address(String(cString: remote), remotePort)
                    // Retained until `forget`.
                    return Unmanaged.passRetained(ConnectionBox(connection)).toOpaque()
                },
                forget: { Unmanaged<ConnectionBox>.fromOpaque($0).release() },
                step: { owner, transfer, step, address, port in
                    CurlHandlers.exchange(owner).reportStep?(
                        NetworkEvent.Step(
                            step, of: transfer,
                            address: address.map { TransportResponse.Connection.address(String(cString: $0), port) }))
                }
            )
        }

        private static func exchange(_ owner: UnsafeMutableRawPointer) -> CurlExchange {
            // Set in `CurlEngine.bind(_:to:)`.
            Unmanaged<CurlExchange>.fromOpaque(owner).takeUnretainedValue()
        }

        private static func loop(_ context: UnsafeMutableRawPointer) -> CurlLoop {
            // Set in `CurlEngine.init(mailbox:loop:)`.
            Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
        }

        private static func trusts(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, connection: String,
            descriptor: Int32
        ) -> Bool {
            // Nothing was opened for a connection that is used again.
            if let context = exchange.unverified, transfer.pointee.opened_count > 0 {
                context.notify(DevelopmentGuard.notice(acceptingCertificateOf: CurlTrust.host(of: exchange.url)))
            }
            guard let trust = transfer.pointee.loop.pointee.context.map({ loop($0) })?.trust else {
                return exchange.core.configuration.trustPolicy == nil && exchange.unverified != nil
            }
            do {
                try trust.verify(
                    host: CurlTrust.host(of: exchange.url),
                    chain: trust.chain(of: transfer.pointee.easy),
                    connection: connection, descriptor: descriptor)
                return true
            } catch {
                exchange.trustError = error
                return false
            }
        }
    }
#endif
