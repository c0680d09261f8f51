extension Next {
    /// Asks a hook that knows neither bodies nor contexts (seeds 000 and 003) for the request to send in place of this one.
    ///
    /// A body that is in memory shows as `httpBody`, and what the hook makes of that becomes ``body``. Where a redirect has led
    /// to another origin, the hook cannot know: credentials that it adds there are taken out again.
    mutating func adapt(
        _ request: URLRequest, by hook: (URLRequest) async throws -> URLRequest
    ) async throws -> URLRequest {
        let shown = body?.data
        var given = request
        if let shown { given.httpBody = shown }
        var adapted = try await hook(given)
        let data = adapted.httpBody
        if data != shown { body = data.map { HTTPBody($0) } }
        if data != nil { adapted.httpBody = nil }
        if isAbroad(request) {
            for name in HTTPHeaders.credentialNames {
                let before = request.value(forHTTPHeaderField: name)
                if adapted.value(forHTTPHeaderField: name) != before {
                    adapted.setValue(before, forHTTPHeaderField: name)
                }
            }
        }
        return adapted
    }

    /// Whether the request goes to another origin than the one with which the call started.
    package func isAbroad(_ request: URLRequest) -> Bool {
        guard let start = context.origin, let url = request.url, url != start else { return false }
        return url.origin != start.origin
    }
}

extension HTTPHeaders {
    /// The fields that hold credentials, and so are for one origin alone.
    package static let credentialNames = ["Authorization", "Cookie", "Proxy-Authorization"]
}
