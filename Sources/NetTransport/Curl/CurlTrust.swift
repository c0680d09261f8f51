#if os(Linux)
    import CLibcurl
    import NetCore

    /// Asks the ``ServerTrustPolicy`` for each connection, before any byte of a request is sent on it.
    ///
    /// libcurl calls before every request. It shows the server's certificates for a new connection only, and none for one that is used
    /// again. So verified connections are remembered, and an empty chain on any other is refused.
    final class CurlTrust {
        private let policy: any ServerTrustPolicy
        private var known: [String: Connection] = [:]
        private var names: [Int32: String] = [:]
        /// The proven certificates of each list that a server sent. The proof takes half a millisecond, and a server has many connections.
        private var proven: [[Data]: [Data]] = [:]
        private static let provenLimit = 64

        private struct Connection {
            let host: String
            let descriptor: Int32
            /// The error of the policy. libcurl may have another request wait for this connection, which then gets the same error.
            let refusal: (any Error)?
        }

        init(policy: any ServerTrustPolicy) {
            self.policy = policy
        }

        /// - Parameters:
        ///   - connection: its local and remote address and port, which no other open connection has.
        ///   - descriptor: its socket, or -1 if that is unknown.
        func verify(host: String, chain: CertificateChain, connection: String, descriptor: Int32) throws {
            if chain.certificates.isEmpty {
                guard let connection = known[connection], connection.host == host else {
                    throw TransportError(
                        .certificateUntrusted, phase: .securing,
                        message: "The server showed no certificates on a connection that was not verified.")
                }
                if let refusal = connection.refusal { throw refusal }
                return
            }
            var refusal: (any Error)?
            do { try policy.evaluate(chain, host: host) } catch { refusal = error }
            // The descriptor shows when the connection ends. Without one, it is not remembered and serves this request only.
            if descriptor >= 0 {
                known[connection] = Connection(host: host, descriptor: descriptor, refusal: refusal)
                names[descriptor] = connection
            }
            if let refusal { throw refusal }
        }

        func closed(_ descriptor: Int32) {
            guard let name = names.removeValue(forKey: descriptor) else { return }
            if known[name]?.descriptor == descriptor { known[name] = nil }
        }

        static func host(of url: URL?) -> String {
            (url?.host ?? "").lowercased()
        }

        /// Returns the server's certificate, followed by the certificates it sent that prove it.
        func chain(of easy: OpaquePointer) -> CertificateChain {
            guard let info = nc_info_certificates(easy), let lists = info.pointee.certinfo else {
                return CertificateChain(certificates: [])
            }
            let count = Int(max(0, info.pointee.num_of_certs))
            let certificates = (0..<count).map { Self.certificate(in: lists[$0]) }
            // An unreadable certificate must not make another one the leaf. An empty chain is refused.
            guard !certificates.contains(nil) else { return CertificateChain(certificates: []) }
            return CertificateChain(certificates: proven(certificates.compactMap { $0 }))
        }

        private func proven(_ sent: [Data]) -> [Data] {
            if let known = proven[sent] { return known }
            if proven.count >= Self.provenLimit { proven = [:] }
            let result = Self.proving(sent)
            proven[sent] = result
            return result
        }

        /// Returns the first certificate, and each of the others that makes the first one valid if it is the only authority.
        ///
        /// A server can send any certificates after its own. An attacker whose authority the device trusts could add the certificates of the
        /// real server, and so match pins of those. Without libcrypto nothing can be proven, and only the first certificate is left.
        static func proving(_ certificates: [Data]) -> [Data] {
            guard let leaf = certificates.first, certificates.count > 1 else { return certificates }
            let lengths = certificates.map(\.count)
            return Data(certificates.joined()).withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return [leaf] }
                var offset = 0
                let pointers = lengths.map { length in
                    defer { offset += length }
                    return base + offset
                }
                let others = certificates.indices.dropFirst().filter {
                    certificates[$0] != leaf && nc_proves(pointers, lengths, certificates.count, $0) == 1
                }
                return [leaf] + others.map { certificates[$0] }
            }
        }

        private static func certificate(in list: UnsafeMutablePointer<nc_slist>?) -> Data? {
            var node = list
            while let entry = node?.pointee {
                if let text = entry.data, strncmp(text, "Cert:", 5) == 0 {
                    return der(ofPEM: String(cString: text + 5))
                }
                node = entry.next
            }
            return nil
        }

        static func der(ofPEM text: String) -> Data? {
            guard let start = text.range(of: "-----BEGIN CERTIFICATE-----"),
                let end = text.range(of: "-----END CERTIFICATE-----", range: start.upperBound..<text.endIndex)
            else { return nil }
            return Data(
                base64Encoded: String(text[start.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
        }
    }
#endif
