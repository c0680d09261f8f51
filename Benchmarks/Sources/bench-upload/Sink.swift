import BenchKit
import Foundation

/// A server that takes bodies and forgets them: one connection at a time, as little as HTTP/1.1 needs.
struct Sink {
    let port: Int
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (listener, length)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
                    ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard status == 0 else { throw Failure("no port: \(String(cString: strerror(errno)))") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// For ever.
    func run() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { throw Failure("accept: \(String(cString: strerror(errno)))") }
            while try serve(connection, buffer) {}
            close(connection)
        }
    }

    /// One request. False at the end of the connection.
    private func serve(_ connection: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        var head = Data()
        var end: Range<Data.Index>?
        while end == nil {
            let count = recv(connection, buffer.baseAddress, 64 << 10, 0)
            guard count > 0 else { return false }
            head.append(contentsOf: buffer[..<count])
            end = head.range(of: Data("\r\n\r\n".utf8))
        }
        let fields = String(decoding: head[..<(end?.lowerBound ?? 0)], as: UTF8.self).lowercased()
        guard let length = fields.firstMatch(of: /content-length: *(\d+)/).flatMap({ Int($0.1) }) else {
            throw Failure("no Content-Length: \(fields)")
        }
        if fields.contains("expect: 100-continue") { try reply("HTTP/1.1 100 Continue\r\n\r\n", connection) }
        var rest = length - (head.count - (end?.upperBound ?? 0))
        while rest > 0 {
            let count = recv(connection, buffer.baseAddress, min(rest, buffer.count), 0)
            guard count > 0 else { return false }
            rest -= count
        }
        try reply("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", connection)
        return true
    }

    private func reply(_ text: String, _ connection: Int32) throws {
        try Data(text.utf8).withUnsafeBytes { try System.write($0, to: connection) }
    }
}
