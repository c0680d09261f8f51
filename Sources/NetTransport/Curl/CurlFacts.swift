#if os(Linux)
    import CLibcurl
    import NetCore

    extension ConnectionBox {
        /// Returns the connection of a transfer, or nil if it is unknown.
        static func of(_ transfer: UnsafeMutablePointer<nc_transfer>) -> ConnectionBox? {
            // The C side holds a reference to the object as long as the transfer refers to the connection.
            nc_connection_object(transfer).map { Unmanaged<ConnectionBox>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    extension TransportResponse.Connection {
        /// Reads what the handshake of a new connection agreed on.
        init(tlsOf transfer: UnsafeMutablePointer<nc_transfer>) {
            self.init()
            var facts = nc_tls_facts()
            guard nc_tls_read(transfer, &facts) != 0 else { return }
            tlsVersion = facts.version.flatMap { Self.versions[String(cString: $0)] }
            cipherSuite = facts.cipher.map { String(cString: $0) }
            applicationProtocol = facts.protocol.map {
                String(decoding: UnsafeRawBufferPointer(start: $0, count: facts.protocol_length), as: UTF8.self)
            }
            let certificates = (0..<facts.certificates).compactMap { Self.certificate($0, of: transfer) }
            if !certificates.isEmpty { self.certificates = CertificateChain(certificates: certificates) }
        }

        /// OpenSSL's names.
        private static let versions: [String: TransportConfiguration.TLSVersion] = [
            "TLSv1": .v1_0, "TLSv1.1": .v1_1, "TLSv1.2": .v1_2, "TLSv1.3": .v1_3,
        ]

        private static func certificate(_ index: Int32, of transfer: UnsafeMutablePointer<nc_transfer>) -> Data? {
            let count = Int(nc_tls_certificate(transfer, index, nil))
            guard count > 0 else { return nil }
            var data = Data(count: count)
            data.withUnsafeMutableBytes {
                _ = nc_tls_certificate(transfer, index, $0.bindMemory(to: UInt8.self).baseAddress)
            }
            return data
        }
    }

    extension CurlExchange.Answer {
        /// Reads the metrics and the connection of a transfer.
        mutating func measure(_ transfer: UnsafeMutablePointer<nc_transfer>) {
            nc_transfer_metrics(transfer, &metrics)
            connection = ConnectionBox.of(transfer)
        }
    }

    extension NetworkEvent.Step {
        init(_ step: nc_step, of transfer: UnsafeMutablePointer<nc_transfer>, address: String?) {
            self =
                switch step {
                case NC_STEP_LOOKED_UP: .nameLookedUp
                case NC_STEP_CONNECTING: .connecting(to: address ?? "")
                case NC_STEP_CONNECTED: .connected
                case NC_STEP_SECURED: .secured(ConnectionBox.of(transfer)?.value ?? .init())
                case NC_STEP_SENT: .requestSent
                default: .firstByteReceived
                }
        }
    }
#endif
