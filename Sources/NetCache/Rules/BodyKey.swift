import NetCore

/// The part of a cache key that stands for the body of a request.
struct BodyKey {
    /// Nil for a GET without a body.
    let text: String?

    /// - Parameter methodsKeyedByBody: methods whose requests differ by their bodies.
    /// - Returns: nil if the request cannot be cached: it has another method, or a body that is not in memory.
    init?(_ request: URLRequest, body: HTTPBody?, methodsKeyedByBody: Set<HTTPMethod>) {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let isEmpty = body == nil || body?.length == 0
        if isEmpty, method == .get || method == .head {
            text = nil
            return
        }
        guard methodsKeyedByBody.contains(method), let data = isEmpty ? Data() : body?.data else { return nil }
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        let value = CanonicalJSON(data, type: type).map { Data($0.bytes) }
        text =
            method.rawValue
            + cacheDigest(of: [("type", type), (value == nil ? "body" : "json", SHA256.hex(value ?? data))])
    }

    /// Whether the body is a GraphQL mutation, which changes something on the server.
    static func isMutation(_ request: URLRequest, body: HTTPBody?) -> Bool {
        guard let data = body?.data, let type = request.value(forHTTPHeaderField: "Content-Type") else { return false }
        return CanonicalJSON(data, type: type)?.isGraphQLMutation == true
    }
}
