#if os(Linux)
    import CLibcurl
    import NetCore

    /// Asks the ``ServerTrustPolicy`` for each connection, before any byte of a request is sent on it.
    ///
    /// libcurl calls before every request. On a new connection it shows the server's certificates; on one that is used again
    /// it shows none. So connections that were found in order are remembered, and an empty chain on any other is refused.
    final class CurlTrust {
        private let policy: any ServerTrustPolicy
        private var known: [String: Connection] = [:]
        private var names: [Int32: String] = [:]
        /// What was proven of all that a server sent. To prove it takes half a millisecond, and a server has many connections.
        private var proven: [[Data]: [Data]] = [:]
        private static let provenLimit = 64

        private struct Connection {
            let host: String
            let descriptor: Int32
            /// What the policy threw. Over HTTP/2, others may be waiting for the same connection when it is refused.
            let refusal: (any Error)?
        }

        init(policy: any ServerTrustPolicy) {
            self.policy = policy
        }

        /// - Parameter connection: its local and remote address and port, which no other open connection has.
        func verify(host: String, chain: CertificateChain, connection: String, descriptor: Int32) throws {
            if chain.certificates.isEmpty {
                guard let connection = known[connection], connection.host == host else {
                    throw TransportError(
                        .certificateUntrusted, phase: .securing,
                        message: "The server showed no certificates on a connection that has not been verified.")
                }
                if let refusal = connection.refusal { throw refusal }
                return
            }
            var refusal: (any Error)?
            do { try policy.evaluate(chain, host: host) } catch { refusal = error }
            // Without its descriptor its end would not be noticed: it serves this one request only.
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

        /// The server's certificate, and of the others that it sent those that prove it.
        func chain(of easy: OpaquePointer) -> CertificateChain {
            guard let info = nc_info_certificates(easy), let lists = info.pointee.certinfo else {
                return CertificateChain(certificates: [])
            }
            let count = Int(max(0, info.pointee.num_of_certs))
            let certificates = (0..<count).map { Self.certificate(in: lists[$0]) }
            // One that cannot be read must not make another one the leaf: no chain is refused.
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

        /// The first, and those of the others with which as the only authority the first one would be valid.
        ///
        /// A server may send what it likes after its own certificate. Someone in the middle whom the device trusts (an authority
        /// that was put on it) would add the certificates of the real server, and so pass for it with everyone who looks for one
        /// of those. Without libcrypto nothing is proven, and only the first is left.
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
