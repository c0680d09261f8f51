public import Foundation
public import HTTPTypes
import HTTPTypesFoundation
internal import NetCore

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a request with the method, the URL and the fields of an `HTTPRequest`.
    ///
    /// Fields of one name are joined by `", "`, and `Cookie` by `"; "`: a `URLRequest` has one value for each name. The order of different
    /// names is lost (it has no meaning, RFC 9110, section 5.3). Extended `CONNECT` for `websocket` (RFC 8441) becomes `GET` with a `ws` or
    /// `wss` URL.
    ///
    /// - Throws: ``HTTPTypesError`` if the request has no URL (`CONNECT`, `OPTIONS *`), or if its control fields do not form the URL they
    ///   describe; and for a field that cannot be sent unchanged.
    public init(_ request: HTTPRequest) throws(HTTPTypesError) {
        try request.checkTarget()
        // HTTPTypesFoundation knows the URL and the WebSocket forms. It reads values as ISO-8859-1, which the transports would send as other
        // bytes: the fields are converted here.
        var bare = request
        bare.headerFields = HTTPFields()
        guard let converted = URLRequest(httpRequest: bare), converted.url?.hasHost == true else {
            throw .invalid(.authority)
        }
        self = converted
        try setFields(request.headerFields)
    }

    /// Creates a request with the method and the fields of an `HTTPRequest`, and another URL. The scheme, authority and path of the request
    /// are ignored.
    ///
    /// - Throws: ``HTTPTypesError`` for `CONNECT`, and for a field that cannot be sent unchanged.
    public init(_ request: HTTPRequest, url: URL) throws(HTTPTypesError) {
        guard request.method != .connect else { throw .connect }
        self.init(url: url)
        httpMethod = request.method.rawValue
        try setFields(request.headerFields)
    }

    private mutating func setFields(_ fields: HTTPFields) throws(HTTPTypesError) {
        guard !fields.isEmpty else { return }
        var hasSetCookie = false
        for field in fields {
            // The transports send text as UTF-8, so other bytes would not arrive as they are.
            guard field.utf8Value != nil else { throw .invalidField(name: field.name.rawName) }
            guard field.name == .setCookie else { continue }
            guard !hasSetCookie else { throw .repeatedSetCookie }
            hasSetCookie = true
        }
        allHTTPHeaderFields = HTTPHeaders(fields).dictionary
    }
}

extension HTTPRequest {
    /// Creates a request with the method, the URL and the fields of a `URLRequest`. Its body is not part of an `HTTPRequest`.
    ///
    /// The fields are sorted by name. A user name and password in the URL become an `Authorization` field with Basic credentials (RFC 7617),
    /// as the transports send them, unless the request has that field. A URL's fragment is left out. A `ws` or `wss` URL becomes extended
    /// `CONNECT` (RFC 8441).
    ///
    /// - Throws: ``HTTPTypesError`` for a request without a complete URL, with an invalid method or an invalid field.
    public init(_ request: URLRequest) throws(HTTPTypesError) {
        guard HTTPRequest.Method(request.httpMethod ?? "GET") != nil else { throw .invalidMethod }
        // HTTPTypes traps for a URL without a scheme.
        guard let url = request.url?.absoluteURL, url.scheme != nil, url.hasHost else { throw .noURL }
        var bare = URLRequest(url: url)
        bare.httpMethod = request.httpMethod
        guard var converted = bare.httpRequest else { throw .noURL }
        var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        if let credentials = url.basicCredentials, !headers.contains(name: "Authorization") {
            headers.add(credentials)
        }
        if let invalid = headers.firstInvalid { throw .invalidField(name: invalid.name) }
        converted.headerFields = try HTTPFields(headers)
        self = converted
    }

    /// Checks that the control fields can be joined to a URL in which each of them stays what it is. HTTPTypes joins them unchecked: the
    /// authority `example.com` and the path `.example.net/` would be a request to another host.
    fileprivate func checkTarget() throws(HTTPTypesError) {
        if method == .connect {
            guard let name = extendedConnectProtocol else { throw .connect }
            guard name == "websocket" else { throw .extendedConnect(protocol: name) }
        }
        guard let path else { throw .missing(.path) }
        if method == .options, path == "*" { throw .optionsAsterisk }
        guard let scheme else { throw .missing(.scheme) }
        guard let authority else { throw .missing(.authority) }
        // RFC 3986, section 3.1.
        guard scheme.utf8.first?.isLetter == true, scheme.utf8.allSatisfy(\.isSchemeCharacter) else {
            throw .invalid(.scheme)
        }
        // RFC 9113, section 8.3.1: no user information.
        guard !authority.isEmpty, authority.utf8.allSatisfy(\.isAuthorityCharacter) else { throw .invalid(.authority) }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(UInt8(ascii: "#")) else {
            throw .invalid(.path)
        }
    }
}

extension URL {
    fileprivate var hasHost: Bool { host?.isEmpty == false }

    /// The user name and password as a field; nil if the URL has none.
    fileprivate var basicCredentials: HTTPHeader? {
        guard let parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        guard parts.user != nil || parts.password != nil else { return nil }
        return .authorization(username: parts.user ?? "", password: parts.password ?? "")
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    fileprivate var isSchemeCharacter: Bool {
        isLetter || (0x30...0x39).contains(self) || [0x2B, 0x2D, 0x2E].contains(self)
    }

    /// Everything but controls, spaces and the delimiters of other parts: `/`, `?`, `#`, `@`, `\`.
    fileprivate var isAuthorityCharacter: Bool {
        self > 0x20 && self != 0x7F && ![0x2F, 0x3F, 0x23, 0x40, 0x5C].contains(self)
    }
}
