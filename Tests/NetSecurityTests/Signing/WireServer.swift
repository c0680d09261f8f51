import NetCore
import TestLab

/// A server on 127.0.0.1 and ::1 that records the heads of requests byte for byte. It answers 200, or 401 with a
/// challenge if there is no `Authorization`.
final class WireServer: Sendable {
    let port: Int
    private let sockets: [Int32]
    private let heads = Locked<[String]>([])

    init(challenge: String? = nil) throws {
        let first = try Self.listen("127.0.0.1", port: 0)
        port = first.port
        sockets = [first.socket] + [try? Self.listen("::1", port: port).socket].compactMap { $0 }
        for socket in sockets { Thread { [heads] in Self.serve(socket, challenge, heads) }.start() }
    }

    func close() { for socket in sockets { endAccepting(socket) } }

    func takeHeads() -> [WireHead] {
        heads.withLock { heads in
            defer { heads = [] }
            return heads.map(WireHead.init)
        }
    }

    private static func listen(_ address: String, port: Int) throws -> (socket: Int32, port: Int) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let info = list?.pointee else {
            throw LabError("getaddrinfo")
        }
        defer { freeaddrinfo(list) }
        let socket = socket(info.ai_family, SocketConstant.stream, 0)
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket, info.ai_addr, info.ai_addrlen) == 0, systemListen(socket, 16) == 0 else {
            systemClose(socket)
            throw LabError("cannot listen at \(address)")
        }
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &length) }
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.bigEndian }
        }
        return (socket, Int(number))
    }

    private static func serve(_ listener: Int32, _ challenge: String?, _ heads: Locked<[String]>) {
        defer { closeAfterAccepting(listener) }
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            defer { systemClose(client) }
            var head = Data()
            var buffer = [UInt8](repeating: 0, count: 4096)
            while head.range(of: Data("\r\n\r\n".utf8)) == nil {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                head += buffer[..<count]
            }
            guard !head.isEmpty else { continue }
            let text = String(decoding: head, as: UTF8.self)
            heads.withLock { $0.append(text) }
            var answer = "HTTP/1.1 200 OK\r\n"
            if let challenge, !text.lowercased().contains("\r\nauthorization:") {
                answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\n"
            }
            let bytes = Array((answer + "Content-Length: 0\r\nConnection: close\r\n\r\n").utf8)
            _ = send(client, bytes, bytes.count, SocketConstant.sendFlags)
        }
    }
}

struct WireHead {
    let target: String
    let fields: [(name: String, value: String)]

    init(_ text: String) {
        let lines = text.components(separatedBy: "\r\n")
        target = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map {
                (line[..<$0].lowercased(), line[line.index(after: $0)...].trimmingCharacters(in: .whitespaces))
            }
        }
    }

    subscript(name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

private func systemClose(_ socket: Int32) { _ = close(socket) }
private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }

// Another test's server may get the descriptor's number when it is closed. A thread that is between two connections would then accept
// connections of that server, so the thread itself closes it. Darwin wakes the thread only by closing.
#if canImport(Darwin)
    private func endAccepting(_ socket: Int32) { systemClose(socket) }
    private func closeAfterAccepting(_ socket: Int32) {}
#else
    private func endAccepting(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    private func closeAfterAccepting(_ socket: Int32) { systemClose(socket) }
#endif
