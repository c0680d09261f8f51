import NetCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The smallest transport that one could write with the public contract: one blocking socket for each request, HTTP/1.0. It
/// shows that the conformance suite serves others than ours, and that what is left out is said.
final class MinimalTransport: HTTPTransport {
    private static let supported: Set<TransportConfiguration.Capability> = [
        .bufferedResponse, .uploadData, .uploadFile, .singleExchange, .challenges,
    ]

    let missingCapabilities = Dictionary(
        uniqueKeysWithValues: TransportConfiguration.Capability.allCases.filter { !supported.contains($0) }
            .map { ($0, "a minimal transport for tests does not do this") })

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        let body = try await body?.collect(upTo: .max)
        guard let url = request.url else { throw NetworkError.invalidURL }
        let reply = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Self.exchange(Self.message(request, url, body), with: url) })
            }
        }
        return try Self.response(reply, to: request, url: url, context: context)
    }

    private static func message(_ request: URLRequest, _ url: URL, _ body: Data?) -> Data {
        let method = request.httpMethod ?? "GET"
        let path = (url.path.isEmpty ? "/" : url.path) + (url.query.map { "?\($0)" } ?? "")
        var head = "\(method) \(path) HTTP/1.0\r\nHost: \(url.host ?? ""):\(url.port ?? 80)\r\n"
        for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
        if body != nil || method == "POST" { head += "Content-Length: \(body?.count ?? 0)\r\n" }
        return Data((head + "\r\n").utf8) + (body ?? Data())
    }

    private static func exchange(_ message: Data, with url: URL) throws -> Data {
        guard url.host == "127.0.0.1" || url.host == "localhost" else {
            throw TransportError(.nameNotResolved, phase: .resolving, message: "only loopback is known", url: url)
        }
        let descriptor = socket(AF_INET, SocketConstant.stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(url.port ?? 80).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            throw TransportError(.connectionRefused, phase: .connecting, message: "refused", url: url)
        }
        // The answer may come before all is sent: what cannot be written any more is dropped.
        writeAll(message, to: descriptor)
        var reply = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return reply }
            reply.append(contentsOf: buffer[..<count])
        }
    }

    private static func response(
        _ reply: Data, to request: URLRequest, url: URL, context: RequestContext
    ) throws -> TransportResponse {
        guard let end = reply.range(of: Data("\r\n\r\n".utf8)) else {
            throw TransportError(.connectionLost, phase: .waiting, message: "no head", url: url)
        }
        let lines = String(decoding: reply[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ")
        guard parts.count >= 2, let status = Int(parts[1]) else {
            throw TransportError(.malformedStatusLine, phase: .receivingHead, message: lines[0], url: url)
        }
        let headers = HTTPHeaders(
            received: lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map {
                    HTTPHeader(name: String(line[..<$0]), value: String(line[line.index(after: $0)...]))
                }
            })
        let data = Data(reply[end.upperBound...])
        if case .collected(let limit) = context.delivery, data.count > limit {
            throw NetworkError.responseTooLarge(limit: limit)
        }
        return TransportResponse(
            status: status, headers: headers, url: url, version: HTTPVersion(rawValue: String(parts[0])),
            body: HTTPBody(data))
    }
}

/// At file scope, where `send` is the system's.
private func writeAll(_ message: Data, to descriptor: Int32) {
    message.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
            let count = send(
                descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, SocketConstant.sendFlags)
            if count <= 0 { break }
            sent += count
        }
    }
}
