extension TransportResponse {
    /// Holds the response of a call to what the call accepts, else what the client's `ValidationInterceptor` accepts, else 200 to 299.
    ///
    /// - Parameters:
    ///   - data: the body.
    ///   - validation: the call's own rules: ``RequestContext/validation``.
    /// - Throws: the failure that the response is.
    package func validate(
        data: Data, by validation: ResponseValidation? = nil, timestamp: Date
    ) throws(NetworkFailure) {
        guard ResponseValidation.accepts(status, among: validation?.statusCodes ?? acceptedStatusCodes) else {
            throw NetworkFailure(response: self, data: data, timestamp: timestamp)
        }
        guard let validation else { return }
        do {
            try validation.validateContent(of: self, data: data)
        } catch {
            throw NetworkFailure(serializing: error, response: self, data: data, timestamp: timestamp)
        }
    }
}
