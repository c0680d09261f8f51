#if os(Linux)
    import NetCore

    /// The TLS of a transport: one context for servers, one for an `https` proxy, and the client certificate, which can be replaced.
    final class ClientTLS: Sendable {
        private struct State {
            var certificate: TransportConfiguration.ClientCertificate?
            var generation = 0
            /// Made for the first connection.
            var server: TLSContext?
            var proxy: TLSContext?
        }

        private let original: TransportConfiguration
        private let state: Locked<State>
        let identity: ConnectionIdentity

        init(_ configuration: TransportConfiguration) {
            original = configuration
            state = Locked(State(certificate: configuration.clientCertificate))
            identity = ConnectionIdentity(configuration)
        }

        /// The number of the client certificate: how often it was replaced.
        var generation: Int { state.withLock(\.generation) }

        /// The settings with the client certificate of now.
        var configuration: TransportConfiguration {
            guard original.clientCertificate != nil else { return original }
            return with(state.withLock(\.certificate))
        }

        private func with(_ certificate: TransportConfiguration.ClientCertificate?) -> TransportConfiguration {
            var configuration = original
            configuration.clientCertificate = certificate
            return configuration
        }

        func context(forProxy: Bool) throws -> TLSContext {
            try state.withLock { state in
                if let known = forProxy ? state.proxy : state.server { return known }
                let new = try TLSContext(with(state.certificate), forProxy: forProxy)
                if forProxy { state.proxy = new } else { state.server = new }
                return new
            }
        }

        /// Replaces the certificate, with a new context: no session of the earlier one is resumed.
        ///
        /// - Throws: ``NetworkError/unsupported(_:)`` if there was none; ``TransportError`` for one that cannot be used.
        func replace(_ certificate: TransportConfiguration.ClientCertificate) throws {
            guard original.clientCertificate != nil else {
                throw NetworkError.unsupported(
                    "The transport has no client certificate that could be replaced. Set clientCertificate of its configuration."
                )
            }
            let changed = with(certificate)
            let context: TLSContext
            do {
                context = try TLSContext(changed, forProxy: false)
                try context.checkIdentity()
            } catch let failure as TLSFailure {
                throw TransportError(failure.code, phase: .preparing, message: failure.message)
            }
            state.withLock { state in
                (state.certificate, state.server) = (certificate, context)
                state.generation += 1
            }
            identity.replace(changed)
        }
    }
#endif
