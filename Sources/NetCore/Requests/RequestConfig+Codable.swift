extension RequestConfig: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, method, queryParameters, bodyParameters, headers, cachePolicy, retryCount, timeout
        case allowsBodyOnGet, body, bodyData, contentType
    }

    /// Reads what ``encode(to:)`` wrote. Keys that are missing get their defaults, so that what an older version stored can
    /// still be read.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(url: try container.decode(URL.self, forKey: .url))
        method = try container.decodeIfPresent(HTTPMethod.self, forKey: .method) ?? .get
        queryParameters = try container.decodeIfPresent(Parameters.self, forKey: .queryParameters)?.values ?? [:]
        bodyParameters = try container.decodeIfPresent(Parameters.self, forKey: .bodyParameters)?.values ?? [:]
        if let data = try container.decodeIfPresent(Data.self, forKey: .bodyData) {
            body = data
        } else if container.contains(.body) {
            // Null is a value here, and no missing body.
            body = try container.decode(JSONValue.self, forKey: .body)
        }
        if let name = try container.decodeIfPresent(RequestContentType.Name.self, forKey: .contentType) {
            contentType = name.contentType
        }
        headers = try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? HTTPHeaders()
        cachePolicy = try container.decodeIfPresent(CachePolicy.self, forKey: .cachePolicy)
        retryCount = try container.decodeIfPresent(Int.self, forKey: .retryCount) ?? 0
        timeout = try container.decodeIfPresent(TimeInterval.self, forKey: .timeout)
        allowsBodyOnGet = try container.decodeIfPresent(Bool.self, forKey: .allowsBodyOnGet) ?? false
    }

    /// Writes all of it, headers included: what is stored may hold credentials, so store it privately.
    ///
    /// - Throws: `EncodingError` if ``contentType`` was made with a closure, which cannot be written; what the values throw.
    public func encode(to encoder: any Encoder) throws {
        guard let type = contentType.name else {
            throw EncodingError.invalidValue(
                contentType,
                .init(
                    codingPath: encoder.codingPath + [CodingKeys.contentType],
                    debugDescription: "A content type that was made with a closure cannot be encoded."))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(method, forKey: .method)
        // As a query has them, whatever the encoder does with dates.
        try container.encode(queryParameters.mapValues { try JSONValue(encoding: $0) }, forKey: .queryParameters)
        if type == .formURLEncoded {
            // A form has its values as a query does.
            try container.encode(bodyParameters.mapValues { try JSONValue(encoding: $0) }, forKey: .bodyParameters)
        } else {
            try container.encode(Parameters(bodyParameters), forKey: .bodyParameters)
        }
        if let body { try encode(body, as: type, in: &container) }
        if type != .clientEncoder { try container.encode(type, forKey: .contentType) }
        try container.encode(headers, forKey: .headers)
        try container.encodeIfPresent(cachePolicy, forKey: .cachePolicy)
        try container.encode(retryCount, forKey: .retryCount)
        try container.encodeIfPresent(timeout, forKey: .timeout)
        if allowsBodyOnGet { try container.encode(true, forKey: .allowsBodyOnGet) }
    }

    private func encode(
        _ body: any Encodable & Sendable, as type: RequestContentType.Name,
        in container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        if let data = body as? Data {
            try container.encode(data, forKey: .bodyData)
        } else if type == .formURLEncoded {
            try container.encode(JSONValue(encoding: body), forKey: .body)
        } else {
            try container.encode(body, forKey: .body)
        }
    }
}
