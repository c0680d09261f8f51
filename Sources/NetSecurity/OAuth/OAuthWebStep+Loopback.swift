public import NetCore

extension OAuthClient.WebStep {
    /// Signs the user in with any browser on this machine, which returns to a port of 127.0.0.1 (RFC 8252, section 7.3): for programs on
    /// Linux and macOS.
    ///
    /// ```swift
    /// let tokens = try await oauth.signIn(using: .loopback { url in print("Open this page: \(url)") })
    /// ```
    ///
    /// It listens only during the sign-in, on a port that the system chooses, so the server must permit any port for
    /// `http://127.0.0.1/callback`. It answers only that path. It refuses a callback with another `state` than the page's, or with
    /// another `Host` than the redirect URI's, and continues to listen, so that other programs and pages cannot end a sign-in.
    ///
    /// - Parameters:
    ///   - path: the path of the redirect URI, as the server knows it; begins with a slash.
    ///   - timeLimit: how long the user may take, in seconds.
    ///   - clock: measures the time limit.
    ///   - open: shows a page to the user: starts `xdg-open` or `open`, or prints the URL. An error that it throws ends the sign-in. It is
    ///     cancelled when the sign-in has ended, and need not have returned by then.
    public static func loopback(
        path: String = "/callback", timeLimit: TimeInterval = 300, clock: any NetworkClock = .system,
        open: @escaping @Sendable (URL) async throws -> Void
    ) -> OAuthClient.WebStep {
        let path = path.hasPrefix("/") ? path : "/" + path
        return OAuthClient.WebStep { authorizationURL in
            let advice = "Sign in on the paired iPhone, or by the device flow."
            if let reason = SystemTraits.refusalOfSockets(for: "A loopback redirect", advice) {
                throw OAuthError.unsupported(reason)
            }
            let listener = try LoopbackListener(path: path)
            let base = "http://127.0.0.1:\(listener.port)"
            guard let redirectURI = URL(string: base + path) else {
                throw OAuthError.unsupported("The path of the redirect URI is not valid in a URL.")
            }
            let page = try authorizationURL(redirectURI)
            let state = page.uniqueQueryValues?["state"]
            // Not a part of the group: a command that shows the page may run until the browser is closed.
            let (failures, failure) = AsyncThrowingStream<URL, any Error>.makeStream()
            let opening = Task { do { try await open(page) } catch { failure.finish(throwing: error) } }
            defer { opening.cancel() }
            return try await withThrowingTaskGroup(of: URL.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    let target = try await listener.target(state: state)
                    guard let url = URL(string: base + target) else { throw OAuthError.invalidCallback }
                    return url
                }
                group.addTask {
                    try await clock.sleep(for: timeLimit)
                    throw OAuthError.timedOut
                }
                group.addTask {
                    for try await url in failures { return url }
                    throw CancellationError()
                }
                guard let callback = try await group.next() else { throw OAuthError.cancelled }
                return callback
            }
        }
    }
}

/// Waits for a browser to request one path on 127.0.0.1.
///
/// It uses a thread with `poll`, because browsers open connections on which they send nothing. It keeps few connections and little of each.
private final class LoopbackListener: Sendable {
    let port: UInt16
    private let path: String
    private let listener: DiskFile
    private let waker: (reader: DiskFile, writer: DiskFile)

    /// - Throws: ``OAuthError/unsupported(_:)`` if the system refuses a socket.
    init(path: String) throws(OAuthError) {
        self.path = path
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.failure("pipe") }
        waker = (DiskFile(owning: ends[0]), DiskFile(owning: ends[1]))
        let number = socket(AF_INET, SocketConstant.stream, 0)
        guard number >= 0 else { throw Self.failure("socket") }
        listener = DiskFile(owning: number)
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

    /// Returns the path and query of the callback. Call it once.
    ///
    /// - Parameter state: the `state` that the callback has to repeat; nil if the page has none.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func target(state: String?) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try self.serve(state) }) }.start()
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(waker.writer.descriptor, &byte, 1)
        }
    }

    private static func failure(_ call: String) -> OAuthError {
        .unsupported("This system refuses a socket on 127.0.0.1 (\(call): \(String(cString: strerror(errno)))).")
    }

    private static let connectionLimit = 16

    /// Serves connections until one brings the callback, and returns its path and query.
    private func serve(_ state: String?) throws -> String {
        var connections: [LoopbackConnection] = []
        while true {
            var files = [waker.reader.polled, listener.polled] + connections.map(\.file.polled)
            guard poll(&files, nfds_t(files.count), -1) >= 0 else {
                if errno == EINTR { continue }
                throw Self.failure("poll")
            }
            if files[0].revents != 0 { throw CancellationError() }
            // Ready connections are read in order of arrival, before new ones are accepted.
            for (connection, file) in zip(connections, files.dropFirst(2)) where file.revents != 0 {
                guard connection.read() else { continue }
                connections.removeAll { $0 === connection }
                if let request = connection.request, let target = answer(request, state, on: connection) {
                    return target
                }
            }
            guard files[1].revents != 0 else { continue }
            let number = accept(listener.descriptor, nil, nil)
            guard number >= 0 else {
                // Without a free descriptor, `poll` would report the connection again at once.
                if errno == EMFILE || errno == ENFILE { usleep(50_000) }
                continue
            }
            if connections.count >= Self.connectionLimit { connections.removeFirst() }
            connections.append(LoopbackConnection(DiskFile(owning: number)))
        }
    }

    /// Answers a request, and returns its target if it is the expected callback.
    private func answer(_ request: String, _ state: String?, on connection: LoopbackConnection) -> String? {
        let lines = request.split(whereSeparator: \.isNewline)
        let hosts = lines.dropFirst().filter { $0.prefix(5).lowercased() == "host:" }
        guard hosts.count == 1, hosts[0].dropFirst(5).trimmingCharacters(in: .whitespaces) == "127.0.0.1:\(port)" else {
            // A page whose name was resolved to this address (DNS rebinding).
            connection.respond("421 Misdirected Request", "This address belongs to another host.")
            return nil
        }
        guard let target = lines.first.flatMap(target) else {
            connection.respond("404 Not Found", "There is nothing here.")
            return nil
        }
        guard state == nil || URL(string: target)?.uniqueQueryValues?["state"] == state else {
            // The callback of another sign-in, or a forged one.
            connection.respond("400 Bad Request", "This is not the answer to the sign-in under way.")
            return nil
        }
        connection.respond("200 OK", "You are signed in. You may close this page.")
        return target
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

/// A browser's connection, and the bytes received on it.
private final class LoopbackConnection {
    let file: DiskFile
    /// The head of the request, once it has arrived.
    private(set) var request: String?
    private var received: [UInt8] = []

    private static let headLimit = 16 << 10

    init(_ file: DiskFile) {
        self.file = file
        file.prepare()
    }

    /// Reads what has arrived. Returns whether that is all: the ``request``, or nil of a connection that has ended.
    func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(file.descriptor, &buffer, buffer.count, 0)
        if count < 0 { return errno != EAGAIN && errno != EINTR }
        guard count > 0, received.count + count <= Self.headLimit else { return true }
        received += buffer.prefix(count)
        let text = String(decoding: received, as: UTF8.self)
        if text.contains("\r\n\r\n") { request = text }
        return request != nil
    }

    func respond(_ status: String, _ text: String) {
        let page = "<!doctype html><meta charset=utf-8><title>Sign-in</title><p>\(text)</p>"
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
        // Fits into the socket's buffer. A browser that has closed the connection is ignored.
        let bytes = Array((head + page).utf8)
        _ = send(file.descriptor, bytes, bytes.count, SocketConstant.sendFlags)
        shutdown(file.descriptor, Int32(SHUT_WR))
    }
}

extension DiskFile {
    fileprivate var polled: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Makes a socket or pipe non-blocking, not inherited, and on Apple platforms without SIGPIPE.
    fileprivate func prepare() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
