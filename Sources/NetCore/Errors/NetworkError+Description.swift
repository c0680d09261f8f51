extension NetworkError: CustomStringConvertible, CustomReflectable {
    /// One line for a log: the ``code``, and what is known beyond it. No secret and no body is in it.
    public var description: String {
        if case .requestFailed(let status, _) = self { return "\(code): status \(status)" }
        return detail.map { "\(code): \($0.withoutSecrets)" } ?? code
    }

    /// Shows the description alone, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// What the case knows beyond its code and status.
    var detail: String? {
        switch self {
        case .circuitOpen(let host, let until): "\(host) until \(until)".onOneLine
        case .pinningFailed(let host): host.onOneLine
        case .responseTooLarge(let limit): "over \(limit) bytes"
        case .unsupported(let advice): advice.onOneLine
        default: embeddedError.map(secretFreeText(of:))
        }
    }
}
