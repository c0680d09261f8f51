#if os(Linux)
    import CLibcurl
    import NetCore

    /// The header fields of a request, with what the transport has to know of them.
    struct CurlHeaderFields {
        private let fields: [String: String]
        var additional: [HTTPHeader] = []
        /// Fields that libcurl would add and the caller did not ask for.
        var suppressed: [StaticString] = []

        private(set) var hasAuthorization = false
        private(set) var hasAcceptEncoding = false
        /// Whether what is asked for is a part, or a digest, of the bytes as they are.
        private(set) var wantsIdentity = false
        /// To be sent beside the caller's.
        var acceptEncoding: String?
        private(set) var hasContentType = false
        private(set) var hasExpect = false
        private(set) var expectsContinue = false
        /// As declared by the caller. It counts where the body does not know its length.
        private(set) var contentLength: Int64?
        private var size = 0

        init(_ fields: [String: String]) {
            self.fields = fields
            for (name, value) in fields {
                size += name.utf8.count + value.utf8.count + Int(NC_HEADER_OVERHEAD)
                // Sorted by length, so that most names are compared with nothing.
                switch name.utf8.count {
                case 5: if name.equalsIgnoringASCIICase("Range") { wantsIdentity = true }
                case 6:
                    if name.equalsIgnoringASCIICase("Expect") {
                        hasExpect = true
                        expectsContinue = value.equalsIgnoringASCIICase("100-continue")
                    }
                case 11: if name.equalsIgnoringASCIICase("Want-Digest") { wantsIdentity = true }
                case 12: if name.equalsIgnoringASCIICase("Content-Type") { hasContentType = true }
                case 13: if name.equalsIgnoringASCIICase("Authorization") { hasAuthorization = true }
                case 14:
                    if name.equalsIgnoringASCIICase("Content-Length") {
                        contentLength = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
                    }
                case 15: if name.equalsIgnoringASCIICase("Accept-Encoding") { hasAcceptEncoding = true }
                case 16: if name.equalsIgnoringASCIICase("Want-Repr-Digest") { wantsIdentity = true }
                case 19: if name.equalsIgnoringASCIICase("Want-Content-Digest") { wantsIdentity = true }
                default: break
                }
            }
        }

        /// Bytes that ``write(to:)`` needs.
        var capacity: Int {
            additional.reduce(size + (acceptEncoding?.utf8.count ?? 0) + 16 + Int(NC_HEADER_OVERHEAD)) {
                $0 + $1.name.utf8.count + $1.value.utf8.count + Int(NC_HEADER_OVERHEAD)
            }
                + suppressed.count * (32 + Int(NC_HEADER_OVERHEAD))
        }

        /// Writes all fields, except those that describe the body's framing: they follow from the body. False if one of
        /// them must not be sent.
        func write(to request: UnsafeMutablePointer<nc_request>) -> Bool {
            for (name, value) in fields {
                if name.utf8.count == 14, name.equalsIgnoringASCIICase("Content-Length") { continue }
                if name.utf8.count == 17, name.equalsIgnoringASCIICase("Transfer-Encoding") { continue }
                guard Self.write(name, value, to: request) else { return false }
            }
            for header in additional {
                guard Self.write(header.name, header.value, to: request) else { return false }
            }
            if let acceptEncoding {
                guard Self.write("Accept-Encoding", acceptEncoding, to: request) else { return false }
            }
            for name in suppressed {
                let written = name.withUTF8Buffer { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        bytes.baseAddress.map { nc_request_suppress(request, $0) == 0 } ?? false
                    }
                }
                guard written else { return false }
            }
            return true
        }

        private static func write(_ name: String, _ value: String, to request: UnsafeMutablePointer<nc_request>) -> Bool
        {
            name.withCString { name in
                var value = value
                return value.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        nc_request_header(request, name, strlen(name), bytes.baseAddress ?? name, bytes.count) == 0
                    }
                }
            }
        }
    }
#endif
