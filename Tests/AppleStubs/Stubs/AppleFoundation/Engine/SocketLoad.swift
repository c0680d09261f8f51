import AppleLiberties
internal import CAppleNetwork
internal import Security

/// Opens a WebSocket (RFC 6455) and works for it until it ends.
final class SocketLoad: CurlLoad {
    private let task: URLSessionWebSocketTask
    private let connection = Connection()
    private var url = URL(fileURLWithPath: "/")
    var verdict: (any Error)?
    var kept: [NSData] = []
    private var parser = SocketParser()
    private var unsent = Data()
    private var whenSent: (((any Error)?) -> Void)?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ task: URLSessionWebSocketTask) { self.task = task }

    func run(_ transactions: inout [URLSessionTaskTransactionMetrics]) throws {
        let link = task.link
        do {
            task.sync { [connection] in $0.wake = { connection.wake() } }
            defer { task.sync { $0.wake = nil } }
            try open()
            try exchange()
            link.finish(POSIXError(.ENOTCONN))
        } catch {
            whenSent?(error)
            link.finish((error as? Verdict)?.error ?? error)
            throw error
        }
        an_end(connection.pointer)
    }

    // MARK: Opening

    private func open() throws {
        guard let request = task.originalRequest, let given = request.url,
            let scheme = given.scheme?.lowercased(), ["ws", "wss", "http", "https"].contains(scheme),
            let url = URL(
                string: (["wss", "https"].contains(scheme) ? "https" : "http")
                    + given.absoluteString.dropFirst(scheme.count))
        else { throw LoadErrors.make(.unsupportedURL, task) }
        self.url = url
        if task.isBlocked {
            if Liberties.pick("websocket.blocked", [true, false]) {
                throw LoadErrors.make(.notConnectedToInternet, task, posix: ENETDOWN)
            }
            // Nor is it said that it ends.
            while true {
                usleep(10_000)
                if task.sync(\.isCancelled) { throw task.cancellation }
            }
        }
        let form = RequestForm(connectingTo: url, task.session.settings)
        guard form.begin(connection, self) else {
            throw LoadErrors.make(.badURL, task)
        }
        let limit = Date().addingTimeInterval(
            request.timeoutInterval == 60 ? task.session.settings.timeoutIntervalForRequest : request.timeoutInterval)
        while !an_step(connection.pointer, 100) { try check(limit) }
        try check(limit)
        var result = an_result()
        an_result_of(connection.pointer, &result)
        if let verdict { throw Verdict(error: verdict) }
        guard result.code == 0 else {
            let proxy = ProxySettings(task.session.settings, for: url)
            throw LoadErrors.failure(result, task, hasHead: false, proxy: proxy)
        }
        try shakeHands(request, limit)
    }

    private func check(_ limit: Date) throws {
        if task.sync(\.isCancelled) { throw task.cancellation }
        if Date() > limit { throw LoadErrors.make(.timedOut, task) }
    }

    private func shakeHands(_ request: URLRequest, _ limit: Date) throws {
        let key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        var asking = request
        asking.url = url
        var path = url.path(percentEncoded: true)
        if path.isEmpty { path = "/" }
        if let query = url.query(percentEncoded: true) { path += "?" + query }
        let host = url.host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? ""
        var lines = ["GET \(path) HTTP/1.1", "Host: \(host)\(url.port.map { ":\($0)" } ?? "")"]
        let own: Set = [
            "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "content-length",
        ]
        lines += RequestForm.fields(of: asking, task.session.settings, login: nil)
            .filter { !own.contains($0.name) }.map { "\($0.spelling): \($0.value)" }
        lines += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "",
            "",
        ]
        unsent = Data(lines.joined(separator: "\r\n").utf8)
        var head = Data()
        var end: Range<Data.Index>?
        while end == nil {
            try check(limit)
            try flush()
            guard let received = try receive() else {
                an_wait(connection.pointer, !unsent.isEmpty, 100)
                continue
            }
            head.append(contentsOf: received)
            guard head.count < 1 << 17 else { throw LoadErrors.make(.cannotParseResponse, task) }
            end = head.range(of: Data("\r\n\r\n".utf8))
        }
        guard let end else { return }
        parser.append(head[end.upperBound...])
        try accept(String(decoding: head[..<end.lowerBound], as: UTF8.self), key)
    }

    private func accept(_ head: String, _ key: String) throws {
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, lines[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
            throw LoadErrors.make(.cannotParseResponse, task)
        }
        let (fields, cookies) = HTTPLoad.fields(of: lines.dropFirst())
        var asked = task.originalRequest ?? URLRequest(url: url)
        asked.url = url
        CookieJar.keep(cookies, of: asked, task.session.settings)
        let shown = task.originalRequest?.url ?? url
        let response = HTTPURLResponse(url: shown, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        task.sync { $0.response = response }
        var digest = [UInt8](repeating: 0, count: 20)
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        an_sha1(text, text.utf8.count, &digest)
        guard status == 101, response?.value(forHTTPHeaderField: "Upgrade")?.lowercased() == "websocket",
            response?.value(forHTTPHeaderField: "Sec-WebSocket-Accept") == Data(digest).base64EncodedString()
        else { throw LoadErrors.make(.badServerResponse, task) }
        let chosen = response?.value(forHTTPHeaderField: "Sec-WebSocket-Protocol")
        // Before anybody hears of it: who does may close it at once.
        task.link.open { [connection] in connection.wake() }
        task.session.tell(task, (any URLSessionWebSocketDelegate).self) { [task] in
            $0.urlSession(task.session, webSocketTask: task, didOpenWithProtocol: chosen)
        }
    }

    // MARK: Messages

    /// Until both sides have said goodbye.
    private func exchange() throws {
        let link = task.link
        var goodbye: Date?
        while true {
            if task.sync(\.isCancelled) { throw task.cancellation }
            try flush()
            if link.closure != nil, unsent.isEmpty { return tellClosure() }
            if link.isClosing, unsent.isEmpty {
                let limit = goodbye ?? Date().addingTimeInterval(5)
                goodbye = limit
                if Date() > limit { throw task.cancellation }
            }
            if link.wantsMessages, try handle() { continue }
            if link.wantsMessages, let received = try receive() {
                parser.append(received)
                continue
            }
            an_wait(connection.pointer, !unsent.isEmpty, 200)
        }
    }

    private func handle() throws -> Bool {
        let link = task.link
        do {
            switch try parser.next(limit: link.maximumMessageSize) {
            case nil: return false
            case .message(let message)?: link.deliver(message)
            case .ping(let payload)?: unsent.append(SocketFrames.frame(.pong, payload))
            case .pong?: link.deliverPong()
            case .close(let code, let reason)?:
                if !link.isClosing { unsent.append(SocketFrames.close(code, reason)) }
                link.noteClosure(code, reason)
            }
            return true
        } catch let violation as SocketParser.Violation {
            unsent.append(SocketFrames.close(violation.code, nil))
            try? flush()
            throw violation.code == 1009 ? POSIXError(.EMSGSIZE) : POSIXError(.ECONNABORTED)
        }
    }

    private func tellClosure() {
        guard let (code, reason) = task.link.closure else { return }
        task.session.tell(task, (any URLSessionWebSocketDelegate).self) { [task] in
            $0.urlSession(
                task.session, webSocketTask: task,
                didCloseWith: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .invalid, reason: reason)
        }
    }

    // MARK: Bytes

    private func flush() throws {
        while true {
            if unsent.isEmpty {
                whenSent?(nil)
                whenSent = nil
                guard let (frame, completion) = task.link.takeOutgoing() else { return }
                (unsent, whenSent) = (frame, completion)
            }
            let count = unsent.withUnsafeBytes {
                an_send(connection.pointer, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
            if count == Int(AN_PAUSE) { return }
            guard count >= 0 else { throw LoadErrors.make(.networkConnectionLost, task, posix: EPIPE) }
            unsent = Data(unsent.dropFirst(count))
        }
    }

    /// Nil if there is nothing now.
    private func receive() throws -> ArraySlice<UInt8>? {
        let count = an_receive(connection.pointer, &buffer, buffer.count)
        if count == Int(AN_PAUSE) { return nil }
        guard count > 0 else { throw LoadErrors.make(.networkConnectionLost, task, posix: ENOTCONN) }
        return buffer[..<count]
    }

    // MARK: The handshake of TLS

    func progress(sent: Int64) -> Int32 { task.sync(\.isCancelled) ? Int32(AN_ABORT) : 0 }
    var challenges: TLSChallenges { TLSChallenges(task, url) }
}
