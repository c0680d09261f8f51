#if canImport(Security)
    import NetCore
    import Security

    #if canImport(Network)
        import Network
    #endif

    extension TransportConfiguration {
        /// Maps the settings that only Apple's `URLSessionConfiguration` has.
        mutating func mapPlatformSettings(_ session: URLSessionConfiguration, _ usual: URLSessionConfiguration) {
            allowsExpensiveNetworkAccess = session.allowsExpensiveNetworkAccess
            allowsConstrainedNetworkAccess = session.allowsConstrainedNetworkAccess
            if session.tlsMinimumSupportedProtocolVersion != usual.tlsMinimumSupportedProtocolVersion {
                minimumTLSVersion = TLSVersion(session.tlsMinimumSupportedProtocolVersion) ?? minimumTLSVersion
            }
            #if compiler(>=6.2.1)
                if #available(iOS 26.1, macOS 26.1, tvOS 26.1, watchOS 26.1, visionOS 26.1, *),
                    session.allowsUltraConstrainedNetworkAccess != usual.allowsUltraConstrainedNetworkAccess
                {
                    allowsUltraConstrainedNetworkAccess = session.allowsUltraConstrainedNetworkAccess
                }
            #endif
            #if !os(macOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
                multipath = Multipath.allCases.first { $0.system == session.multipathServiceType } ?? .none
            #endif
        }

        /// Returns the settings of Apple's `URLSessionConfiguration` that the transports lack.
        static func platformRefusals(
            _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
        ) -> [Refusal] {
            let oldest = session.tlsMinimumSupportedProtocolVersion
            var refusals: [Refusal] = [
                (
                    "tlsMinimumSupportedProtocolVersion",
                    oldest != usual.tlsMinimumSupportedProtocolVersion && TLSVersion(oldest) == nil,
                    "It is not a version of TLS."
                ),
                (
                    "tlsMaximumSupportedProtocolVersion",
                    session.tlsMaximumSupportedProtocolVersion != usual.tlsMaximumSupportedProtocolVersion,
                    "Leave it alone: newer versions are safer."
                ),
                (
                    "waitsForConnectivity", session.waitsForConnectivity,
                    "Give the client Resilience.OfflinePolicy.wait() instead."
                ),
                (
                    "sessionSendsLaunchEvents", session.sessionSendsLaunchEvents != usual.sessionSendsLaunchEvents,
                    "It is for background sessions."
                ),
            ]
            if #available(iOS 16.1, macOS 13, tvOS 16.1, watchOS 9.1, visionOS 1, *) {
                refusals.append(
                    ("requiresDNSSECValidation", session.requiresDNSSECValidation, "Use Networking(session:)."))
            }
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) {
                let isSet = !session.proxyConfigurations.isEmpty
                refusals.append(("proxyConfigurations", isSet, "Set the proxy of TransportConfiguration."))
            }
            return refusals
        }
    }

    #if !os(macOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
        extension TransportConfiguration.Multipath {
            var system: URLSessionConfiguration.MultipathServiceType {
                switch self {
                case .none: .none
                case .handover: .handover
                case .interactive: .interactive
                case .aggregate: .aggregate
                }
            }
        }
    #endif

    // By the protocol's numbers (RFC 8446, section 4.2.1), since Apple's constants of 1.0 and 1.1 are deprecated.
    extension TransportConfiguration.TLSVersion {
        /// Nil for a version of DTLS.
        init?(_ version: tls_protocol_version_t) { self.init(rawValue: Int(version.rawValue) - 0x0301) }

        var system: tls_protocol_version_t { tls_protocol_version_t(rawValue: 0x0301 + UInt16(rawValue)) ?? .TLSv12 }
    }
#endif
