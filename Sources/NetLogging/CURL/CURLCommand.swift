public import NetCore

/// A request as a command line of curl, in one line, to be run by any POSIX shell as it stands.
///
/// ```swift
/// print(CURLCommand(request: request).text)
/// // curl -X POST -H 'Authorization: [REDACTED]' -H 'Content-Type: application/json' --data-binary '[REDACTED]' …
/// ```
///
/// By default it carries no secret: see ``SanitizationConfig``. A body in memory that is JSON or a form is sent without its secrets, any other
/// as the mark. With `.none` the command sends the same bytes as the request.
///
/// A body from a file is named by its path; curl reads it. A multipart form with files is put together by `printf` and `cat`. A body from a stream cannot be shown, since reading would use it
/// up: the command then reads from its standard input. A header that may not be sent (``HTTPHeader/isValid``) is left out.
public struct CURLCommand: Hashable, Sendable, CustomStringConvertible {
    /// The command.
    public let text: String

    /// The command for a request.
    ///
    /// - Parameters:
    ///   - request: method, URL, headers, and its body unless `body` is given.
    ///   - body: the body, where it is beside the request.
    ///   - sanitization: what is left out. With `.none`, treat the text as a credential.
    public init(request: URLRequest, body: HTTPBody? = nil, sanitization: SanitizationConfig = .default) {
        let redactor = sanitization.redactor
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let content = Content(
            request: request, body: body, contentType: headers["Content-Type"], bodies: BodyText(redactor: redactor))

        var words = ["curl"]
        words += Self.options(method: request.httpMethod ?? "GET", hasBody: content != .none)
        words += Self.options(headers: headers, content: content, redactor: redactor)
        words += content.options
        words += Self.options(url: request.url.map(redactor.text(of:)) ?? "")
        text = (content.source.map { $0 + " | " } ?? "") + words.joined(separator: " ")
    }

    /// The command for a request, with secrets or without.
    ///
    /// - Parameters:
    ///   - request: what the command sends.
    ///   - body: its body; nil takes that of the request.
    ///   - redacting: whether secrets are left out, as by default.
    public init(request: URLRequest, body: HTTPBody? = nil, redacting: Bool) {
        self.init(request: request, body: body, sanitization: redacting ? .default : .none)
    }

    /// The command.
    public var description: String { text }

    private static func options(method: String, hasBody: Bool) -> [String] {
        // `-X HEAD` would wait for a body that never comes.
        if method == "HEAD", !hasBody { return ["--head"] }
        if method == "GET", !hasBody { return [] }
        return method.isHTTPToken ? ["-X", ShellQuoting.word(method)] : []
    }

    private static func options(headers: HTTPHeaders, content: Content, redactor: Redactor) -> [String] {
        var words: [String] = []
        for header in headers where header.isValid {
            // The length of what stands there in place of the body is another.
            if content.isRedacted, header.name.equalsIgnoringASCIICase("Content-Length") { continue }
            let value = redactor.headerValue(header.value, named: header.name).trimmingHTTPWhitespace
            // With a colon and no value, curl would remove the field.
            words += ["-H", ShellQuoting.word(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")]
        }
        // Otherwise curl says that it is a form.
        if content != .none, !headers.contains(name: "Content-Type") { words += ["-H", "Content-Type:"] }
        // Otherwise the response is shown as it is on the wire.
        if headers.contains(name: "Accept-Encoding") { words.append("--compressed") }
        return words
    }

    private static func options(url: String) -> [String] {
        var words: [String] = []
        // Brackets and braces are patterns to curl; the mark of the redactor has brackets.
        if url.contains(where: "[]{}".contains) { words.append("--globoff") }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        if path.contains("/./") || path.contains("/../") || path.hasSuffix("/.") || path.hasSuffix("/..") {
            words.append("--path-as-is")
        }
        if url.hasPrefix("-") { words.append("--url") }
        return words + [ShellQuoting.word(url)]
    }
}
