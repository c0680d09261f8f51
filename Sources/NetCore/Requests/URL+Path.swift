extension URL {
    /// Returns the URL with a path appended to its own, whether that ends in a slash or not. The query is kept; a fragment is removed.
    ///
    /// - Parameter path: plain text. Characters not valid in a path (RFC 3986, section 3.3) are encoded, and `+`, which some servers read as a space.
    /// - Throws: an error that describes the problem, for a segment `.` or `..`, a `?`, and a whole URL.
    package func appending(requestPath path: String) throws -> URL {
        guard !path.hasPrefix("http://"), !path.hasPrefix("https://") else {
            throw RequestBuildingError(
                "The path is a whole URL. Use Request(absoluteURL:). For an endpoint, set its baseURL, and the path after it."
            )
        }
        guard !path.utf8.contains(UInt8(ascii: "?")) else {
            throw RequestBuildingError(
                "The path has a '?'. Put the query into queryParameters, query or queryItems of a Request or an Endpoint. "
                    + "If the '?' is part of a name, use pathComponents, which encode it.")
        }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for segment in segments where segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
            throw RequestBuildingError.dotSegment
        }
        return try appending(encodedPath: Self.encode(path.utf8, keeping: Self.pathCharacters))
    }

    /// Returns the URL with path components appended to its path. Slashes in a component are encoded.
    ///
    /// - Throws: an error that describes the problem, for a component that is empty, `.` or `..`: the request would address another resource.
    package func appending(requestPathComponents components: [String]) throws -> URL {
        let encoded = try components.map { component in
            guard component != ".", component != ".." else { throw RequestBuildingError.dotSegment }
            guard !component.isEmpty else {
                throw RequestBuildingError("A component of the path is empty. Check the value it was made from.")
            }
            return Self.encode(component.utf8, keeping: Self.componentCharacters)
        }
        return try appending(encodedPath: encoded.joined(separator: "/"))
    }

    /// Returns the URL with an encoded relative reference appended to its path: `users?page=2`.
    package func appending(relative reference: String) throws -> URL {
        let parts = reference.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let url = try appending(encodedPath: String(parts.first ?? ""))
        guard parts.count == 2 else { return url }
        guard let whole = url.appending(encodedQuery: String(parts[1])) else { throw NetworkError.invalidURL }
        return whole
    }

    private func appending(encodedPath path: String) throws -> URL {
        let whole = absoluteString.prefix { $0 != "#" }
        var base = whole.prefix { $0 != "?" }
        let query = whole[base.endIndex...]
        guard !path.isEmpty else { return self }
        while base.hasSuffix("/") { base = base.dropLast() }
        guard let url = URL(string: "\(base)\(path.hasPrefix("/") ? "" : "/")\(path)\(query)") else {
            throw NetworkError.invalidURL
        }
        return url
    }

    private static func encode(_ text: String.UTF8View, keeping kept: Set<UInt8>) -> String {
        guard !text.allSatisfy(kept.contains) else { return String(text) }
        var result = [UInt8]()
        for byte in text {
            if kept.contains(byte) { result.append(byte) } else { result += PercentEncoding.encode(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `pchar` of RFC 3986, without `+` and `%`.
    private static let componentCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*,;=:@".utf8)
    private static let pathCharacters = componentCharacters.union("/".utf8)
}

extension RequestBuildingError {
    fileprivate static let dotSegment = RequestBuildingError(
        "The path has a segment '.' or '..', which leads to another resource (RFC 3986, section 5.2.4). Remove it, or "
            + "use the whole URL.")
}
