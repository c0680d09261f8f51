/// The header fields that a client adds to requests without a field of the name: its own, the environment's, and those of the transport's settings.
struct DefaultFields: Sendable {
    private struct Field: Sendable {
        let name: String
        let value: String
        let isCredential: Bool
        /// Whether it comes from the environment, so that it belongs to the base URL's origin.
        let isOfEnvironment: Bool
    }

    private let list: [Field]
    /// ``list`` as a dictionary, if no field depends on the origin.
    private let plain: [String: String]?
    private let baseOrigin: Origin?
    /// The error of an invalid field, thrown when a request is sent.
    let refusal: RequestBuildingError?

    /// Creates the fields of a client, with the additional ones of the transport's settings.
    init(
        environment: (any NetworkEnvironment)?, additional: HTTPHeaders, userAgent: String?,
        credentials: CredentialFields
    ) {
        var list: [Field] = []
        func add(_ name: String, _ value: String, isOfEnvironment: Bool = false) {
            guard !list.contains(where: { $0.name.equalsIgnoringASCIICase(name) }) else { return }
            let isCredential = credentials.isCredential(name)
            list.append(Field(name: name, value: value, isCredential: isCredential, isOfEnvironment: isOfEnvironment))
        }
        for (name, value) in environment?.defaultHeaders ?? [:] { add(name, value, isOfEnvironment: true) }
        for header in additional { add(header.name, header.value) }
        if let userAgent, !userAgent.isEmpty { add("User-Agent", userAgent) }
        add("Accept", "*/*")
        #if canImport(Darwin)
            if let languages = HTTPHeaders.acceptLanguage(for: Locale.preferredLanguages) {
                add("Accept-Language", languages)
            }
        #endif
        let invalid = list.first { !HTTPHeader(name: $0.name, value: $0.value).isValid }
        refusal = invalid.map { RequestBuildingError.invalidHeader($0.name) }
        self.list = list
        baseOrigin = environment?.baseURL.origin
        plain =
            list.contains(where: \.isCredential)
            ? nil : Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the fields that may go to the URL, in a call that started at the URL `start`. The fields of the request stay.
    func add(to fields: inout [String: String], url: URL?, start: URL?) {
        if fields.isEmpty, let plain {
            fields = plain
            return
        }
        for field in list where fields.value(of: field.name) == nil && applies(field, for: url, start: start) {
            fields[field.name] = field.value
        }
    }

    private func applies(_ field: Field, for url: URL?, start: URL?) -> Bool {
        guard field.isCredential else { return true }
        if field.isOfEnvironment { return url?.origin == baseOrigin }
        return !CredentialScope.isCrossOrigin(url, from: start)
    }
}

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
        return "\(product) (\(system)) Networking/\(sdkVersion)"
    }()

    /// The version of this SDK, as in `User-Agent` and the change log: a semantic version (2.0).
    static let sdkVersion = "0.1.0"
}
