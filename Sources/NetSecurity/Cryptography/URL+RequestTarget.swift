import NetCore

extension URL {
    /// The path and the query as in the request line, percent-encoded.
    var requestTarget: String {
        guard let components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "/" }
        let path = components.percentEncodedPath
        return (path.isEmpty ? "/" : path) + (components.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The path of ``requestTarget``, which `path` does not tell: `/cb/` ends in a slash, and an empty path is `/` (RFC 3986, section 6.2.3).
    var requestPath: Substring { requestTarget.prefix { $0 != "?" } }
}
