#if os(Linux)
    import NetCore

    /// Reads the requests of one connection. It is strict: what a client sends has to be right.
    struct HostileRequestReader {
        struct Head {
            let text: String
            /// The number of the exchange, from the request's path `/t12x`.
            let number: Int?
            let length: Int
            let isChunked: Bool
            let expectsContinue: Bool

            init(_ text: String) {
                self.text = text
                let lines = text.components(separatedBy: "\r\n")
                let words = lines[0].split(separator: " ")
                let path = words.count == 3 && words[2] == "HTTP/1.1" ? words[1] : ""
                number = path.hasPrefix("/t") && path.hasSuffix("x") ? Int(path.dropFirst(2).dropLast()) : nil
                func value(_ name: String) -> String? {
                    lines.first { $0.lowercased().hasPrefix("\(name):") }?.dropFirst(name.count + 1)
                        .trimmingCharacters(in: .whitespaces)
                }
                length = value("content-length").flatMap { Int($0) } ?? 0
                isChunked = value("transfer-encoding")?.lowercased() == "chunked"
                expectsContinue = value("expect")?.lowercased() == "100-continue"
            }
        }

        private let link: HostileLink
        private var buffer: [UInt8] = []
        private var start = 0

        init(_ link: HostileLink) { self.link = link }

        /// Nil at the end of the connection.
        mutating func head() -> Head? {
            var text: [UInt8] = []
            while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = byte() else { return nil }
                text.append(byte)
                // The client is out of step.
                if text.count == 1, !(0x41...0x5A).contains(byte) { return Head(String(decoding: text, as: UTF8.self)) }
            }
            return Head(String(decoding: text, as: UTF8.self))
        }

        /// Nil if the connection ended before the body did.
        mutating func body(of head: Head) -> [UInt8]? {
            guard head.isChunked else { return bytes(head.length) }
            var body: [UInt8] = []
            while true {
                guard let line = line(), let size = Int(line, radix: 16), let chunk = bytes(size), self.line() == ""
                else { return nil }
                body += chunk
                if size == 0 { return body }
            }
        }

        private mutating func fill() -> Bool {
            guard start == buffer.count else { return true }
            guard let read = link.read() else { return false }
            (buffer, start) = (read, 0)
            return true
        }

        private mutating func byte() -> UInt8? {
            guard fill() else { return nil }
            defer { start += 1 }
            return buffer[start]
        }

        private mutating func line() -> String? {
            var text: [UInt8] = []
            while let byte = byte() {
                text.append(byte)
                if byte == 0x0A { return String(decoding: text.dropLast(2), as: UTF8.self) }
            }
            return nil
        }

        private mutating func bytes(_ count: Int) -> [UInt8]? {
            var result: [UInt8] = []
            while result.count < count {
                guard fill() else { return nil }
                let part = buffer[start...].prefix(count - result.count)
                start += part.count
                result += part
            }
            return result
        }
    }
#endif
