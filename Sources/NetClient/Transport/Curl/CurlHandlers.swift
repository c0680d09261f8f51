#if os(Linux)
    import CLibcurl
    import NetCore

    /// What the C side calls, on the loop's thread.
    enum CurlHandlers {
        static var table: nc_handlers {
            nc_handlers(
                read: { owner, buffer, capacity in
                    guard let feed = CurlHandlers.exchange(owner).feed else { return Int(NC_READFUNC_ABORT) }
                    return feed.read(into: buffer, capacity: capacity, for: CurlHandlers.exchange(owner))
                },
                rewind: { owner in
                    CurlHandlers.exchange(owner).feed?.isUntouched == true ? 1 : 0
                },
                trust: { owner, transfer, connection, descriptor in
                    CurlHandlers.trusts(
                        CurlHandlers.exchange(owner), transfer, connection: String(cString: connection),
                        descriptor: descriptor) ? 1 : 0
                },
                closed: { context, descriptor in
                    Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().trust?.closed(descriptor)
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
                    chain: CurlTrust.chain(of: transfer.pointee.easy),
                    connection: connection, descriptor: descriptor)
                return true
            } catch {
                exchange.trustError = error
                return false
            }
        }
    }
#endif
