import NetCore

/// Writes each message to standard error, in one piece: date, level, category, request, message.
///
/// Messages that are not public are shown as `<private>`. Control characters are escaped and further lines indented, so that
/// what a server sent cannot pass for a line of its own or drive the terminal.
public struct StandardErrorSink: LogSink {
    private let showsPrivate: Bool
    private let output: @Sendable (Data) -> Void

    /// A sink.
    ///
    /// - Parameter showsPrivate: whether private and sensitive messages are shown. For debugging only.
    public init(showsPrivate: Bool = false) {
        self.init(showsPrivate: showsPrivate) { line in
            // Standard error may be closed, and there is no other place to say so.
            try? FileHandle.standardError.write(contentsOf: line)
        }
    }

    init(showsPrivate: Bool, output: @escaping @Sendable (Data) -> Void) {
        self.showsPrivate = showsPrivate
        self.output = output
    }

    /// Writes the message.
    public func write(_ event: LogEvent) {
        output(Data(line(for: event).utf8))
    }

    private func line(for event: LogEvent) -> String {
        let date = event.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let request = event.requestID.map { "\($0) " } ?? ""
        let message = showsPrivate ? event.message : event.visibleMessage
        return "\(date) \(event.level) \(event.category) \(request)\(Self.printable(message))\n"
    }

    private static func printable(_ message: String) -> String {
        var text = ""
        for scalar in message.unicodeScalars {
            switch scalar {
            case "\n": text += "\n    "
            case "\u{2028}", "\u{2029}": text += scalar.escaped(asASCII: true)
            case _ where scalar.properties.generalCategory == .control: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
