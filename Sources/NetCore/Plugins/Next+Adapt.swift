extension Next {
    /// Asks a hook that knows neither bodies nor contexts (seeds 000 and 003) for the request to send in place of this one.
    ///
    /// A body that is in memory shows as `httpBody`, and what the hook makes of that becomes ``body``. Where a redirect has led
    /// to another origin, the hook cannot know: credentials that it adds there are taken out again.
    package mutating func adapt(
        _ request: URLRequest, by hook: (URLRequest) async throws -> URLRequest
    ) async throws -> URLRequest {
        let shown = body?.data
        var given = request
        if let shown { given.httpBody = shown }
        var adapted = try await hook(given)
        let data = adapted.httpBody
        if data != shown { body = data.map { HTTPBody($0) } }
        if data != nil { adapted.httpBody = nil }
        if isCrossOrigin(request) { Self.withhold(from: &adapted, added: request, by: fields) }
        return adapted
    }

    /// Takes credentials out again that a hook has added or changed.
    private static func withhold(
        from adapted: inout URLRequest, added original: URLRequest, by fields: CredentialFields
    ) {
        for name in RequestChanges(from: original, to: adapted).fields where fields.isCredential(name) {
            adapted.setValue(original.value(forHTTPHeaderField: name), forHTTPHeaderField: name)
        }
        // A key in the query is a credential as well.
        if adapted.url?.query != original.url?.query, adapted.url?.origin == original.url?.origin {
            adapted.url = original.url
        }
    }

    private var fields: CredentialFields { context.preparer?.fields ?? .standard }

    /// Whether the request goes to another origin than the one at which the call started.
    package func isCrossOrigin(_ request: URLRequest) -> Bool {
        CredentialScope.isCrossOrigin(request.url, from: context.origin)
    }

    /// Whether a hook of this type was asked when the request was prepared, or will be.
    func isAdapted(by type: any HTTPInterceptor.Type) -> Bool {
        context.preparer?.adapts(type) == true
    }
}
