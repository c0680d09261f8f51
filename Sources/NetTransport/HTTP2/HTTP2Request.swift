#if os(Linux)
    import CLibcurl

    /// The head of a request, with the fields that HTTP/2 has for it (RFC 9113, sections 8.2 and 8.3). Any thread can make it.
    struct HTTP2Request: Sendable {
        /// Whether a request has a body, and how many bytes.
        enum Body: Sendable { case none, length(Int64), unknown }

        private var text: [UInt8] = []
        /// Where the fields stand in the text: a name, and the value directly behind it.
        private var fields: [(name: Int, value: Int, end: Int)] = []
        /// The value of a `Host` field, which replaces the authority.
        private var host: Range<Int>?
        private var hasAccept = false
        let body: Body
        let isHEAD: Bool
        /// Whether there are bytes to send behind the head.
        let hasBody: Bool
        /// Whether the body waits for `100 Continue`, because the fields say so.
        private(set) var expectsContinue = false

        /// - Parameters:
        ///   - authority: host and port, without the port of the scheme.
        ///   - path: path and query. Not empty.
        ///   - fields: names, in any case, and values. Fields that describe the connection or have another form in HTTP/2 are left out.
        init<Name: Collection<UInt8>, Value: Collection<UInt8>>(
            method: some Collection<UInt8>, scheme: some Collection<UInt8>, authority: some Collection<UInt8>,
            path: some Collection<UInt8>, fields list: some Sequence<(Name, Value)>, body: Body = .none
        ) {
            self.body = body
            isHEAD = method.elementsEqual("HEAD".utf8)
            switch body {
            case .none: hasBody = false
            case .length(let length): hasBody = length > 0
            case .unknown: hasBody = true
            }
            text.reserveCapacity(480)
            fields.reserveCapacity(16)
            append(":method".utf8, method)
            append(":scheme".utf8, scheme)
            append(":authority".utf8, authority)
            append(":path".utf8, path)
            for (name, value) in list { add(name, value) }
            // As libcurl does over HTTP/1.1.
            if !hasAccept { append("accept".utf8, "*/*".utf8) }
            if case .length(let length) = body {
                append("content-length".utf8, String(max(0, length)).utf8)
            } else if !hasBody, ["POST", "PUT", "PATCH"].contains(where: { method.elementsEqual($0.utf8) }) {
                append("content-length".utf8, "0".utf8)
            }
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
                        let isAuthority = index == 2
                        let value = isAuthority ? host ?? field.value..<field.end : field.value..<field.end
                        (first + index).initialize(
                            to: nc_h2_nv(
                                name: start + field.name, value: start + value.lowerBound,
                                namelen: field.value - field.name, valuelen: value.count, flags: 0))
                    }
                    return body(first, fields.count)
                }
            }
        }

        private mutating func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
            let start = text.count
            text.append(contentsOf: name)
            let middle = text.count
            text.append(contentsOf: value)
            fields.append((start, middle, text.count))
        }

        /// Adds a field that HTTP/2 has, without white space around its value.
        private mutating func add(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
            append(name, value)
            guard let field = fields.popLast() else { return }
            for index in field.name..<field.value where text[index] &- 0x41 < 26 { text[index] |= 0x20 }
            var (start, end) = (field.value, field.end)
            while start < end, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
            while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
            if isSent(field.name..<field.value, start..<end) {
                text.removeLast(field.end - end)
                if start > field.value { text.removeSubrange(field.value..<start) }
                fields.append((field.name, field.value, text.count))
            } else if host?.lowerBound != start {
                text.removeLast(field.end - field.name)
            }
        }

        /// Whether HTTP/2 has the field. If not, it describes the connection, or a pseudo-field or frame replaces it.
        private mutating func isSent(_ name: Range<Int>, _ value: Range<Int>) -> Bool {
            switch name.count {
            case 2 where isText(name, "te"): return isText(value, "trailers")
            case 4 where isText(name, "host"):
                if !value.isEmpty { host = value }
                return false
            case 6 where isText(name, "accept"): hasAccept = true
            case 6 where isText(name, "expect"):
                expectsContinue = hasBody && isText(value, "100-continue")
                return expectsContinue
            case 7: return !isText(name, "upgrade")
            case 10: return !isText(name, "connection") && !isText(name, "keep-alive")
            case 14: return !isText(name, "content-length") && !isText(name, "http2-settings")
            case 16: return !isText(name, "proxy-connection")
            case 17: return !isText(name, "transfer-encoding")
            default: break
            }
            return true
        }

        /// Compares part of the text with one in lower case.
        private func isText(_ range: Range<Int>, _ other: StaticString) -> Bool {
            range.count == other.utf8CodeUnitCount
                && range.allSatisfy { text[$0] | 0x20 == other.utf8Start[$0 - range.lowerBound] | 0x20 }
        }
    }
#endif
