/// What is known of a body that could not be decoded: put into the `DecodingError` by ``DecodableSerializer``, as the underlying error of
/// its context, since neither `DecodingError` nor ``NetworkError/decodingError(_:)`` has another place for it.
struct DecodedBody: SecretFreeError {
    /// The media type without its parameters, if the response has one.
    let contentType: String?
    /// Whether the bytes are JSON. Nil if that was not looked at.
    let isJSON: Bool?
    /// What lay beneath before.
    let underlyingError: (any Error)?

    /// The media type, where that is not JSON.
    var foreignContentType: String? {
        guard let contentType, !contentType.hasSuffix("/json"), !contentType.hasSuffix("+json") else { return nil }
        return contentType
    }

    var description: String { contentType.map { "the response is \($0)" } ?? "the response has no content type" }
}

extension DecodingError {
    /// The same error, which knows of the body that it is about.
    package func describing(_ data: Data, of response: TransportResponse) -> DecodingError {
        let field = response.headers["Content-Type"] ?? ""
        let mediaType = field.prefix { $0 != ";" }.trimmingHTTPWhitespace
        let contentType = mediaType.isEmpty ? nil : ShownText.word(String(mediaType).asciiLowercased)
        func knowing(_ context: Context, isJSON: Bool? = nil) -> Context {
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription,
                underlyingError: DecodedBody(
                    contentType: contentType, isJSON: isJSON, underlyingError: context.underlyingError))
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, knowing(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, knowing(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, knowing(context))
        case .dataCorrupted(let context):
            // Foundation says "not valid JSON" of a number that does not fit, too.
            let isJSON = context.codingPath.isEmpty && data.count <= Self.parsedLength ? data.isJSON : nil
            return .dataCorrupted(knowing(context, isJSON: isJSON))
        @unknown default: return self
        }
    }

    /// The length of the largest body, in bytes, that is parsed again to tell what is wrong with it: 1 MiB.
    private static var parsedLength: Int { 1 << 20 }

    /// What is known of the body.
    var body: DecodedBody? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.underlyingError as? DecodedBody
        @unknown default: nil
        }
    }
}

extension Data {
    fileprivate var isJSON: Bool { (try? JSONSerialization.jsonObject(with: self, options: .fragmentsAllowed)) != nil }
}
