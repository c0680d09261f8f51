import NetCore

extension URLRequest {
    /// The longest time without a byte, of the request's own and the transport's: the shorter one.
    ///
    /// Foundation does not say whether somebody has set a timeout, so the default of 60 s counts as none where the transport
    /// has one: otherwise nobody could wait longer by the transport's settings.
    func idleTimeout(or general: TimeInterval?) -> TimeInterval? {
        guard let general, general > 0 else { return timeoutInterval }
        return timeoutInterval == 60 || !(timeoutInterval > 0) ? general : min(timeoutInterval, general)
    }

    /// With the fields of the transport, where the request has none of that name.
    ///
    /// - Throws: ``RequestBuildingError/invalidHeader(_:)``.
    func adding(_ headers: HTTPHeaders) throws -> URLRequest {
        guard !headers.isEmpty else { return self }
        if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
        // One assignment: each `setValue` costs more than a microsecond on Linux.
        var fields = headers.dictionary
        for (name, value) in allHTTPHeaderFields ?? [:] {
            for known in fields.keys where known.equalsIgnoringASCIICase(name) { fields[known] = nil }
            fields[name] = value
        }
        var request = self
        request.allHTTPHeaderFields = fields
        return request
    }
}
