public import NetCore

/// A request as a command line of curl, in one line, to be run by any POSIX shell as it stands.
///
/// ```swift
/// print(CURLCommand(request: request).text)
/// // curl -X POST -H 'Authorization: [REDACTED]' -H 'Content-Type: application/json' --data-binary '[REDACTED]' …
/// ```
///
/// By default it carries no secret: values of headers and query items are left out unless they are known to be harmless,
/// user information and fragment too, and a body in memory is left out as a whole. With `redacting: false` the command sends
/// the same bytes as the request.
///
/// A body from a file is named by its path; curl reads it. A body from a stream cannot be shown, since reading would use it
/// up: the command then reads from its standard input. A header that may not be sent (``HTTPHeader/isValid``) is left out.
public struct CURLCommand: Hashable, Sendable, CustomStringConvertible {
    /// The command.
    public let text: String

    /// Longer text goes through a pipe: Linux takes no argument of more than 128 KiB.
    private static let longestArgument = 64 * 1024

    /// The command for a request.
    ///
    /// - Parameters:
    ///   - request: method, URL, headers, and its body unless `body` is given.
    ///   - body: the body, where it is beside the request.
    ///   - redacting: whether secrets are left out. Without it, treat the text as a credential.
    public init(request: URLRequest, body: HTTPBody? = nil, redacting: Bool = true) {
        let redactor = redacting ? Redactor.standard : .none
        let content = Content(request: request, body: body, redacting: redacting)
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])

        var words = ["curl"]
        words += Self.options(method: request.httpMethod ?? "GET", hasBody: content != .none)
        words += Self.options(headers: headers, content: content, redactor: redactor)
        words += content.options
        words += Self.options(url: request.url.map(redactor.text(of:)) ?? "")
        text = (content.source.map { $0 + " | " } ?? "") + words.joined(separator: " ")
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
            if content == .redacted, header.name.equalsIgnoringASCIICase("Content-Length") { continue }
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

extension CURLCommand {
    /// What becomes of the body.
    private enum Content: Equatable {
        case none
        case redacted
        case inline(String)
        case printed(Data)
        case file(path: String, offset: Int64, length: Int64)
        case standardInput

        init(request: URLRequest, body: HTTPBody?, redacting: Bool) {
            guard let body = body ?? request.httpBody.map({ HTTPBody($0) }) else {
                self = request.httpBodyStream == nil ? .none : .standardInput
                return
            }
            switch body.source {
            case .data(let data) where redacting && !data.isEmpty: self = .redacted
            case .data(let data): self = CURLCommand.inlineText(data).map(Self.inline) ?? .printed(data)
            case .file(let file): self = .file(path: file.url.path, offset: file.offset, length: file.length)
            case .stream: self = .standardInput
            }
        }

        /// The command that writes the body into curl's standard input.
        var source: String? {
            switch self {
            case .printed(let data): ShellQuoting.printing(data)
            case .file(let path, let offset, let length) where offset > 0:
                "tail -c +\(offset + 1) \(ShellQuoting.word(path)) | head -c \(length)"
            default: nil
            }
        }

        var options: [String] {
            switch self {
            case .none: []
            case .redacted: ["--data-binary", ShellQuoting.word(Redactor.mark)]
            case .inline(let text): ["--data-binary", ShellQuoting.word(text)]
            case .file(let path, 0, _): ["--data-binary", ShellQuoting.word("@" + path)]
            case .printed, .file, .standardInput: ["--data-binary", "@-"]
            }
        }
    }

    /// The body as text that can stand in a line: no line breaks, nothing that a terminal obeys, and not what curl would
    /// take for the name of a file.
    private static func inlineText(_ data: Data) -> String? {
        guard data.count <= longestArgument, data.first != UInt8(ascii: "@") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard text.utf8.elementsEqual(data) else { return nil }
        let isShowable = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && scalar != "\u{2028}" && scalar != "\u{2029}"
        }
        return isShowable ? text : nil
    }
}
