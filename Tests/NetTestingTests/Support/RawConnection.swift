import NetTesting

/// Runs blocking code on a thread of its own: the cooperative pool has too few to lend one.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

// Under other names, since the methods below are called like the system calls.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(descriptor, bytes, count, SocketConstant.sendFlags)
}

/// A blocking client without any knowledge of HTTP but what its reader needs: it sees each byte, and how the connection ended.
final class RawConnection {
    enum Ending: Equatable {
        case closed, reset
        /// Nothing came for as long as the socket was told to wait.
        case silence
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    struct Response {
        var statusLine = ""
        var headers: [(name: String, value: String)] = []
        var body = Data()
        var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    private let descriptor: Int32
    private var buffer = Data()
    private var isOpen = true
    private var wasReset = false

    /// - Parameter patience: seconds without a byte that count as silence.
    init(port: Int, patience: Double = 60) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        descriptor = try Self.connect(AF_INET, address)
        setPatience(patience)
    }

    init(path: String, patience: Double = 60) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = try Self.connect(AF_UNIX, address)
        setPatience(patience)
    }

    deinit { close() }

    private static func connect<Address>(_ family: Int32, _ address: Address) throws -> Int32 {
        let descriptor = socket(family, SocketConstant.stream, 0)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            systemClose(descriptor)
            throw Failure(description: "connect: \(String(cString: strerror(code)))")
        }
        return descriptor
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        systemClose(descriptor)
    }

    /// How many seconds without a byte are silence.
    func setPatience(_ seconds: Double) { set(SO_RCVTIMEO, seconds) }

    /// How many seconds a peer may read nothing before sending fails.
    func setSendPatience(_ seconds: Double) { set(SO_SNDTIMEO, seconds) }

    private func set(_ option: Int32, _ seconds: Double) {
        let fraction = seconds.truncatingRemainder(dividingBy: 1) * 1_000_000
        var time = timeval(tv_sec: Int(seconds), tv_usec: .init(fraction))
        setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == ECONNRESET { wasReset = true }
            guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request with a Host field.
    func request(_ line: String, headers: [String] = [], body: String? = nil) throws {
        let fields = ["Host: test"] + headers + (body.map { ["Content-Length: \($0.utf8.count)"] } ?? [])
        try send("\(line) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body ?? "")")
    }

    /// Sends a request, and reads its response.
    @discardableResult
    func exchange(
        _ line: String, headers: [String] = [], body: String? = nil, toHead: Bool = false
    ) throws -> Response {
        try request(line, headers: headers, body: body)
        return try readResponse(toHead: toHead)
    }

    private func fill() throws -> Ending? {
        // The system tells a reset once.
        if wasReset { return .reset }
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count > 0 {
            buffer.append(contentsOf: chunk[..<count])
            return nil
        }
        if count == 0 { return .closed }
        switch errno {
        case ECONNRESET, EPIPE:
            wasReset = true
            return .reset
        case EAGAIN, EWOULDBLOCK: return .silence
        default: throw Failure(description: "recv: \(String(cString: strerror(errno)))")
        }
    }

    /// All that comes until the connection ends, or until that many bytes came.
    func readToEnd(limit: Int = .max) throws -> (data: Data, ending: Ending?) {
        while buffer.count < limit { if let ending = try fill() { return (take(buffer.count), ending) } }
        return (take(buffer.count), nil)
    }

    /// How many bytes come until the end, without keeping them.
    func countToEnd() throws -> Int {
        var count = 0
        while true {
            let ending = try fill()
            count += buffer.count
            buffer = Data()
            if ending != nil { return count }
        }
    }

    func readLine() throws -> String {
        while true {
            if let range = buffer.range(of: Data("\r\n".utf8)) {
                let line = take(range.lowerBound - buffer.startIndex)
                _ = take(2)
                return String(decoding: line, as: UTF8.self)
            }
            if let ending = try fill() { throw Failure(description: "\(ending) in a line") }
        }
    }

    func read(_ count: Int) throws -> Data {
        while buffer.count < count {
            if let ending = try fill() {
                throw Failure(description: "\(ending) after \(buffer.count) of \(count) bytes")
            }
        }
        return take(count)
    }

    /// Reads one response, framed by its length, its chunks or the end of the connection.
    func readResponse(toHead: Bool = false) throws -> Response {
        var response = Response()
        response.statusLine = try readLine()
        while case let line = try readLine(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            response.headers.append((parts[0], parts.count > 1 ? parts[1] : ""))
        }
        let status = response.status
        if toHead || (100..<200).contains(status) || status == 204 || status == 304 { return response }
        if response["Transfer-Encoding"] == "chunked" {
            while let size = Int(try readLine(), radix: 16), size > 0 {
                response.body += try read(size)
                _ = try readLine()
            }
            _ = try readLine()
        } else if let length = response["Content-Length"].flatMap(Int.init) {
            response.body = try read(length)
        } else {
            response.body = try readToEnd().data
        }
        return response
    }

    private func take(_ count: Int) -> Data {
        let result = Data(buffer.prefix(count))
        buffer = Data(buffer.dropFirst(count))
        return result
    }
}
