import NetCore

/// What stands in a cache's key for the body of a request.
struct BodyKey {
    /// Nil for a GET without a body.
    let text: String?

    /// - Parameter methodsKeyedByBody: methods that are told apart by their bodies.
    /// - Returns: nil if the request is none for a cache: another method, or a body that is not in memory.
    init?(_ request: URLRequest, body: HTTPBody?, methodsKeyedByBody: Set<HTTPMethod>) {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let isEmpty = body == nil || body?.length == 0
        if isEmpty, method == .get || method == .head {
            text = nil
            return
        }
        guard methodsKeyedByBody.contains(method), let data = isEmpty ? Data() : body?.data else { return nil }
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        text = method.rawValue + cacheDigest(of: [("type", type), ("body", SHA256.hex(data))])
    }
}
