import NetCore

/// An event as text for files and terminals.
enum LogLine {
    /// A line: date, level, category, request, message. Further lines of the message are indented and name the request too, so that a search for
    /// it finds all that belongs to it.
    ///
    /// Control characters are escaped: what a server sent cannot pass for a line of its own or drive the terminal.
    static func text(of event: LogEvent, showsPrivate: Bool) -> String {
        let date = event.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let request = event.requestID.map { "\($0) " } ?? ""
        let message = showsPrivate ? event.message : event.visibleMessage
        return
            "\(date) \(event.level) \(event.category) \(request)\(printable(message, indentation: "    \(request)"))\n"
    }

    private static func printable(_ message: String, indentation: String) -> String {
        var text = ""
        for scalar in message.unicodeScalars {
            switch scalar {
            case "\n": text += "\n" + indentation
            case "\u{2028}", "\u{2029}": text += scalar.escaped(asASCII: true)
            case _ where scalar.properties.generalCategory == .control: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
