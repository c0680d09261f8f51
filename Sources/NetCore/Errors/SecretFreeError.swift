/// An error whose description may be logged whole: it holds no secret, and nothing of a body.
///
/// What plugins, Foundation and decoders throw makes no such promise: a `URLError` names the whole URL, a `DecodingError`
/// the value it met, an `EncodingError` the value to be sent. Of those only the kind is shown.
package protocol SecretFreeError: Error, CustomStringConvertible {}

extension NetworkError: SecretFreeError {}
extension NetworkFailure: SecretFreeError {}
extension TransportError: SecretFreeError {}
extension RequestBuildingError: SecretFreeError {}

/// What may be shown of an error, in one line.
package func secretFreeText(of error: any Error) -> String {
    switch error {
    case let error as any SecretFreeError: error.description.onOneLine.withoutSecrets
    case let error as DecodingError: error.secretFreeSummary.onOneLine
    case let error as EncodingError: error.secretFreeSummary.onOneLine
    case let error as URLError: "URLError \(error.code.rawValue)"
    default: kind(of: error)
    }
}

/// Type and case of a Swift error, domain and code of another.
private func kind(of error: any Error) -> String {
    let bridged = error as NSError
    return "\(bridged.domain) \(bridged.code)".onOneLine
}

extension DecodingError {
    /// Where and what kind of mismatch, without the values that were read, and the media type where that is not JSON.
    fileprivate var secretFreeSummary: String {
        let summary = DecodingMismatch(self).summary
        return body?.foreignContentType.map { "\(summary); the response is \($0)" } ?? summary
    }
}

extension EncodingError {
    /// Where and what kind of value, without the value.
    fileprivate var secretFreeSummary: String {
        switch self {
        case .invalidValue(let value, let context):
            "cannot encode the \(type(of: value)) at \(context.codingPath.isEmpty ? "the top level" : context.codingPath.shownPath)"
        @unknown default: "unencodable value"
        }
    }
}

extension String {
    /// With spaces for line breaks and other control characters, so that nobody can forge a line of a log with them.
    package var onOneLine: String {
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? " " : $0 }))
    }
}
