public import Foundation

/// The reason why a message cannot be converted. Its description says what to do, and contains no value of a field and no query.
public enum HTTPTypesError: Error, Hashable, Sendable {
    /// A control field of a request (RFC 9113, section 8.3.1).
    public enum ControlField: String, Hashable, Sendable {
        case scheme, authority, path
    }

    /// `CONNECT` names a tunnel, so it has no URL.
    case connect
    /// Extended `CONNECT` (RFC 8441) with a protocol other than `websocket`.
    case extendedConnect(protocol: String)
    /// `OPTIONS *` names the server, so it has no URL (RFC 9110, section 9.3.7).
    case optionsAsterisk
    /// The request lacks a control field that a URL needs.
    case missing(ControlField)
    /// A control field has characters that would change another part of the URL, or an empty value.
    case invalid(ControlField)
    /// The `URLRequest` has no URL, or one without scheme or host.
    case noURL
    /// The method is not a token (RFC 9110, section 9.1).
    case invalidMethod
    /// A field whose name is not a token, or whose value is not UTF-8 text.
    case invalidField(name: String)
    /// More than one `Set-Cookie` field in a request. Their values cannot be joined (RFC 9110, section 5.3).
    case repeatedSetCookie
    /// More fields than `HTTPFields` holds, which is 65,534.
    case tooManyFields(count: Int)
    /// The status is not in 0...999.
    case invalidStatus(Int)
}

extension HTTPTypesError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .connect: "CONNECT has no URL. To use a proxy, set TransportConfiguration.proxy."
        case .extendedConnect(let name): "CONNECT with the protocol \(name) is not supported. Only websocket is."
        case .optionsAsterisk: "OPTIONS * has no URL. Send OPTIONS with the path of a resource."
        case .missing(let field): "The request has no \(field.rawValue). Set HTTPRequest.\(field.rawValue)."
        case .invalid(let field): "The \(field.rawValue) of the request is invalid. \(field.rule)"
        case .noURL: "The request needs a URL with a scheme and a host."
        case .invalidMethod: "The method is not a token (RFC 9110, section 9.1)."
        case .invalidField(let name):
            "The field \(name.debugDescription) cannot be sent: its name must be a token and its value UTF-8 text."
        case .repeatedSetCookie: "A request can have one Set-Cookie field at most."
        case .tooManyFields(let count): "HTTPFields holds 65534 fields at most, not \(count)."
        case .invalidStatus(let status): "The status \(status) is not in 0...999."
        }
    }

    public var errorDescription: String? { description }
}

extension HTTPTypesError.ControlField {
    fileprivate var rule: String {
        switch self {
        case .scheme: "It starts with a letter, followed by letters, digits, '+', '-' and '.'."
        case .authority: "It is a host and an optional port, without user name and password."
        case .path: "It starts with '/' and has no '#'."
        }
    }
}
