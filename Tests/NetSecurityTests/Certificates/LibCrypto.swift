#if os(Linux)
    import NetCore
    import TestLab

    @testable import NetSecurity

    /// The system's libcrypto, as the judge of what a certificate says.
    struct LibCrypto: @unchecked Sendable {
        /// What OpenSSL reads in a certificate.
        struct Reading: Equatable {
            var publicKeyInfo: Data
            var subject: String
            var issuer: String
            var notBefore: Date
            var notAfter: Date
            var alternativeNames: [AlternativeName]
        }

        struct AlternativeName: Equatable {
            var kind: Int32
            var content: Data
        }

        private typealias Object = OpaquePointer
        private typealias Read = @convention(c) (Object?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Object?
        private typealias Write = @convention(c) (Object, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        private typealias Get = @convention(c) (Object) -> Object?
        private typealias Free = @convention(c) (Object?) -> Void
        private typealias PrintName = @convention(c) (Object, Object, Int32, UInt) -> Int32
        private typealias Control =
            @convention(c) (Object, Int32, Int, UnsafeMutablePointer<UnsafePointer<UInt8>?>) -> Int
        private typealias BrokenDownTime = @convention(c) (Object, UnsafeMutablePointer<tm>) -> Int32
        private typealias GetExtension =
            @convention(c) (Object, Int32, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>?) -> Object?
        private typealias Value = @convention(c) (Object, Int32) -> Object?
        private typealias NameValue = @convention(c) (Object, UnsafeMutablePointer<Int32>) -> UnsafeMutableRawPointer?

        // Unchecked, since a handle of a library and functions in it never change.
        private let library: UnsafeMutableRawPointer

        init() throws {
            guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW) else {
                throw LabError("There is no libcrypto")
            }
            self.library = library
            d2i = try Self.find("d2i_X509", in: library)
            free = try Self.find("X509_free", in: library)
            key = try Self.find("X509_get_X509_PUBKEY", in: library)
            writeKey = try Self.find("i2d_X509_PUBKEY", in: library)
            writeBody = try Self.find("i2d_re_X509_tbs", in: library)
            subject = try Self.find("X509_get_subject_name", in: library)
            issuer = try Self.find("X509_get_issuer_name", in: library)
            printName = try Self.find("X509_NAME_print_ex", in: library)
            memory = try Self.find("BIO_s_mem", in: library)
            makeBIO = try Self.find("BIO_new", in: library)
            freeBIO = try Self.find("BIO_free_all", in: library)
            control = try Self.find("BIO_ctrl", in: library)
            notBefore = try Self.find("X509_get0_notBefore", in: library)
            notAfter = try Self.find("X509_get0_notAfter", in: library)
            time = try Self.find("ASN1_TIME_to_tm", in: library)
            getExtension = try Self.find("X509_get_ext_d2i", in: library)
            count = try Self.find("OPENSSL_sk_num", in: library)
            value = try Self.find("OPENSSL_sk_value", in: library)
            freeNames = try Self.find("GENERAL_NAMES_free", in: library)
            nameValue = try Self.find("GENERAL_NAME_get0_value", in: library)
            bytes = try Self.find("ASN1_STRING_get0_data", in: library)
            length = try Self.find("ASN1_STRING_length", in: library)
            clear = try Self.find("ERR_clear_error", in: library)
        }

        private let d2i: Read
        private let free: Free
        private let key: Get
        private let writeKey: Write
        private let writeBody: Write
        private let subject: Get
        private let issuer: Get
        private let printName: PrintName
        private let memory: @convention(c) () -> Object?
        private let makeBIO: @convention(c) (Object?) -> Object?
        private let freeBIO: Free
        private let control: Control
        private let notBefore: Get
        private let notAfter: Get
        private let time: BrokenDownTime
        private let getExtension: GetExtension
        private let count: @convention(c) (Object) -> Int32
        private let value: Value
        private let freeNames: Free
        private let nameValue: NameValue
        private let bytes: @convention(c) (Object) -> UnsafePointer<UInt8>?
        private let length: @convention(c) (Object) -> Int32
        private let clear: @convention(c) () -> Void

        private static func find<Function>(_ name: String, in library: UnsafeMutableRawPointer) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw LabError("libcrypto has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }

        /// Nil if OpenSSL does not take it for a certificate, or cannot tell one of its parts.
        ///
        /// - Parameter strictly: whether it has to be DER, as OpenSSL would write it. It reads more than that.
        func read(_ der: Data, strictly: Bool = false) -> Reading? {
            defer { clear() }
            return der.withUnsafeBytes { buffer -> Reading? in
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                var position = start
                guard let certificate = d2i(nil, &position, der.count) else { return nil }
                defer { free(certificate) }
                guard let start, position == start + der.count else { return nil }
                if strictly {
                    // The frame that stands around the body is the caller's to keep.
                    guard let body = encoded(certificate, writeBody), der.range(of: body) != nil else { return nil }
                }
                guard let key = key(certificate), let info = encoded(key, writeKey),
                    let subject = self.subject(certificate).flatMap(text),
                    let issuer = self.issuer(certificate).flatMap(text),
                    let begin = self.notBefore(certificate).flatMap(date),
                    let end = self.notAfter(certificate).flatMap(date),
                    let names = names(certificate)
                else { return nil }
                return Reading(
                    publicKeyInfo: info, subject: subject, issuer: issuer, notBefore: begin, notAfter: end,
                    alternativeNames: names)
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

        /// One part a line, the types as object identifiers, and in DER what is no text.
        private func text(_ name: Object) -> String? {
            guard let bio = makeBIO(memory()) else { return nil }
            defer { freeBIO(bio) }
            let (multiline, identifiers, utf8, unknownAsDER): (UInt, UInt, UInt, UInt) = (4 << 16, 2 << 21, 0x10, 0x300)
            guard printName(bio, name, 0, multiline | identifiers | utf8 | unknownAsDER) >= 0 else { return nil }
            var start: UnsafePointer<UInt8>?
            let length = control(bio, 3, 0, &start)
            guard let start, length > 0 else { return "" }
            return String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
        }

        private func date(_ object: Object) -> Date? {
            var parts = tm()
            guard time(object, &parts) == 1 else { return nil }
            return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
        }

        /// None if there is no such extension, nil if OpenSSL cannot read it.
        private func names(_ certificate: Object) -> [AlternativeName]? {
            var critical: Int32 = 0
            guard let list = getExtension(certificate, 85, &critical, nil) else { return critical == -1 ? [] : nil }
            defer { freeNames(list) }
            return (0..<count(list)).map { index in
                var kind: Int32 = -1
                guard let name = value(list, index), let content = nameValue(name, &kind) else {
                    return AlternativeName(kind: -1, content: Data())
                }
                // Mail, DNS, URI and address are strings; of the others only the kind is compared.
                guard [1, 2, 6, 7].contains(kind) else { return AlternativeName(kind: kind, content: Data()) }
                let string = Object(content)
                let characters = UnsafeBufferPointer(start: bytes(string), count: Int(length(string)))
                return AlternativeName(kind: kind, content: Data(characters))
            }
        }
    }

    extension LibCrypto.Reading {
        /// What we read, in the same form.
        init(_ certificate: X509Certificate) {
            self.init(
                publicKeyInfo: certificate.publicKeyInfo, subject: Self.text(certificate.subject),
                issuer: Self.text(certificate.issuer), notBefore: certificate.notBefore, notAfter: certificate.notAfter,
                alternativeNames: certificate.alternativeNames.map(Self.name))
        }

        private static func text(_ name: DistinguishedName) -> String {
            name.parts.map { part in part.map { "\($0.type)=\($0.value)" }.joined(separator: " + ") }
                .joined(separator: "\n")
        }

        private static func name(_ name: SubjectAlternativeName) -> LibCrypto.AlternativeName {
            switch name {
            case .email(let text): .init(kind: 1, content: Data(text.utf8))
            case .dns(let text): .init(kind: 2, content: Data(text.utf8))
            case .uri(let text): .init(kind: 6, content: Data(text.utf8))
            case .ipAddress(let text): .init(kind: 7, content: address(text))
            case .directory: .init(kind: 4, content: Data())
            case .registeredID: .init(kind: 8, content: Data())
            case .other(let kind, let content):
                .init(kind: Int32(kind), content: [1, 2, 6, 7].contains(kind) ? content : Data())
            }
        }

        private static func address(_ text: String) -> Data {
            var four = in_addr()
            if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Data($0) } }
            var sixteen = in6_addr()
            return inet_pton(AF_INET6, text, &sixteen) == 1 ? withUnsafeBytes(of: sixteen) { Data($0) } : Data()
        }
    }
#endif
