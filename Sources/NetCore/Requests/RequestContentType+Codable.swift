extension RequestContentType {
    /// A content type that can be written down; one made with a closure has none.
    enum Name: Hashable, Sendable {
        case clientEncoder
        case json
        case formURLEncoded
        case custom(String)
    }
}

extension RequestContentType.Name: Codable {
    private static let customPrefix = "custom:"

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        switch text {
        case "clientEncoder": self = .clientEncoder
        case "json": self = .json
        case "formURLEncoded": self = .formURLEncoded
        case _ where text.hasPrefix(Self.customPrefix): self = .custom(String(text.dropFirst(Self.customPrefix.count)))
        default:
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "There is no request content type of this name.")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .clientEncoder: try container.encode("clientEncoder")
        case .json: try container.encode("json")
        case .formURLEncoded: try container.encode("formURLEncoded")
        case .custom(let type): try container.encode(Self.customPrefix + type)
        }
    }

    /// The content type of this name.
    var contentType: RequestContentType {
        switch self {
        case .clientEncoder: .clientEncoder
        case .json: .json
        case .formURLEncoded: .formURLEncoded
        case .custom(let type): .custom(type)
        }
    }
}
