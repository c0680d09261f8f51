#if os(Linux)
    /// A response whose parts can be changed before it is written. The text is ISO-8859-1.
    struct WireResponse {
        struct Head {
            var version = "HTTP/1.1"
            /// What separates the version and the status code.
            var gap = " "
            var status = "200"
            /// What follows the status code, with the space before the reason phrase.
            var phrase = " OK"
            /// The field lines, without their ends.
            var fields: [String] = []
            /// What ends each line.
            var lineEnd = "\r\n"

            var text: String { ([version + gap + status + phrase] + fields + [""]).map { $0 + lineEnd }.joined() }
        }

        struct Chunk {
            /// The line with the size and the extensions, without its end.
            var line: String
            var lineEnd = "\r\n"
            var data = ""
            /// What ends the data.
            var end = "\r\n"

            init(_ data: String, extensions: String = "") {
                line = String(data.unicodeScalars.count, radix: 16) + extensions
                self.data = data
            }

            var text: String { line + lineEnd + data + end }
        }

        enum Body {
            case plain(String)
            /// Chunks, the last one included, and the lines of the trailers.
            case chunked([Chunk], trailers: [String])
        }

        /// Whether it answers a HEAD request.
        var isHead = false
        /// What precedes the status line.
        var prefix = ""
        var interims: [Head] = []
        var head = Head()
        var body = Body.plain("")
        /// What follows the response.
        var surplus = ""

        var text: String { prefix + interims.map(\.text).joined() + head.text + bodyText + surplus }

        private var bodyText: String {
            switch body {
            case .plain(let text): return text
            case .chunked(var chunks, let trailers):
                // The trailers take the place of the last chunk's data.
                guard let last = chunks.popLast() else { return "" }
                let lines = (trailers + [""]).map { $0 + head.lineEnd }.joined()
                return chunks.map(\.text).joined() + last.line + last.lineEnd + lines
            }
        }

        /// The chunks, the last one included, if the body is chunked.
        var chunks: [Chunk] {
            get { if case .chunked(let chunks, _) = body { chunks } else { [] } }
            set { if case .chunked(_, let trailers) = body { body = .chunked(newValue, trailers: trailers) } }
        }

        var trailers: [String] {
            get { if case .chunked(_, let trailers) = body { trailers } else { [] } }
            set { if case .chunked(let chunks, _) = body { body = .chunked(chunks, trailers: newValue) } }
        }
    }
#endif
