internal import CAppleNetwork

/// What libcurl asks and tells, on the task's thread.
extension HTTPLoad {
    func progress(sent: Int64) -> Int32 {
        if sent > reported, handed > reported {
            lastActivity = .now()
            reportSent(all: false, upTo: sent)
        }
        return task.sync(\.isCancelled) ? Int32(AN_ABORT) : 0
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        do {
            guard let count = try body?.read(buffer) ?? (body == nil ? 0 : nil) else { return Int(AN_PAUSE) }
            handed += Int64(count)
            return count
        } catch {
            verdict = error
            return Int(AN_ABORT)
        }
    }

    func didReceive(_ data: Data) -> Int32 {
        lastActivity = .now()
        let (isCancelled, isSuspended) = task.sync { ($0.isCancelled, $0.state == .suspended) }
        if isCancelled { return Int32(AN_ABORT) }
        guard case .deliver? = next else { return 0 }
        if isSuspended {
            isPaused = true
            return Int32(AN_PAUSE)
        }
        task.sync { $0.received += Int64(data.count) }
        task.receive(data)
        return 0
    }

    // MARK: Heads

    func didReceiveLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        lastActivity = .now()
        // What comes after the head that counts is a trailer.
        guard next == nil else { return 0 }
        var line = String(bytes: bytes, encoding: .utf8) ?? String(bytes: bytes, encoding: .isoLatin1) ?? ""
        while line.last?.isNewline == true { line.removeLast() }
        if line.isEmpty {
            defer { lines = [] }
            return didReceiveHead() ? 0 : Int32(AN_ABORT)
        }
        if line.first == " " || line.first == "\t", lines.count > 1 {
            lines[lines.count - 1] += " " + line.trimmingCharacters(in: .whitespaces)
        } else {
            lines.append(line)
        }
        return 0
    }

    /// The fields of a head, and of each `Set-Cookie` its value.
    static func fields(of lines: ArraySlice<String>) -> (fields: [String: String], cookies: [String]) {
        var fields: [String: String] = [:]
        var cookies: [String] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = String(line[..<colon])
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if name.lowercased() == "set-cookie" { cookies.append(value) }
            let key = fields.keys.first { $0.lowercased() == name.lowercased() } ?? name
            fields[key] = fields[key].map { "\($0), \(value)" } ?? value
        }
        return (fields, cookies)
    }

    private func didReceiveHead() -> Bool {
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count > 1, let status = Int(words[1]), let url = request.url else { return true }
        guard status >= 200 || status == 101 else { return true }
        let (fields, cookies) = Self.fields(of: lines.dropFirst())
        CookieJar.keep(cookies, of: request, session.settings)
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: String(words[0]), headerFields: fields)
        else { return true }
        self.response = response
        // libcurl answers this one by itself.
        if status == 401, logins.digest != nil, !logins.hasSentDigest {
            logins.hasSentDigest = true
            return true
        }
        next = decide(response)
        guard case .deliver? = next else { return next != nil }
        task.sync { $0.response = response }
        return task.receive(response) || refuse()
    }

    /// The delegate wants no body.
    private func refuse() -> Bool {
        verdict = verdict ?? task.cancellation
        return false
    }

    /// Nil if the task ends now.
    private func decide(_ response: HTTPURLResponse) -> Next? {
        switch response.statusCode {
        case 301, 302, 303, 307, 308:
            guard let following = redirected(by: response) else { return .deliver }
            redirects += 1
            let answer: URLRequest?? = session.ask(task, (any URLSessionTaskDelegate).self) { [session, task] in
                $0.urlSession(
                    session, task: task, willPerformHTTPRedirection: response, newRequest: following,
                    completionHandler: $1)
            }
            if task.sync(\.isCancelled) { return nil }
            switch answer {
            case nil: return .follow(following)
            case .some(nil): return .deliver
            case .some(let wanted?): return .follow(wanted)
            }
        case 401: return answerLogin(response, header: "WWW-Authenticate", ofProxy: false)
        case 407: return answerLogin(response, header: "Proxy-Authenticate", ofProxy: true)
        default: return .deliver
        }
    }

    /// As Apple's loader writes it: `POST` becomes `GET` after 301 and 302, everything but `HEAD` after 303, and the login stays behind.
    private func redirected(by response: HTTPURLResponse) -> URLRequest? {
        guard let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { return nil }
        var following = request
        following.url = url
        following.setValue(nil, forHTTPHeaderField: "Authorization")
        let method = request.httpMethod ?? "GET"
        let becomesGet = response.statusCode == 303 ? method != "HEAD" : response.statusCode < 303 && method == "POST"
        if becomesGet, method != "GET" {
            following.httpMethod = "GET"
            following.httpBody = nil
            following.httpBodyStream = nil
            following.setValue(nil, forHTTPHeaderField: "Content-Length")
            following.setValue(nil, forHTTPHeaderField: "Content-Type")
        }
        return following
    }
}
