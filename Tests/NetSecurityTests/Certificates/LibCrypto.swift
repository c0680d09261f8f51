#if os(Linux)
    import NetCore
    import TestLab

    /// The system's libcrypto, as the judge of what a certificate's key is.
    /// Unchecked, since functions of a library never change.
    struct LibCrypto: @unchecked Sendable {
        private typealias Object = OpaquePointer
        private typealias Read = @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Object?
        private typealias Write = @convention(c) (Object, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        private typealias Get = @convention(c) (Object) -> Object?
        private typealias Free = @convention(c) (Object?) -> Void

        init() throws {
            guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW) else {
                throw LabError("There is no libcrypto")
            }
            d2i = try Self.find("d2i_X509", in: library)
            free = try Self.find("X509_free", in: library)
            key = try Self.find("X509_get_X509_PUBKEY", in: library)
            writeKey = try Self.find("i2d_X509_PUBKEY", in: library)
            writeBody = try Self.find("i2d_re_X509_tbs", in: library)
            clear = try Self.find("ERR_clear_error", in: library)
        }

        private let d2i: Read
        private let free: Free
        private let key: Get
        private let writeKey: Write
        private let writeBody: Write
        private let clear: @convention(c) () -> Void

        private static func find<Function>(_ name: String, in library: UnsafeMutableRawPointer) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw LabError("libcrypto has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }

        /// The key as OpenSSL writes it. Nil if OpenSSL does not read the certificate, or not its key.
        ///
        /// - Parameter strictly: whether it has to be DER, as OpenSSL would write it. It reads more than that.
        func publicKeyInfo(of der: Data, strictly: Bool = false) -> Data? {
            defer { clear() }
            return der.withUnsafeBytes { buffer -> Data? in
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                var position = start
                guard let certificate = d2i(nil, &position, der.count) else { return nil }
                defer { free(certificate) }
                guard let start, position == start + der.count else { return nil }
                // The frame around the body is the caller's to keep.
                if strictly, encoded(certificate, writeBody).flatMap({ der.range(of: $0) }) == nil { return nil }
                return key(certificate).flatMap { encoded($0, writeKey) }
            }
        }

        private func encoded(_ object: Object, _ write: Write) -> Data? {
            let length = Int(write(object, nil))
            guard length > 0 else { return nil }
            var data = Data(count: length)
            data.withUnsafeMutableBytes { buffer in
                var position = buffer.bindMemory(to: UInt8.self).baseAddress
                _ = write(object, &position)
            }
            return data
        }
    }
#endif
