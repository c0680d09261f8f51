extension NetworkError: CustomStringConvertible, CustomReflectable {
    /// One line for a log: the ``code``, and what is known beyond it. No secret and no body is in it,
    /// and of a URL only the host and the port.
    public var description: String {
        if case .requestFailed(let status, let data) = self {
            let hint = SchemeMismatch(status: status, body: data).map { ". \($0.hint)" } ?? ""
            return "\(code): status \(status)\(hint)"
        }
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
        default: embeddedError.map(Self.detail(of:))
        }
    }

    /// Of a transport's error the host instead of the URL: a path may be secret.
    private static func detail(of error: any Error) -> String {
        guard let error = error as? TransportError else { return secretFreeText(of: error) }
        return error.summary + (error.url?.authority.map { " (\(ShownText.host($0)))" } ?? "")
    }
}
