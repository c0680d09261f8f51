/// What FoundationNetworking's `URLRequest` lacks. Kept in `mainDocumentURL`, which nothing else here uses: it is copied with the request, and
/// never sent. (The properties of `URLProtocol` do not survive the way from a class to a structure here.)
extension URLRequest {
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public var allowsExpensiveNetworkAccess: Bool {
        get { flags["allowsExpensiveNetworkAccess"] ?? true }
        set { flags["allowsExpensiveNetworkAccess"] = newValue }
    }

    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public var allowsConstrainedNetworkAccess: Bool {
        get { flags["allowsConstrainedNetworkAccess"] ?? true }
        set { flags["allowsConstrainedNetworkAccess"] = newValue }
    }

    @available(macOS 11.3, iOS 14.5, watchOS 7.4, tvOS 14.5, *)
    public var assumesHTTP3Capable: Bool {
        get { flags["assumesHTTP3Capable"] ?? false }
        set { flags["assumesHTTP3Capable"] = newValue }
    }

    @available(macOS 13.0, iOS 16.1, watchOS 9.1, tvOS 16.1, *)
    public var requiresDNSSECValidation: Bool {
        get { flags["requiresDNSSECValidation"] ?? false }
        set { flags["requiresDNSSECValidation"] = newValue }
    }

    private var flags: [String: Bool] {
        get {
            guard let url = mainDocumentURL, url.scheme == "applestubs", let query = url.query else { return [:] }
            return query.split(separator: "&").reduce(into: [:]) { flags, pair in
                let words = pair.split(separator: "=")
                if words.count == 2 { flags[String(words[0])] = words[1] == "true" }
            }
        }
        set {
            let text = newValue.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
            mainDocumentURL = URL(string: "applestubs:?" + text)
        }
    }
}
