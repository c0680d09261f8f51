#if canImport(Security)
    import NetCore
    import Security

    #if canImport(Network)
        import Network
    #endif

    extension TransportConfiguration {
        /// Maps the settings that only Apple's `URLSessionConfiguration` has.
        mutating func mapPlatformSettings(
            _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
        ) throws(NetworkError) {
            allowsExpensiveNetworkAccess = session.allowsExpensiveNetworkAccess
            allowsConstrainedNetworkAccess = session.allowsConstrainedNetworkAccess
            if session.tlsMinimumSupportedProtocolVersion != usual.tlsMinimumSupportedProtocolVersion {
                minimumTLSVersion = try Self.version(session.tlsMinimumSupportedProtocolVersion)
            }
            if session.tlsMaximumSupportedProtocolVersion != usual.tlsMaximumSupportedProtocolVersion {
                throw Self.refusal(
                    of: "tlsMaximumSupportedProtocolVersion", "Leave it alone: newer versions are safer.")
            }
            if session.waitsForConnectivity {
                throw Self.refusal(of: "waitsForConnectivity", "Give the client OfflinePolicy.wait() instead.")
            }
            if session.sessionSendsLaunchEvents != usual.sessionSendsLaunchEvents {
                throw Self.refusal(of: "sessionSendsLaunchEvents", "It is for background sessions.")
            }
            #if os(iOS)
                if session.multipathServiceType != usual.multipathServiceType {
                    throw Self.refusal(of: "multipathServiceType", "Use Networking(session:).")
                }
            #endif
            if #available(iOS 16.1, macOS 13, tvOS 16.1, watchOS 9.1, visionOS 1, *) {
                if session.requiresDNSSECValidation {
                    throw Self.refusal(of: "requiresDNSSECValidation", "Use Networking(session:).")
                }
            }
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) {
                if !session.proxyConfigurations.isEmpty {
                    throw Self.refusal(of: "proxyConfigurations", "Set the proxy of TransportConfiguration.")
                }
            }
        }

        private static func version(_ version: tls_protocol_version_t) throws(NetworkError)
            -> TransportConfiguration.TLSVersion
        {
            switch version {
            case .TLSv10: .v1_0
            case .TLSv11: .v1_1
            case .TLSv12: .v1_2
            case .TLSv13: .v1_3
            default: throw refusal(of: "tlsMinimumSupportedProtocolVersion", "It is not a version of TLS.")
            }
        }
    }
#endif
