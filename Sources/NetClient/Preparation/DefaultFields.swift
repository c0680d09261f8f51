import NetCore

/// The header fields that a client adds where a request has none of the name: its own, those of the environment, and those of the
/// transport's settings.
struct DefaultFields: Sendable {
    private struct Field: Sendable {
        let name: String
        let value: String
        let isCredential: Bool
        /// Whether it comes from the environment, so that it belongs to the base URL's origin.
        let isOfEnvironment: Bool
    }

    private let list: [Field]
    /// The same as a dictionary, where no field depends on the origin.
    private let plain: [String: String]?
    private let baseOrigin: Origin?
    /// What speaks against the fields: told when a request is sent.
    let refusal: RequestBuildingError?

    init(_ configuration: NetworkClient.Configuration, _ settings: TransportConfiguration, _ fields: CredentialFields) {
        var list: [Field] = []
        func add(_ name: String, _ value: String, isOfEnvironment: Bool = false) {
            guard !list.contains(where: { $0.name.equalsIgnoringASCIICase(name) }) else { return }
            list.append(
                Field(
                    name: name, value: value, isCredential: fields.isCredential(name), isOfEnvironment: isOfEnvironment)
            )
        }
        for (name, value) in configuration.environment?.defaultHeaders ?? [:] {
            add(name, value, isOfEnvironment: true)
        }
        for header in settings.additionalHeaders { add(header.name, header.value) }
        if let agent = configuration.userAgent, !agent.isEmpty { add("User-Agent", agent) }
        add("Accept", "*/*")
        #if canImport(Darwin)
            if let languages = HTTPHeaders.acceptLanguage(for: Locale.preferredLanguages) {
                add("Accept-Language", languages)
            }
        #endif
        let invalid = list.first { !HTTPHeader(name: $0.name, value: $0.value).isValid }
        refusal = invalid.map { RequestBuildingError.invalidHeader($0.name) }
        self.list = list
        baseOrigin = configuration.environment?.baseURL.origin
        plain =
            list.contains(where: \.isCredential)
            ? nil : Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// No fields.
    init() {
        list = []
        plain = nil
        baseOrigin = nil
        refusal = nil
    }

    /// Adds the fields that may go to the URL.
    ///
    /// - Parameters:
    ///   - fields: of the request; those that are there stay.
    ///   - start: the URL at which the call started.
    func add(to fields: inout [String: String], url: URL?, start: URL?) {
        if fields.isEmpty, let plain {
            fields = plain
            return
        }
        for field in list where fields.value(of: field.name) == nil && isMeant(field, for: url, start: start) {
            fields[field.name] = field.value
        }
    }

    private func isMeant(_ field: Field, for url: URL?, start: URL?) -> Bool {
        guard field.isCredential else { return true }
        if field.isOfEnvironment { return url?.origin == baseOrigin }
        return !CredentialScope.isCrossOrigin(url, from: start)
    }
}
