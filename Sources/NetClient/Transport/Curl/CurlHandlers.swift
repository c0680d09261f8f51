#if os(Linux)
    import CLibcurl
    import NetCore

    /// What the C side calls, on the loop's thread.
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
                    Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().trust?.closed(descriptor)
                },
                ready: { context, descriptor in
                    Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().noteReady(descriptor)
                },
                ended: { context, session in
                    Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().sessions.remove(session)
                },
                allows: { context, bytes, count in
                    let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
                    guard let address = IPAddress(bytes: UnsafeBufferPointer(start: bytes, count: count)) else {
                        return 0
                    }
                    return loop.core.addressGuard?.allows(address) == false ? 0 : 1
                }
            )
        }

        private static func exchange(_ owner: UnsafeMutableRawPointer) -> CurlExchange {
            Unmanaged<CurlExchange>.fromOpaque(owner).takeUnretainedValue()
        }

        private static func trusts(
            _ exchange: CurlExchange, _ transfer: UnsafeMutablePointer<nc_transfer>, connection: String,
            descriptor: Int32
        ) -> Bool {
            guard let context = transfer.pointee.loop.pointee.context,
                let trust = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().trust
            else { return false }
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
