public import Logging
public import NetLogging

/// Writes the messages of a `NetworkLogger` to a swift-log logger.
///
/// ```swift
/// let networkLogger = NetworkLogger(sinks: [SwiftLogSink(logger: Logger(label: "networking"))])
/// ```
///
/// Call, category and trace are metadata: `networking.call.id`, `networking.category`, `trace_id`, `span_id`. A message that is not public
/// appears as `<private>`. Control characters are escaped, so that text from a server cannot fake a line.
///
/// For messages with structured metadata, use ``Observability`` instead: messages of a `NetworkLogger` are texts.
public struct SwiftLogSink: LogSink {
    private let logger: Logging.Logger
    private let showsPrivate: Bool

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - logger: the destination. Its level decides which messages are written.
    ///   - showsPrivate: whether to show private and sensitive messages. For debugging only.
    public init(logger: Logging.Logger, showsPrivate: Bool = false) {
        self.logger = logger
        self.showsPrivate = showsPrivate
    }

    /// Writes one message.
    public func write(_ event: NetLogging.LogEvent) {
        let level = Logging.Logger.Level(event.level)
        guard logger.logLevel <= level else { return }
        var metadata: Logging.Logger.Metadata = ["networking.category": .string(event.category)]
        if let id = event.requestID { metadata[Attribute.callID] = .stringConvertible(id) }
        if let trace = event.traceContext {
            metadata["trace_id"] = .stringConvertible(trace.traceID)
            metadata["span_id"] = .stringConvertible(trace.spanID)
        }
        let text = showsPrivate ? event.message : event.visibleMessage
        logger.log(level: level, "\(text.printable)", metadata: metadata, source: event.subsystem)
    }
}

extension Logging.Logger.Level {
    /// The level of the same meaning: a fault of the program is critical.
    init(_ level: NetLogging.LogEvent.Level) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        case .fault: self = .critical
        }
    }
}

extension String {
    /// The text with control characters escaped. Further lines are indented.
    fileprivate var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar == "\n" {
                text += "\n    "
            } else if scalar.isControl {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character or separates lines.
    fileprivate var isControl: Bool {
        value < 0x20 || 0x7F...0x9F ~= value || 0x2028...0x2029 ~= value
    }
}
