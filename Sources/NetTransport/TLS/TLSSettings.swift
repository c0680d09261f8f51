#if os(Linux)
    import CLibcurl
    import NetCore

    /// What the TLS connections of a transport have in common.
    struct TLSSettings: Sendable {
        var authorities = Authorities.system
        /// The process's environment: `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's authorities.
        var environment: [String: String] = [:]
        /// The oldest accepted version.
        var minimumVersion = TLSVersion.v1_2
        var clientCertificate: ClientCertificate?
        /// Whether a new connection may resume the session of an earlier one (RFC 8446, section 2.2).
        var resumesSessions = true

        /// The certificate authorities to trust.
        enum Authorities: Hashable, Sendable {
            case system
            /// Only these certificates in PEM.
            case pem(Data)
            /// Only those in the PEM file at this path.
            case file(String)
        }

        typealias ClientCertificate = TransportConfiguration.ClientCertificate

        /// - Parameter forProxy: whether they are for an `https` proxy, which has authorities of its own and sees no client certificate.
        init(_ configuration: TransportConfiguration, forProxy: Bool) throws(NetworkError) {
            var authorities = configuration.certificateAuthorities
            if forProxy, case .https(_, _, _, _, _, let own) = configuration.proxy { authorities = own }
            switch authorities {
            case .system: self.authorities = .system
            case .only(let pem): self.authorities = .pem(pem)
            case .onlyFile(let url):
                guard url.isFileURL else {
                    throw .unsupported("certificateAuthorities needs a file URL for .onlyFile.")
                }
                self.authorities = .file(url.path)
            }
            environment = ProcessInfo.processInfo.environment
            minimumVersion = configuration.minimumTLSVersion
            clientCertificate = forProxy ? nil : configuration.clientCertificate
            resumesSessions = !forProxy
        }
    }

    typealias TLSVersion = TransportConfiguration.TLSVersion

    extension TLSVersion {
        /// The number in OpenSSL and in the protocol (RFC 8446, section 4.2.1).
        var number: Int32 { NC_TLS_VERSION_1_0 + Int32(rawValue) }
    }

    /// What a handshake agreed on.
    struct TLSFacts: Hashable, Sendable {
        var version: TLSVersion?
        /// IANA's name of the cipher suite.
        var cipherSuite: String?
        /// The protocol chosen by ALPN (RFC 7301), or nil if the server chose none.
        var applicationProtocol: String?
        /// The certificates that the server sent, in DER, its own first. On a resumed session, those of the session's first handshake.
        var certificates: [Data]
        var isResumed: Bool
    }

    enum HandshakeStep: Sendable {
        case done, wantsRead, wantsWrite
        case failed(TLSFailure)
    }

    /// The result of reading or writing.
    enum IOStep: Sendable {
        case bytes(Int)
        /// The socket has to become readable or writable first, and then the same call has to be made again.
        case wantsRead, wantsWrite
        /// The server ended its side with `close_notify`.
        case closed
        case failed(TLSFailure)
    }
#endif
