import NetCore

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, path, expires, creation, lastAccess, sameSite
        case isSecure = "secure"
        case isHTTPOnly = "httpOnly"
        case isHostOnly = "hostOnly"
    }

    /// Reads a cookie, as ``encode(to:)`` writes it. Only name, value and domain have to be there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func date(_ key: CodingKeys) throws -> Date? {
            try container.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decode(String.self, forKey: .value),
            domain: try container.decode(String.self, forKey: .domain),
            path: try container.decodeIfPresent(String.self, forKey: .path) ?? "/",
            expires: try date(.expires),
            isSecure: try container.decodeIfPresent(Bool.self, forKey: .isSecure) ?? false,
            isHTTPOnly: try container.decodeIfPresent(Bool.self, forKey: .isHTTPOnly) ?? false,
            sameSite: try container.decodeIfPresent(SameSite.self, forKey: .sameSite) ?? .unspecified,
            isHostOnly: try container.decodeIfPresent(Bool.self, forKey: .isHostOnly))
        if let creation = try date(.creation) { self.creation = creation }
        if let lastAccess = try date(.lastAccess) { self.lastAccess = lastAccess }
    }

    /// Writes the cookie with its value. Dates are seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(domain, forKey: .domain)
        try container.encode(path, forKey: .path)
        try container.encodeIfPresent(expires?.timeIntervalSince1970, forKey: .expires)
        if isSecure { try container.encode(true, forKey: .isSecure) }
        if isHTTPOnly { try container.encode(true, forKey: .isHTTPOnly) }
        if sameSite != .unspecified { try container.encode(sameSite, forKey: .sameSite) }
        try container.encode(isHostOnly, forKey: .isHostOnly)
        if creation != .distantPast { try container.encode(creation.timeIntervalSince1970, forKey: .creation) }
        if lastAccess != .distantPast { try container.encode(lastAccess.timeIntervalSince1970, forKey: .lastAccess) }
    }
}
