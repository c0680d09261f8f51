import Foundation
import NetCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server of the test's own that says exactly the bytes it is told to, also those that no server should say.
///
/// One thread accepts, one more serves each connection. It ends when it is released.
final class RawServer: Sendable {
    private let listener: Int32
    let port: UInt16
    private let connections = Locked<[Int32]>([])
    /// The heads of the requests, in the order in which they came.
    let requests = Locked<[String]>([])

    /// - Parameter serve: one connection, to its end.
    init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard result else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let self else { return _ = close(connection) }
                self.connections.withLock { $0.append(connection) }
                let requests = self.requests
                Thread.detachNewThread { [connections = self.connections] in
                    serve(RawConnection(socket: connection, requests: requests))
                    connections.withLock { all in
                        all.removeAll { $0 == connection }
                        _ = close(connection)
                    }
                }
            }
        }
    }

    /// Answers each request with the bytes that the closure gives for its head and body, and keeps the connection.
    static func answering(_ answer: @escaping @Sendable (String, Data) -> String) throws -> RawServer {
        try RawServer { connection in
            while let (head, body) = connection.readRequest() { connection.write(answer(head, body)) }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        connections.withLock { for connection in $0 { _ = shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    func request(_ path: String, method: String = "GET", timeout: TimeInterval = 20) throws -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.httpMethod = method
        return request
    }
}

/// One connection to a ``RawServer``, used by its thread.
final class RawConnection {
    private let socket: Int32
    private let requests: Locked<[String]>
    private var unread = Data()

    init(socket: Int32, requests: Locked<[String]>) {
        self.socket = socket
        self.requests = requests
    }

    /// The next request, its body whole and without the chunked coding; nil when the client has closed.
    func readRequest() -> (head: String, body: Data)? {
        guard let head = readHead() else { return nil }
        let fields = head.lowercased().components(separatedBy: "\r\n")
        func value(_ name: String) -> String? {
            fields.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
        if value("transfer-encoding") == "chunked" { return readChunks().map { (head, $0) } }
        return readBytes(value("content-length").flatMap { Int($0) } ?? 0).map { (head, $0) }
    }

    func readHead() -> String? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = unread.range(of: end) {
                let head = String(decoding: unread[..<range.lowerBound], as: UTF8.self)
                unread = Data(unread[range.upperBound...])
                requests.withLock { $0.append(head) }
                return head
            }
            guard readMore() else { return nil }
        }
    }

    func readBytes(_ count: Int) -> Data? {
        while unread.count < count { guard readMore() else { return nil } }
        defer { unread = Data(unread.dropFirst(count)) }
        return unread.prefix(count)
    }

    private func readChunks() -> Data? {
        var body = Data()
        while true {
            while unread.range(of: Data("\r\n".utf8)) == nil { guard readMore() else { return nil } }
            guard let line = unread.range(of: Data("\r\n".utf8)),
                let size = Int(String(decoding: unread[..<line.lowerBound], as: UTF8.self), radix: 16)
            else { return nil }
            unread = Data(unread[line.upperBound...])
            guard let chunk = readBytes(size + 2) else { return nil }
            if size == 0 { return body }
            body += chunk.dropLast(2)
        }
    }

    /// Whether there was more.
    func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        unread.append(contentsOf: buffer[..<count])
        return true
    }

    /// Whether all could be written.
    @discardableResult
    func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    @discardableResult
    func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let count = send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }

    /// Closes so that the client sees a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Waits until the client has closed.
    func waitForClose() {
        while readMore() {}
    }
}

/// `HTTP/1.1 200 OK` with a body.
func reply(_ body: String = "", status: Int = 200, _ headers: String...) -> String {
    let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}
