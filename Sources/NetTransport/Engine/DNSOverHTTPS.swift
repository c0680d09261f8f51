#if os(Linux)
    import CLibcurl
    import NetCore

    /// Looks up host names by DNS over HTTPS (RFC 8484), over connections of its own.
    final class DNSOverHTTPS: Sendable {
        private struct Kept {
            let addresses: [String]
            /// A time of `nc_clock`.
            let due: Int64
        }

        let engine: Engine
        private let url: URL
        private let family: TransportConfiguration.AddressFamily
        private let kept = Locked<[String: Kept]>([:])

        /// The longest message of DNS (RFC 1035, section 4.2.2).
        private static let mostBytes = 65535
        private static let mostNames = 256
        /// The longest time for which an answer is kept, in seconds.
        private static let longestLifetime: UInt32 = 60

        /// Nil if the configuration has no server for it.
        init?(_ configuration: TransportConfiguration) {
            guard let url = configuration.dnsOverHTTPS else { return nil }
            self.url = url
            family = configuration.addressFamily
            var own = TransportConfiguration()
            own.certificateAuthorities = configuration.certificateAuthorities
            own.minimumTLSVersion = configuration.minimumTLSVersion
            own.proxy = .none
            engine = Engine(own)
        }

        /// Why the configuration's server cannot be asked; nil if it can, or if there is none.
        static func problem(_ configuration: TransportConfiguration) -> NetworkError? {
            guard let url = configuration.dnsOverHTTPS,
                url.scheme?.lowercased() != "https" || url.host?.isEmpty != false
            else { return nil }
            return .unsupported("dnsOverHTTPS needs an https URL, such as https://192.0.2.1/dns-query.")
        }

        var resolver: TransportConfiguration.Resolver {
            .init(name: url.absoluteString) { host, _ in try await self.addresses(of: host) }
        }

        private func addresses(of host: String) async throws -> [String] {
            if let kept = kept.withLock({ $0[host] }), kept.due > nc_clock() { return kept.addresses }
            async let ipv4 = family == .ipv6Only ? nil : answer(host, .a)
            async let ipv6 = family == .ipv4Only ? nil : answer(host, .aaaa)
            let results = await [ipv4, ipv6].compactMap { $0 }
            let answers = results.compactMap { try? $0.get() }
            let addresses = answers.flatMap(\.addresses)
            if addresses.isEmpty {
                for result in results { _ = try result.get() }
            } else if answers.count == results.count {
                keep(addresses, of: host, for: answers.map(\.lifetime).min() ?? 0)
            }
            return addresses
        }

        private func keep(_ addresses: [String], of host: String, for seconds: UInt32) {
            let now = nc_clock()
            let due = now + Int64(min(seconds, Self.longestLifetime)) * 1_000_000_000
            kept.withLock { kept in
                if kept.count >= Self.mostNames { kept = kept.filter { $0.value.due > now } }
                if kept.count < Self.mostNames { kept[host] = Kept(addresses: addresses, due: due) }
            }
        }

        private func answer(
            _ host: String, _ type: DNSMessage.RecordType
        ) async -> Result<DNSMessage.Answer, any Error> {
            do {
                let query = try DNSMessage.query(host, type)
                do {
                    return .success(try await send(query, type))
                } catch let error as TransportError where error.isStaleConnection {
                    return .success(try await send(query, type))
                }
            } catch {
                return .failure(error)
            }
        }

        private func send(_ query: Data, _ type: DNSMessage.RecordType) async throws -> DNSMessage.Answer {
            let mediaType = "application/dns-message"
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue(mediaType, forHTTPHeaderField: "Content-Type")
            request.setValue(mediaType, forHTTPHeaderField: "Accept")
            var context = RequestContext()
            context.delivery = .collected(limit: Self.mostBytes)
            let exchange = try HTTPExchange(request: request, body: HTTPBody(query), context: context, engine: engine)
            try await exchange.run()
            let response = try await exchange.response(context, keepingAlive: engine)
            guard 200..<300 ~= response.status else {
                throw DNSMessage.Failure(description: "The name server's status is \(response.status).")
            }
            return try DNSMessage.answer(in: try await response.body.collect(upTo: Self.mostBytes), type)
        }
    }
#endif
