import NetCore

/// The part of a cache key that stands for the body of a request.
struct BodyKey {
    private let method: HTTPMethod
    private let type: String
    /// Nil for a GET without a body.
    private let data: Data?
    private let json: CanonicalJSON?

    /// - Parameter methodsKeyedByBody: methods whose requests differ by their bodies.
    /// - Returns: nil if the request cannot be cached: it has another method, or a body that is not in memory.
    init?(_ request: URLRequest, body: HTTPBody?, methodsKeyedByBody: Set<HTTPMethod>) {
        method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        let isEmpty = body == nil || body?.length == 0
        if isEmpty, method == .get || method == .head {
            data = nil
            json = nil
            return
        }
        guard methodsKeyedByBody.contains(method), let data = isEmpty ? Data() : body?.data else { return nil }
        self.data = data
        json = CanonicalJSON(data, type: type)
    }

    /// Hashes the body. Nil for a GET without a body.
    var text: String? {
        guard let data else { return nil }
        let content = json.map { ("json", Data($0.bytes)) } ?? ("body", data)
        return method.rawValue + cacheDigest(of: [("type", type), (content.0, SHA256.hex(content.1))])
    }

    /// Whether the body is a GraphQL mutation, which changes something on the server.
    var isMutation: Bool { json?.isGraphQLMutation == true }
}
