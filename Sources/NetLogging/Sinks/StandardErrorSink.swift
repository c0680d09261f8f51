import NetCore

/// Writes each message to standard error, in one piece: date, level, category, request, message.
///
/// Messages that are not public are shown as `<private>`. Control characters are escaped, and further lines indented.
public struct StandardErrorSink: LogSink {
    private let showsPrivate: Bool
    private let output: @Sendable (Data) throws -> Void

    /// A sink.
    ///
    /// - Parameter showsPrivate: whether private and sensitive messages are shown. For debugging only.
    public init(showsPrivate: Bool = false) {
        self.init(showsPrivate: showsPrivate) { try FileHandle.standardError.write(contentsOf: $0) }
    }

    init(showsPrivate: Bool, output: @escaping @Sendable (Data) throws -> Void) {
        self.showsPrivate = showsPrivate
        self.output = output
    }

    /// Writes the message.
    ///
    /// - Throws: what the system says: standard error may be closed.
    public func write(_ event: LogEvent) throws {
        try output(Data(LogLine.text(of: event, showsPrivate: showsPrivate).utf8))
    }
}
