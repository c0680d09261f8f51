extension HTTPHeaders {
    /// What a well-behaved client says of itself: `User-Agent` and, where the user has chosen languages,
    /// `Accept-Language`.
    ///
    /// There is no `Accept-Encoding`: the transport asks for what it can decode.
    public static let `default`: HTTPHeaders = {
        var headers = HTTPHeaders([.userAgent(defaultUserAgent)])
        if let languages = acceptLanguage(for: Locale.preferredLanguages) { headers.add(.acceptLanguage(languages)) }
        return headers
    }()

    /// The value of `Accept-Language` for languages in order of preference: six at most, each worth a tenth less than
    /// the one before (seed 000, cookbook). Nil where there are none.
    public static func acceptLanguage(for languages: [String]) -> String? {
        let tags = languages.prefix(6).filter { !$0.isEmpty }
        guard !tags.isEmpty else { return nil }
        return tags.enumerated()
            .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }
            .joined(separator: ", ")
    }

    /// `app/version (system) Networking/version` (RFC 9110, section 10.1.5): the most significant product first. Without a version of the
    /// app only its name.
    package static let defaultUserAgent: String = {
        let process = ProcessInfo.processInfo.processName.filter { String($0).isHTTPToken }
        let version = (Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String)?.filter {
            String($0).isHTTPToken
        }
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

/// The version of this SDK, as it stands in `User-Agent` and in the change log.
public enum SDKVersion {
    /// The current version (semantic versioning 2.0).
    public static let current = "0.1.0"
}
