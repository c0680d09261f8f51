import NetCore
import Tracing

extension Tracing.Span {
    /// Sets attributes, status and error, and ends the span. The attributes are written once, which costs one lock and no copies.
    func end(
        _ outcome: Outcome, _ result: Result<TransportResponse, any Error>, _ target: Target,
        _ addAttributes: (inout SpanAttributes) -> Void
    ) {
        defer { end() }
        guard isRecording else { return }
        var own = target.attributes
        addAttributes(&own)
        if let status = outcome.status { own.set(Attribute.status, value: .int64(Int64(status))) }
        if let type = outcome.errorType {
            own.set(Attribute.errorType, value: .string(type))
            setStatus(SpanStatus(code: .error))
        }
        if case .failure(let error) = result { recordError(error.secretFree) }
        // A tracer may have set attributes of its own.
        let present = attributes
        if !present.isEmpty { own.merge(present) }
        attributes = own
    }
}

extension Error {
    /// The same error, with a description that holds no secret: the SDK's own, or one that names only the type of a foreign error.
    var secretFree: any Error {
        switch self {
        case is NetworkFailure, is NetworkError, is TransportError, is CancellationError: self
        default: NetworkFailure(wrapping: self, request: nil)
        }
    }
}

/// A URL that is redacted when it is shown: without user information, and without the values of a query that are not known to be harmless.
///
/// Most spans and messages are dropped before they are shown, and redaction costs microseconds.
struct RedactedURL: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    init(text: String) {
        self.text = text
    }

    /// The URL with `REDACTED` in place of values, as OpenTelemetry writes it.
    var description: String {
        guard let url = URL(string: text), let redacted = RequestSnapshot(URLRequest(url: url)).url else {
            return "REDACTED"
        }
        return redacted.absoluteString.replacingOccurrences(of: "%5BREDACTED%5D", with: "REDACTED")
    }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
