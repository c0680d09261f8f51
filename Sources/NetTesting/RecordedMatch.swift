import NetCore
import NetLogging

/// A request to compare with recorded requests. Text that a redactor has removed from a recording matches anything.
struct RecordedMatch {
    private let method: String
    private let url: URLComponents?
    private let body: Data?
    private let matching: ReplayTransport.Matching

    init(_ request: URLRequest, body: Data?, matching: ReplayTransport.Matching) {
        method = request.httpMethod ?? "GET"
        url = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        self.body = body
        self.matching = matching
    }

    func fits(_ recorded: HTTPArchive.Request) -> Bool {
        if matching.contains(.method), method != recorded.method { return false }
        if !matching.isDisjoint(with: .url), !fits(URLComponents(string: recorded.url)) { return false }
        return !matching.contains(.body) || fits(recorded.postData)
    }

    private func fits(_ recorded: URLComponents?) -> Bool {
        guard let url, let recorded else { return false }
        if matching.contains(.host) {
            guard url.scheme?.lowercased() == recorded.scheme?.lowercased(),
                url.host?.lowercased() == recorded.host?.lowercased(), Self.port(url) == Self.port(recorded)
            else { return false }
        }
        if matching.contains(.path), !Self.fits(path: url.path, recorded.path) { return false }
        return !matching.contains(.query)
            || Self.fits(Self.pairs(url.queryItems ?? []), Self.pairs(recorded.queryItems ?? []))
    }

    private static func port(_ url: URLComponents) -> Int? {
        url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    }

    private static func fits(path: String, _ recorded: String) -> Bool {
        let segments = { (path: String) in
            (path.isEmpty ? "/" : path).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        }
        let (path, recorded) = (segments(path), segments(recorded))
        return path.count == recorded.count && zip(path, recorded).allSatisfy { fits($0, $1) }
    }

    /// Compares with a recorded text, in which the mark of the redactor matches anything.
    private static func fits(_ text: String, _ recorded: String) -> Bool {
        guard recorded.contains(Redactor.mark) else { return text == recorded }
        var rest = text[...]
        let parts = recorded.components(separatedBy: Redactor.mark)
        guard let first = parts.first, let last = parts.last, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    private static func pairs(_ items: [URLQueryItem]) -> [(String, String)] { items.map { ($0.name, $0.value ?? "") } }

    /// Compares pairs in any order. Pairs without a mark choose first, so that a mark does not take their only match.
    private static func fits(_ pairs: [(String, String)], _ recorded: [(String, String)]) -> Bool {
        guard pairs.count == recorded.count else { return false }
        var rest = pairs
        for pair in recorded.sorted(by: { marks($0) < marks($1) }) {
            guard let index = rest.firstIndex(where: { fits($0.0, pair.0) && fits($0.1, pair.1) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    private static func marks(_ pair: (String, String)) -> Int {
        [pair.0, pair.1].count { $0.contains(Redactor.mark) }
    }

    private func fits(_ recorded: HTTPArchive.PostData?) -> Bool {
        guard let recorded else { return body?.isEmpty ?? true }
        guard let body, !body.isEmpty else { return false }
        // The recording has only the fact that there was a body.
        guard let data = recorded.data else { return true }
        if data == body { return true }
        guard let text = String(data: data, encoding: .utf8),
            text.contains(Redactor.mark) || recorded.mimeType.contains("json")
        else { return Self.isForm(recorded) && Self.fits(form: body, data) }
        if let left = try? JSONDecoder().decode(JSONValue.self, from: body),
            let right = try? JSONDecoder().decode(JSONValue.self, from: data)
        {
            return Self.fits(left, right)
        }
        return Self.isForm(recorded)
            ? Self.fits(form: body, data) : Self.fits(String(decoding: body, as: UTF8.self), text)
    }

    private static func isForm(_ recorded: HTTPArchive.PostData) -> Bool {
        recorded.mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded")
    }

    private static func fits(form: Data, _ recorded: Data) -> Bool {
        let fields = { (data: Data) in
            String(decoding: data, as: UTF8.self).split(separator: "&").map { field -> (String, String) in
                let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                    let text = $0.replacingOccurrences(of: "+", with: " ")
                    return text.removingPercentEncoding ?? text
                }
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
        }
        return fits(fields(form), fields(recorded))
    }

    private static func fits(_ value: JSONValue, _ recorded: JSONValue) -> Bool {
        switch (value, recorded) {
        case (_, .string(Redactor.mark)): true
        case (.string(let text), .string(let other)): fits(text, other)
        case (.array(let elements), .array(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy { fits($0, $1) }
        case (.object(let members), .object(let others)):
            members.count == others.count
                && members.allSatisfy { name, value in
                    (others[name] ?? others.first { fits(name, $0.key) && $0.key.contains(Redactor.mark) }?.value)
                        .map { fits(value, $0) } ?? false
                }
        default: value == recorded
        }
    }
}

extension HTTPArchive.Request {
    /// The name of the request in errors.
    var summary: String { "\(method) \(URL(string: url).map { Redactor.standard.text(of: $0) } ?? "?")" }
}

extension HTTPArchive.Entry {
    /// Returns the recorded response.
    ///
    /// - Throws: ``NetTestingError/notRecorded(_:)`` if there was no response, or its body was not kept.
    func response(to request: URLRequest) throws -> TransportResponse {
        guard response.status > 0 else {
            throw NetTestingError.notRecorded(
                "\(self.request.summary) had no response when it was recorded: \(error ?? "?")")
        }
        let content = response.content
        guard content.text == nil || content.data != nil, content.data != nil || content.size <= 0 || isBodiless else {
            throw NetTestingError.notRecorded(
                "The body of the response to \(self.request.summary) is not in the recording: \(content.comment ?? "no text")."
            )
        }
        let body = content.data ?? Data()
        var headers = HTTPHeaders(received: response.headers.map { HTTPHeader(name: $0.name, value: $0.value) })
        // The recorded body is decoded and complete.
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name: name) }
        if !isBodiless { headers.add(name: "Content-Length", value: String(body.count)) }
        if headers["Location"] == Redactor.mark, !response.redirectURL.isEmpty {
            headers.add(name: "Location", value: response.redirectURL)
        }
        return TransportResponse(
            status: response.status, headers: headers, url: request.url,
            version: HTTPVersion(rawValue: response.httpVersion), body: isBodiless ? .empty : HTTPBody(body))
    }

    private var isBodiless: Bool {
        request.method == "HEAD" || (100..<200).contains(response.status) || response.status == 204
            || response.status == 304
    }
}
