import NetCore

/// Waits for a browser to call one path on 127.0.0.1.
///
/// A thread with `poll`, since browsers open connections on which they say nothing: one after the other would not do. It holds few
/// connections and little of each.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let path: String
    private let isExpected: @Sendable (String) -> Bool
    private let listener: FileNumber
    private let waker: (reader: FileNumber, writer: FileNumber)

    /// - Parameter isExpected: whether path and query of a request are the answer that is waited for.
    /// - Throws: ``OAuthError/unsupported(_:)`` if the system gives no socket.
    init(path: String, isExpected: @escaping @Sendable (String) -> Bool = { _ in true }) throws(OAuthError) {
        self.path = path
        self.isExpected = isExpected
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.failure("pipe") }
        waker = (FileNumber(ends[0]), FileNumber(ends[1]))
        let number = socket(AF_INET, SocketConstant.stream, 0)
        guard number >= 0 else { throw Self.failure("socket") }
        listener = FileNumber(number)
        for file in [waker.reader, waker.writer, listener] { file.prepare() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && listen(number, 16) == 0 && getsockname(number, $0, &length) == 0
            }
        }
        guard isBound else { throw Self.failure("bind") }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Path and query of the request that the browser makes for our path. Once.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func target() async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try self.serve() }) }.start()
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(waker.writer.number, &byte, 1)
        }
    }

    private static func failure(_ call: String) -> OAuthError {
        .unsupported("This system gives no socket on 127.0.0.1 (\(call): \(String(cString: strerror(errno)))).")
    }

    private static let connectionLimit = 16

    /// The loop of the thread.
    private func serve() throws -> String {
        var connections: [LoopbackConnection] = []
        while true {
            var files = [waker.reader.polled, listener.polled] + connections.map(\.file.polled)
            guard poll(&files, nfds_t(files.count), -1) >= 0 else {
                if errno == EINTR { continue }
                throw Self.failure("poll")
            }
            if files[0].revents != 0 { throw CancellationError() }
            // The first that came are asked first; those that are ready now are looked at before others are let in.
            for (connection, file) in zip(connections, files.dropFirst(2)) where file.revents != 0 {
                switch connection.read() {
                case .more: break
                case .ended: connections.removeAll { $0 === connection }
                case .request(let request):
                    connections.removeAll { $0 === connection }
                    switch verdict(on: request) {
                    case .answer(let target):
                        connection.answer(status: "200 OK", "You are signed in. You may close this page.")
                        return target
                    case .misdirected:
                        connection.answer(status: "421 Misdirected Request", "This address belongs to another host.")
                    case .unexpected:
                        connection.answer(status: "400 Bad Request", "This is not the answer to the sign-in under way.")
                    case .unknown:
                        connection.answer(status: "404 Not Found", "There is nothing here.")
                    }
                }
            }
            guard files[1].revents != 0 else { continue }
            let number = accept(listener.number, nil, nil)
            guard number >= 0 else { continue }
            if connections.count >= Self.connectionLimit { connections.removeFirst() }
            connections.append(LoopbackConnection(FileNumber(number)))
        }
    }

    private enum Verdict {
        /// Path and query of the request that is waited for.
        case answer(String)
        /// The request is for another host: a page in the browser whose name was made to lead here (DNS rebinding).
        case misdirected
        /// Another sign-in's, or one that somebody made up.
        case unexpected
        case unknown
    }

    private func verdict(on request: String) -> Verdict {
        let lines = request.split(whereSeparator: \.isNewline)
        let hosts = lines.dropFirst().filter { $0.prefix(5).lowercased() == "host:" }
        guard hosts.count == 1, hosts[0].dropFirst(5).trimmingCharacters(in: .whitespaces) == "127.0.0.1:\(port)" else {
            return .misdirected
        }
        guard let target = lines.first.flatMap(target) else { return .unknown }
        return isExpected(target) ? .answer(target) : .unexpected
    }

    /// `/callback?code=…` of `GET /callback?code=… HTTP/1.1`; nil for other requests.
    private func target(of line: Substring) -> String? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1."), words[1].hasPrefix(path + "?"),
            !words[1].contains("#")
        else { return nil }
        return String(words[1])
    }
}

/// A browser's connection, and what it has said so far.
private final class LoopbackConnection {
    enum Step {
        case more, ended
        case request(String)
    }

    let file: FileNumber
    private var received: [UInt8] = []

    private static let headLimit = 16 << 10

    init(_ file: FileNumber) {
        self.file = file
        file.prepare()
    }

    func read() -> Step {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(file.number, &buffer, buffer.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .more : .ended }
        guard count > 0, received.count + count <= Self.headLimit else { return .ended }
        received += buffer.prefix(count)
        let text = String(decoding: received, as: UTF8.self)
        return text.contains("\r\n\r\n") ? .request(text) : .more
    }

    func answer(status: String, _ text: String) {
        let page = "<!doctype html><meta charset=utf-8><title>Sign-in</title><p>\(text)</p>"
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
        let bytes = Array((head + page).utf8)
        // Fits into the socket's own buffer; a browser that has gone away does not matter.
        _ = send(file.number, bytes, bytes.count, SocketConstant.sendFlags)
        shutdown(file.number, Int32(SHUT_WR))
    }
}

/// An open file: closed when its owner lets go of it.
private final class FileNumber: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    var polled: pollfd { pollfd(fd: number, events: Int16(POLLIN), revents: 0) }

    /// Never waits, is not inherited, and (on Apple) raises no signal.
    func prepare() {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
