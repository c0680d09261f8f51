#if os(Linux)
    /// How a request declares the length of its body (RFC 9112, section 6).
    package enum HTTP1RequestFraming: Hashable, Sendable {
        /// The request has no body, and its method does not expect one.
        case none
        /// The request has no body, but its method (POST, PUT, PATCH) expects one: `Content-Length: 0`.
        case noneButExpected
        case length(Int64)
        case chunked
    }

    /// The reason why a request cannot be written.
    package enum HTTP1RequestError: Error, Hashable, Sendable {
        case invalidMethod, invalidTarget, invalidHost, invalidLength
        case invalidFieldName(String)
        /// The value of the named field has a control character other than tab.
        case invalidFieldValue(name: String)

        /// One sentence for developers, without the value, which may be secret.
        package var message: String {
            switch self {
            case .invalidMethod: "The method is not a token."
            case .invalidTarget: "The request target has a blank, a control character or a character outside of ASCII."
            case .invalidHost: "The host has a blank, a control character or a character outside of ASCII."
            case .invalidLength: "The length of the body is negative."
            case .invalidFieldName(let name): "The field name \(name.debugDescription) is not a token."
            case .invalidFieldValue(let name): "The value of \(name) has a control character."
            }
        }
    }

    /// Writes the head of a request, and the lines between the chunks of its body (RFC 9112).
    package enum HTTP1RequestWriter {
        /// Appends the request line, `Host`, the fields, the length of the body and an empty line.
        ///
        /// Fields named `Host`, `Content-Length` or `Transfer-Encoding` are left out: they follow from `host` and `framing`.
        /// An error leaves the buffer as it was.
        ///
        /// - Parameters:
        ///   - target: the request target in the form that the request needs (RFC 9112, section 3.2).
        ///   - host: the host and, if it is not the scheme's, the port. It may be empty.
        package static func appendHead(
            method: String, target: String, fields: some Sequence<(name: String, value: String)>, host: String,
            framing: HTTP1RequestFraming, to buffer: inout [UInt8]
        ) throws(HTTP1RequestError) {
            let start = buffer.count
            do throws(HTTP1RequestError) {
                try append(method: method, target: target, host: host, to: &buffer)
                for (name, value) in fields where !isReserved(name) {
                    try append(name, value, to: &buffer)
                }
                try append(framing, to: &buffer)
            } catch {
                buffer.removeSubrange(start...)
                throw error
            }
        }

        /// Appends the line before a chunk whose bytes, and the CRLF after them, the caller sends itself. The size must not be 0.
        package static func appendChunkSize(_ count: Int, to buffer: inout [UInt8]) {
            var shift = max(0, (Int.bitWidth - 1 - count.leadingZeroBitCount) / 4 * 4)
            while shift >= 0 {
                let digit = UInt8(truncatingIfNeeded: count >> shift & 15)
                buffer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                shift -= 4
            }
            appendLineEnd(to: &buffer)
        }

        private static func append(
            method: String, target: String, host: String, to buffer: inout [UInt8]
        ) throws(HTTP1RequestError) {
            guard append(method, to: &buffer, where: \.isInToken), !method.isEmpty else { throw .invalidMethod }
            buffer.append(UInt8(ascii: " "))
            guard append(target, to: &buffer, where: \.isVisible), !target.isEmpty else { throw .invalidTarget }
            buffer.append(contentsOf: " HTTP/1.1\r\nHost: ".utf8)
            guard append(host, to: &buffer, where: \.isVisible) else { throw .invalidHost }
            appendLineEnd(to: &buffer)
        }

        private static func append(_ name: String, _ value: String, to buffer: inout [UInt8]) throws(HTTP1RequestError)
        {
            guard append(name, to: &buffer, where: \.isInToken), !name.isEmpty else { throw .invalidFieldName(name) }
            buffer.append(UInt8(ascii: ":"))
            buffer.append(UInt8(ascii: " "))
            guard append(value, to: &buffer, where: { !$0.isControl }) else { throw .invalidFieldValue(name: name) }
            appendLineEnd(to: &buffer)
        }

        /// Appends the text, and returns whether all bytes of it are allowed.
        @inline(__always)
        private static func append(_ text: String, to buffer: inout [UInt8], where isAllowed: (UInt8) -> Bool) -> Bool {
            let start = buffer.count
            buffer.append(contentsOf: text.utf8)
            let bytes = buffer.span
            for index in start..<bytes.count where !isAllowed(bytes[index]) { return false }
            return true
        }

        /// Appends the field for the body's length, and the empty line.
        private static func append(_ framing: HTTP1RequestFraming, to buffer: inout [UInt8]) throws(HTTP1RequestError) {
            switch framing {
            case .none: break
            case .noneButExpected: buffer.append(contentsOf: "Content-Length: 0\r\n".utf8)
            case .length(let length):
                guard length >= 0 else { throw .invalidLength }
                buffer.append(contentsOf: "Content-Length: ".utf8)
                buffer.append(contentsOf: String(length).utf8)
                appendLineEnd(to: &buffer)
            case .chunked: buffer.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
            }
            appendLineEnd(to: &buffer)
        }

        private static func appendLineEnd(to buffer: inout [UInt8]) {
            buffer.append(0x0D)
            buffer.append(0x0A)
        }

        /// Whether the field follows from the host or the framing. The length comes first, so that most names are compared with none.
        private static func isReserved(_ name: String) -> Bool {
            switch name.utf8.count {
            case 4: equals(name, "host")
            case 14: equals(name, "content-length")
            case 17: equals(name, "transfer-encoding")
            default: false
            }
        }

        private static func equals(_ name: String, _ lowercased: String) -> Bool {
            zip(name.utf8, lowercased.utf8).allSatisfy { $0 == $1 || $0 &+ 0x20 == $1 && 0x41...0x5A ~= $0 }
        }
    }

    extension UInt8 {
        /// Whether it is a printable ASCII character other than a space.
        var isVisible: Bool { self > 0x20 && self < 0x7F }
    }
#endif
