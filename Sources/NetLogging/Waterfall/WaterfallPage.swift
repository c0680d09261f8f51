import NetCore

/// Writes the page.
struct WaterfallPage {
    private let log: HTTPArchive.Log
    private let title: String
    /// From the first start to the last end, in milliseconds.
    private let start: Date
    private let span: Double

    init(_ log: HTTPArchive.Log, title: String) {
        self.log = log
        self.title = title
        let start = log.entries.map(\.startedDateTime.date).min() ?? Date(timeIntervalSince1970: 0)
        self.start = start
        let ends = log.entries.map { $0.startedDateTime.date.timeIntervalSince(start) * 1000 + Self.time(of: $0) }
        span = max(1, ends.max() ?? 0)
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title.inHTML)</title>
        <style>\(WaterfallStyle.css)</style>
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

    private var legend: String {
        Phase.allCases.map { "<li><i class=\"\($0.rawValue)\"></i>\($0.title)</li>" }.joined()
    }

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
        var left = entry.startedDateTime.date.timeIntervalSince(start) * 1000
        return Phase.allCases.compactMap { phase -> String? in
            guard let time = phase.time(in: entry.timings), time > 0, time.isFinite else { return nil }
            defer { left += time }
            return """
                <i class="\(phase.rawValue)" style="left:\(percent(left))%;width:\(percent(time))%" \
                title="\(phase.title): \(Self.text(time))"></i>
                """
        }.joined()
    }

    private func details(of entry: HTTPArchive.Entry) -> String {
        var parts: [String] = []
        for note in [entry.error, entry.retryReason].compactMap({ $0 }) { parts.append("<p>\(note.inHTML)</p>") }
        let times = Phase.allCases.compactMap { phase in
            phase.time(in: entry.timings).map { (phase.title, Self.text($0)) }
        }
        parts.append(table("Time", times))
        parts.append(table("Request", entry.request.headers.map { ($0.name, $0.value) }))
        if let body = entry.request.postData { parts.append(Self.body(body.text ?? body.params?.text ?? body.comment)) }
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

    // MARK: Numbers

    /// What others write may be anything.
    private static func time(of entry: HTTPArchive.Entry) -> Double {
        let time = entry.timings.total
        return time.isFinite ? max(0, time) : 0
    }

    private func percent(_ milliseconds: Double) -> String {
        String(format: "%.3f", min(max(milliseconds / span * 100, 0), 100))
    }

    private static func text(_ milliseconds: Double) -> String {
        milliseconds < 1000 ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1000)
    }

    private static func size(_ bytes: Double) -> String {
        switch bytes {
        case ..<1024: String(format: "%.0f B", bytes)
        case ..<1_048_576: String(format: "%.1f KiB", bytes / 1024)
        default: String(format: "%.1f MiB", bytes / 1_048_576)
        }
    }
}

extension WaterfallPage {
    /// What an exchange spends its time on, in the order in which it does.
    private enum Phase: String, CaseIterable {
        case blocked, dns, connect, tls, send, wait, receive

        var title: String {
            switch self {
            case .blocked: "Queue"
            case .dns: "DNS"
            case .connect: "Connect"
            case .tls: "TLS"
            case .send: "Send"
            case .wait: "First byte"
            case .receive: "Transfer"
            }
        }

        /// Milliseconds.
        func time(in timings: HTTPArchive.Timings) -> Double? {
            switch self {
            case .blocked: timings.blocked
            case .dns: timings.dns
            case .connect: timings.connect.map { max(0, $0 - (timings.ssl ?? 0)) }
            case .tls: timings.ssl
            case .send: timings.send
            case .wait: timings.wait
            case .receive: timings.receive
            }
        }
    }
}

extension [HTTPArchive.Parameter] {
    fileprivate var text: String {
        map { "\($0.name)=\($0.value ?? "(\($0.fileName ?? "file"))")" }.joined(separator: "\n")
    }
}

extension String {
    /// As text or in an attribute.
    fileprivate var inHTML: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Marks that turn the direction of writing around make one host look like another.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Easier to read than with the mark encoded, as a URL has it.
    fileprivate var shownURL: String { replacingOccurrences(of: Redactor.encodedMark, with: Redactor.mark) }
}
