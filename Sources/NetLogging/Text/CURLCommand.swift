public import NetCore

/// A request as a curl command, in one line for any POSIX shell.
///
/// ```swift
/// print(CURLCommand(request: request).text)
/// // curl -X POST -H 'Authorization: [REDACTED]' -H 'Content-Type: application/json' --data-binary '[REDACTED]' …
/// ```
///
/// By default the command contains no secrets: see ``SanitizationConfig``. JSON or a form in memory keeps its other parts; any
/// other body is replaced by the mark. With `.none` the command sends the same bytes as the request.
///
/// The command names a body from a file by its path. It assembles a multipart form with files by `printf` and `cat`. Reading a
/// stream would consume it, so for a body from a stream the command reads standard input. A body that the client compressed goes
/// through `gzip` or `zstd`. An invalid header (``HTTPHeader/isValid``) is left out.
public struct CURLCommand: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Creates the command for a request.
    ///
    /// - Parameters:
    ///   - request: method, URL, headers, and the body unless `body` is given.
    ///   - body: the body, if it is not in the request.
    ///   - sanitization: the secrets to leave out. With `.none`, treat the text as a credential.
    public init(request: URLRequest, body: HTTPBody? = nil, sanitization: SanitizationConfig = .default) {
        let redactor = sanitization.redactor
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        let content = Content(request: request, body: body, headers: headers, bodies: BodyText(redactor: redactor))
        let coder = body?.uncoded.map { "\($0.coding) -c" }
        let argument = coder == nil ? content.argument : nil

        var words = ["curl"]
        words += Self.options(method: request.httpMethod ?? "GET", hasBody: content.isPresent)
        words += Self.options(headers: headers, content: content, redactor: redactor)
        if content.isPresent { words += ["--data-binary", argument ?? "@-"] }
        var url = request.url.map(redactor.text(of:)) ?? ""
        if let path = request.url?.unixSocketPath {
            words += ["--unix-socket", ShellQuoting.word(path)]
            url = "http://localhost" + url.dropFirst("http+unix://".count).drop { !"/?#".contains($0) }
        }
        words += Self.options(url: url)
        text = [argument == nil ? content.source : nil, coder, words.joined(separator: " ")].compactMap { $0 }
            .joined(separator: " | ")
    }

    public var description: String { text }

    private static func options(method: String, hasBody: Bool) -> [String] {
        // `-X HEAD` would wait for a body that never arrives.
        if method == "HEAD", !hasBody { return ["--head"] }
        if method == "GET", !hasBody { return [] }
        return method.isHTTPToken ? ["-X", ShellQuoting.word(method)] : []
    }

    private static func options(headers: HTTPHeaders, content: Content, redactor: Redactor) -> [String] {
        var words: [String] = []
        for header in headers where header.isValid {
            // The replaced body has another length.
            if content.isRedacted, header.name.equalsIgnoringASCIICase("Content-Length") { continue }
            let value = redactor.headerValue(header.value, named: header.name).trimmingHTTPWhitespace
            // With a colon and no value, curl would remove the field.
            words += ["-H", ShellQuoting.word(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")]
        }
        // Otherwise curl declares the body as a form.
        if content.isPresent, !headers.contains(name: "Content-Type") { words += ["-H", "Content-Type:"] }
        // Otherwise curl would print the encoded response.
        if headers.contains(name: "Accept-Encoding") { words.append("--compressed") }
        return words
    }

    private static func options(url: String) -> [String] {
        var words: [String] = []
        // Brackets and braces are patterns to curl. The redactor's mark has brackets.
        if url.contains(where: "[]{}".contains) { words.append("--globoff") }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        if path.contains("/./") || path.contains("/../") || path.hasSuffix("/.") || path.hasSuffix("/..") {
            words.append("--path-as-is")
        }
        if url.hasPrefix("-") { words.append("--url") }
        return words + [ShellQuoting.word(url)]
    }

    /// The body of the command.
    struct Content {
        /// The parts of the body: none without a body, and nil for one from standard input.
        private var pieces: [HTTPBody]?
        /// Whether the command sends another body than the request, with another length.
        private(set) var isRedacted = false

        init(request: URLRequest, body: HTTPBody?, headers: HTTPHeaders, bodies: BodyText) {
            guard let sent = body ?? request.httpBody.map({ HTTPBody($0) }) else {
                pieces = request.httpBodyStream == nil ? [] : nil
                return
            }
            let (body, contentType) = sent.readable(headers)
            let known = body.pieces ?? [body]
            if known.contains(where: \.isStream) { return }
            pieces = known
            guard bodies.redactor.isEnabled, body.length != 0 else { return }
            // Only the name of the file is in the command.
            if case .file = body.source { return }
            let replacement = body.data.flatMap { bodies.replacement(for: $0, contentType: contentType) }
            pieces = [HTTPBody(replacement ?? Data(Redactor.mark.utf8))]
            isRedacted = true
        }

        var isPresent: Bool { pieces?.isEmpty != true }

        /// The value of curl's option with the body; nil if curl has to read standard input.
        var argument: String? {
            guard let pieces, pieces.count == 1 else { return nil }
            switch pieces[0].source {
            case .data(let data): return Self.inlineText(data).map(ShellQuoting.word)
            case .file(let file) where file.offset == 0: return ShellQuoting.word("@" + file.url.path)
            case .file, .stream: return nil
            }
        }

        /// The command that writes the body to standard output; nil if there is none, or it comes from standard input.
        var source: String? {
            let sources = pieces?.map(Self.source(of:)) ?? []
            return sources.count > 1 ? "{ " + sources.map { $0 + "; " }.joined() + "}" : sources.first
        }

        /// Returns the command that prints a part, which is not a stream.
        private static func source(of part: HTTPBody) -> String {
            switch part.source {
            case .data(let data): return ShellQuoting.printing(data)
            case .file(let file):
                let word = ShellQuoting.word(file.url.path.asOperand)
                return file.offset == 0 ? "cat \(word)" : "tail -c +\(file.offset + 1) \(word) | head -c \(file.length)"
            case .stream: return ""
            }
        }

        /// Returns the body as an argument. Nil for line breaks, for characters that a terminal interprets, and for text that
        /// curl would read as the name of a file.
        private static func inlineText(_ data: Data) -> String? {
            // Linux limits an argument to 128 KiB, so longer text goes through a pipe.
            guard data.count <= 64 * 1024, data.first != UInt8(ascii: "@") else { return nil }
            let text = String(decoding: data, as: UTF8.self)
            guard text.utf8.elementsEqual(data) else { return nil }
            let isShowable = text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control && scalar != "\u{2028}" && scalar != "\u{2029}"
            }
            return isShowable ? text : nil
        }
    }
}

extension String {
    /// The path in a form that a program does not read as an option.
    fileprivate var asOperand: String { hasPrefix("-") ? "./" + self : self }
}

/// Quotes words for a POSIX shell.
enum ShellQuoting {
    /// Returns the text as one word. Inside single quotes only the quote itself is special.
    static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric || $0.isOne(of: "-_./:@") }
        return isPlain ? text : "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    /// Returns a command that prints exactly these bytes. `printf` is built into every shell, so no limit on arguments applies.
    /// Its format can express any byte, while `$'…'` is not POSIX and a word cannot contain NUL.
    static func printing(_ bytes: some Sequence<UInt8>) -> String {
        var format = [UInt8]()
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%".utf8
            case UInt8(ascii: "\\"): format += #"\\"#.utf8
            case UInt8(ascii: "\n"): format += #"\n"#.utf8
            case UInt8(ascii: "\t"): format += #"\t"#.utf8
            case UInt8(ascii: "\r"): format += #"\r"#.utf8
            // A format that begins with a hyphen would be read as an option.
            case UInt8(ascii: "-") where format.isEmpty: format += octal(byte)
            case UInt8(ascii: "'"), ..<0x20, 0x7F...: format += octal(byte)
            default: format.append(byte)
            }
        }
        return "printf '\(String(decoding: format, as: UTF8.self))'"
    }

    private static func octal(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "\\")] + [byte >> 6, (byte >> 3) & 7, byte & 7].map { UInt8(ascii: "0") + $0 }
    }
}
