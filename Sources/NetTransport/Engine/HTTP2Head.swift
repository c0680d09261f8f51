#if os(Linux)
    import CLibcurl
    import NetCore

    /// The head of a request, with the fields that HTTP/2 has for it (RFC 9113, sections 8.2 and 8.3).
    struct HTTP2Head {
        private var text: [UInt8] = []
        /// Where the fields stand in the text: a name, and the value directly behind it.
        private var fields: [(name: Int, value: Int, end: Int)] = []

        init(_ request: WireRequest) {
            text.reserveCapacity(480)
            fields.reserveCapacity(16)
            append(":method", request.method)
            append(":scheme", request.target.isHTTPS ? "https" : "http")
            append(":authority", request.host.isEmpty ? request.target.authority : request.host)
            append(":path", request.target.path)
            for (name, value) in request.fields where Self.has(name, value, request) { append(name, value) }
        }

        /// Calls a function with the fields as libnghttp2 takes them, and returns its result.
        func withFields(_ body: (UnsafePointer<nc_h2_nv>, Int) -> Int32) -> Int32 {
            text.withUnsafeBufferPointer { text in
                withUnsafeTemporaryAllocation(of: nc_h2_nv.self, capacity: fields.count) { list in
                    // libnghttp2 copies the bytes, and has no `const` in its declaration.
                    guard let start = text.baseAddress.map(UnsafeMutablePointer.init(mutating:)),
                        let first = list.baseAddress
                    else { return -1 }
                    for (index, field) in fields.enumerated() {
                        (first + index).initialize(
                            to: nc_h2_nv(
                                name: start + field.name, value: start + field.value,
                                namelen: field.value - field.name, valuelen: field.end - field.value, flags: 0))
                    }
                    return body(first, fields.count)
                }
            }
        }

        private mutating func append(_ name: String, _ value: String) {
            let start = text.count
            for byte in name.utf8 { text.append(byte.asciiLowercased) }
            let middle = text.count
            text.append(contentsOf: value.utf8)
            fields.append((start, middle, text.count))
        }

        /// Whether HTTP/2 has the field. If not, it describes the connection, or a frame replaces it.
        private static func has(_ name: String, _ value: String, _ request: WireRequest) -> Bool {
            func isNamed(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
            // By length first, so that most names are compared with none.
            return switch name.utf8.count {
            case 2 where isNamed("te"): value.equalsIgnoringASCIICase("trailers")
            case 6 where isNamed("expect"): request.callerExpectsContinue && request.uploadLength != 0
            case 7: !isNamed("upgrade")
            case 10: !isNamed("connection") && !isNamed("keep-alive")
            case 14: !isNamed("http2-settings")
            case 16: !isNamed("proxy-connection")
            default: true
            }
        }
    }
#endif
