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

extension CURLCommand {
    /// What becomes of the body.
    enum Content: Equatable {
        case none
        /// The bytes that stand in place of the body.
        case redacted(Data)
        case whole(Data)
        case file(Piece)
        /// One behind the other, in memory and in files.
        case pieces([Piece])
        case standardInput

        /// A part of a body.
        enum Piece: Equatable {
            case data(Data)
            case file(path: String, offset: Int64, length: Int64)

            init?(_ body: HTTPBody) {
                switch body.source {
                case .data(let data): self = .data(data)
                case .file(let file): self = .file(path: file.url.path, offset: file.offset, length: file.length)
                case .stream: return nil
                }
            }

            /// The command that prints it.
            var source: String {
                switch self {
                case .data(let data): ShellQuoting.printing(data)
                case .file(let path, 0, _): "cat \(ShellQuoting.word(path.asOperand))"
                case .file(let path, let offset, let length):
                    "tail -c +\(offset + 1) \(ShellQuoting.word(path.asOperand)) | head -c \(length)"
                }
            }
        }

        init(request: URLRequest, body: HTTPBody?, contentType: String?, bodies: BodyText) {
            guard let body = body ?? request.httpBody.map({ HTTPBody($0) }) else {
                self = request.httpBodyStream == nil ? .none : .standardInput
                return
            }
            switch body.source {
            case .data(let data) where data.isEmpty || !bodies.redactor.isEnabled: self = .whole(data)
            case .data(let data):
                self = .redacted(bodies.replacement(for: data, contentType: contentType) ?? Data(Redactor.mark.utf8))
            case .file: self = Piece(body).map(Self.file) ?? .standardInput
            case .stream:
                guard let pieces = body.pieces?.map(Piece.init), !pieces.contains(nil) else {
                    self = .standardInput
                    return
                }
                self =
                    bodies.redactor.isEnabled ? .redacted(Data(Redactor.mark.utf8)) : .pieces(pieces.compactMap { $0 })
            }
        }

        /// Whether something else is sent than the request has: of another length.
        var isRedacted: Bool {
            if case .redacted = self { true } else { false }
        }

        /// The command that writes the body into curl's standard input.
        var source: String? {
            switch self {
            case .redacted(let data), .whole(let data): Self.inlineText(data) == nil ? ShellQuoting.printing(data) : nil
            case .file(let piece):
                if case .file(_, 1..., _) = piece { piece.source } else { nil }
            case .pieces(let pieces): "{ " + pieces.map { $0.source + "; " }.joined() + "}"
            case .none, .standardInput: nil
            }
        }

        var options: [String] {
            switch self {
            case .none: []
            case .redacted(let data), .whole(let data):
                ["--data-binary", Self.inlineText(data).map(ShellQuoting.word) ?? "@-"]
            case .file(.file(let path, 0, _)): ["--data-binary", ShellQuoting.word("@" + path)]
            case .file, .pieces, .standardInput: ["--data-binary", "@-"]
            }
        }

        /// Longer text goes through a pipe: Linux takes no argument of more than 128 KiB.
        private static let longestArgument = 64 * 1024

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
}

extension String {
    /// What a program does not take for an option.
    fileprivate var asOperand: String { hasPrefix("-") ? "./" + self : self }
}

/// Words for a POSIX shell.
enum ShellQuoting {
    /// The text as one word. Inside single quotes nothing is special but the quote itself.
    static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(isHarmless)
        return isPlain ? text : "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    /// A command that prints exactly these bytes. `printf` is built into every shell, so that no limit on the length of
    /// arguments applies, and its format can name any byte, where `$'…'` is not POSIX and a word cannot hold NUL.
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

    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_./:@".utf8.contains(byte)
        }
    }
}
