extension HTTPHeaders {
    /// The client's default fields: `User-Agent` and, if the user has preferred languages, `Accept-Language`.
    ///
    /// `Accept-Encoding` is not included: the transport requests what it can decode.
    public static let `default`: HTTPHeaders = {
        var headers = HTTPHeaders([.userAgent(defaultUserAgent)])
        if let languages = acceptLanguage(for: Locale.preferredLanguages) { headers.add(.acceptLanguage(languages)) }
        return headers
    }()

    /// Returns the value of `Accept-Language` for languages in order of preference, or nil without a language. It lists at most six, each
    /// with a weight 0.1 below the one before.
    public static func acceptLanguage(for languages: [String]) -> String? {
        let tags = languages.prefix(6).filter { !$0.isEmpty }
        guard !tags.isEmpty else { return nil }
        return tags.enumerated()
            .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }
            .joined(separator: ", ")
    }

    /// `app/version (system) Networking/version`, the most significant product first (RFC 9110, section 10.1.5). Without a version of the
    /// app, only its name.
    static let defaultUserAgent: String = {
        let process = CurrentProcess.name.filter { String($0).isHTTPToken }
        let version = CurrentProcess.version?.filter { String($0).isHTTPToken }
        let product = (process.isEmpty ? "app" : process) + (version.map { $0.isEmpty ? "" : "/\($0)" } ?? "")
        #if os(Linux)
            let system = "Linux"
        #elseif os(Android)
            let system = "Android"
        #elseif os(macOS)
            let system = "macOS"
        #elseif os(iOS)
            let system = "iOS"
        #elseif os(tvOS)
            let system = "tvOS"
        #elseif os(watchOS)
            let system = "watchOS"
        #elseif os(visionOS)
            let system = "visionOS"
        #else
            let system = "unknown"
        #endif
        return "\(product) (\(system)) Networking/\(SDKVersion.current)"
    }()
}

/// The version of this SDK, as in `User-Agent` and the change log.
enum SDKVersion {
    /// A semantic version (2.0).
    static let current = "0.1.0"
}
