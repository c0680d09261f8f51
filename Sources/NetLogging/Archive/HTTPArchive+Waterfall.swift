public import NetCore

extension HTTPArchive {
    /// A page that shows recorded traffic as a waterfall, with the phases of each exchange over time.
    ///
    /// The page is one HTML file without scripts, fonts or external addresses. It contains only what is in the archive, from which secrets were left out.
    ///
    /// ```swift
    /// let archive = try HTTPArchive(contentsOf: url)
    /// try HTTPArchive.Waterfall(archive).write(to: folder.appendingPathComponent("traffic.html"))
    /// ```
    public struct Waterfall: Sendable {
        private let log: HTTPArchive.Log
        private let title: String
        /// From the first start to the last end, in milliseconds.
        private let start: Date
        private let span: Double

        /// Creates a page.
        ///
        /// - Parameters:
        ///   - archive: an archive of this SDK or of any other program.
        ///   - title: the heading.
        public init(_ archive: HTTPArchive, title: String = "Network traffic") {
            log = archive.log
            self.title = title
            let start = log.entries.map(\.startedDateTime).min() ?? Date(timeIntervalSince1970: 0)
            self.start = start
            let ends = log.entries.map { $0.startedDateTime.timeIntervalSince(start) * 1000 + Self.time(of: $0) }
            span = max(1, ends.max() ?? 0)
        }

        /// Writes the page to a file, as ``HTTPArchive/write(to:)`` does.
        ///
        /// - Throws: ``FileSink/FileError``.
        public func write(to url: URL) throws { try FileSink.FileError.write(Data(html.utf8), to: url) }

        /// The page.
        public var html: String {
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title.inHTML)</title>
            <style>\(Self.css)</style>
            </head>
            <body>
            <header>
            <h1>\(title.inHTML)</h1>
            <p>\(summary)</p>
            <ul class="legend">\(legend)</ul>
            </header>
            <main>
            <div class="scale"><span></span><div>\(scale)</div></div>
            \(log.entries.map(row).joined(separator: "\n"))
            </main>
            <footer>\("\(log.creator.name) \(log.creator.version)".inHTML)</footer>
            </body>
            </html>

            """
        }

        private var summary: String {
            let count = log.entries.count
            let calls = Set(log.entries.compactMap(\.requestID)).count
            let failures = log.entries.filter { $0.response.status == 0 || $0.response.status >= 400 }.count
            let bytes = log.entries.reduce(0.0) { $0 + Double(max(0, $1.response.bodySize)) }
            return "\(count) \(count == 1 ? "exchange" : "exchanges")"
                + (calls > 0 ? " of \(calls) \(calls == 1 ? "call" : "calls")" : "")
                + " in \(Self.text(span)), \(Self.size(bytes)) received, \(failures) failed"
        }

        private var legend: String { Self.phases.map { "<li><i class=\"\($0.name)\"></i>\($0.title)</li>" }.joined() }

        private var scale: String {
            (0...4).map { "<b style=\"left:\($0 * 25)%\">\(Self.text(span * Double($0) / 4))</b>" }.joined()
        }

        private func row(_ entry: HTTPArchive.Entry) -> String {
            let status = entry.response.status
            let tone = status == 0 ? "failed" : "s\(min(max(status / 100, 1), 5))"
            let size = entry.response.bodySize >= 0 ? Self.size(Double(entry.response.bodySize)) : ""
            let notes = [
                entry.requestID, entry.attempt.flatMap { $0 > 0 ? "attempt \($0)" : nil },
                entry.cacheState.map { "cache: \($0)" },
            ].compactMap { $0 }
            return """
                <details class="entry \(tone)">
                <summary>
                <span class="what"><span class="id">\(notes.joined(separator: " · ").inHTML)</span>\
                <span class="line"><em>\(entry.request.method.inHTML)</em> <code>\(entry.request.url.shownURL.inHTML)</code></span>\
                <span class="end"><strong>\(status == 0 ? "failed" : "\(status)")</strong> \(size) \
                <time>\(Self.text(Self.time(of: entry)))</time></span></span>
                <span class="track">\(bars(of: entry))</span>
                </summary>
                \(details(of: entry))
                </details>
                """
        }

        private func bars(of entry: HTTPArchive.Entry) -> String {
            var left = entry.startedDateTime.timeIntervalSince(start) * 1000
            return Self.phases.compactMap { phase -> String? in
                guard let time = phase.time(entry.timings), time > 0, time.isFinite else { return nil }
                defer { left += time }
                return """
                    <i class="\(phase.name)" style="left:\(percent(left))%;width:\(percent(time))%" \
                    title="\(phase.title): \(Self.text(time))"></i>
                    """
            }.joined()
        }

        private func details(of entry: HTTPArchive.Entry) -> String {
            var parts: [String] = []
            for note in [entry.error, entry.retryReason].compactMap({ $0 }) { parts.append("<p>\(note.inHTML)</p>") }
            let times = Self.phases.compactMap { phase in phase.time(entry.timings).map { (phase.title, Self.text($0)) }
            }
            parts.append(table("Time", times))
            parts.append(table("Request", entry.request.headers.map { ($0.name, $0.value) }))
            if let body = entry.request.postData {
                let fields = body.params?.map { "\($0.name)=\($0.value ?? "(\($0.fileName ?? "file"))")" }
                parts.append(Self.body(body.text ?? fields?.joined(separator: "\n") ?? body.comment))
            }
            parts.append(table("Response", entry.response.headers.map { ($0.name, $0.value) }))
            parts.append(Self.body(entry.response.content.text ?? entry.response.content.comment))
            return "<div class=\"details\">\(parts.joined())</div>"
        }

        private func table(_ title: String, _ rows: [(String, String)]) -> String {
            guard !rows.isEmpty else { return "" }
            let list = rows.map { "<dt>\($0.0.inHTML)</dt><dd>\($0.1.inHTML)</dd>" }.joined()
            return "<section><h2>\(title)</h2><dl>\(list)</dl></section>"
        }

        private static func body(_ text: String?) -> String {
            guard let text, !text.isEmpty else { return "" }
            return "<pre>\(String(text.prefix(4_000)).inHTML)</pre>"
        }

        /// The phases of an exchange, in order: the name in the style sheet, the title, and the milliseconds.
        private static let phases: [(name: String, title: String, time: @Sendable (HTTPArchive.Timings) -> Double?)] = [
            ("blocked", "Queue", { $0.blocked }), ("dns", "DNS", { $0.dns }),
            ("connect", "Connect", { timings in timings.connect.map { max(0, $0 - (timings.ssl ?? 0)) } }),
            ("tls", "TLS", { $0.ssl }), ("send", "Send", { $0.send }), ("wait", "First byte", { $0.wait }),
            ("receive", "Transfer", { $0.receive }),
        ]

        /// Other programs may write any number.
        private static func time(of entry: HTTPArchive.Entry) -> Double {
            let time = entry.timings.total
            return time.isFinite ? max(0, time) : 0
        }

        private func percent(_ milliseconds: Double) -> String {
            String(format: "%.3f", min(max(milliseconds / span * 100, 0), 100))
        }

        private static func text(_ milliseconds: Double) -> String {
            milliseconds < 1000
                ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1000)
        }

        private static func size(_ bytes: Double) -> String {
            switch bytes {
            case ..<1024: String(format: "%.0f B", bytes)
            case ..<1_048_576: String(format: "%.1f KiB", bytes / 1024)
            default: String(format: "%.1f MiB", bytes / 1_048_576)
            }
        }
    }
}

extension String {
    /// The text escaped for content and attributes.
    fileprivate var inHTML: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Direction marks can make one host look like another.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The URL with a readable mark instead of an encoded one.
    fileprivate var shownURL: String { replacingOccurrences(of: Redactor.encodedMark, with: Redactor.mark) }
}

extension HTTPArchive.Waterfall {
    private static let css = """
        :root{color-scheme:light dark;--soft:GrayText;--line:#8884;--hover:#8882;--bad:#e5484d;--warn:#c2740b;--good:#2e9e44}
        *{box-sizing:border-box}
        body{margin:0 auto;padding:24px;max-width:1400px;background:Canvas;color:CanvasText;
        font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        h1{font-size:22px;margin:0 0 4px}
        header p{margin:0 0 12px;color:var(--soft)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 16px;padding:0;font-size:12px}
        .legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px}
        .scale,summary{display:grid;grid-template-columns:minmax(320px,45%) 1fr;gap:16px;align-items:center}
        .scale{height:22px;border-bottom:1px solid var(--line);color:var(--soft);font-size:11px}
        .scale div{position:relative;height:100%}
        .scale b{position:absolute;font-weight:400;transform:translateX(-50%);white-space:nowrap}
        .scale b:first-child{transform:none}.scale b:last-child{transform:translateX(-100%)}
        .entry{border-bottom:1px solid var(--line)}
        summary{padding:6px 0;cursor:pointer;list-style:none}
        summary::-webkit-details-marker{display:none}
        summary:hover{background:var(--hover)}
        .what{display:grid;grid-template-columns:1fr auto;gap:0 12px;min-width:0}
        .id{grid-column:1/3;color:var(--soft);font-size:11px}
        .line{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        em{font-style:normal;font-weight:600}
        code,pre,dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}
        .end{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
        .s2 strong{color:var(--good)}.s4 strong{color:var(--warn)}.s5 strong,.failed strong{color:var(--bad)}
        .track{position:relative;height:16px;background:linear-gradient(90deg,var(--line) 1px,transparent 1px) 0 0/25% 100%}
        .track i{position:absolute;top:2px;height:12px;min-width:2px;border-radius:2px}
        .blocked{background:#8e8e93}.dns{background:#30b0c7}.connect{background:#ff9500}.tls{background:#af52de}
        .send{background:#ffcc00}.wait{background:#34c759}.receive{background:#007aff}
        .details{padding:4px 0 16px 16px;border-left:3px solid var(--line);margin:0 0 8px 2px}
        .details p{margin:4px 0;color:var(--warn)}
        h2{font-size:12px;margin:12px 0 4px;color:var(--soft)}
        dl{display:grid;grid-template-columns:minmax(120px,max-content) 1fr;gap:2px 16px;margin:0}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        pre{margin:8px 0;padding:8px 12px;background:var(--hover);border-radius:6px;overflow:auto;max-height:320px;
        white-space:pre-wrap;overflow-wrap:anywhere}
        footer{margin-top:16px;color:var(--soft);font-size:12px}
        """
}
