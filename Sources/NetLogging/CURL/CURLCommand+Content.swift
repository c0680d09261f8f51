import NetCore

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
