import NetCore

extension AuthInterceptor {
    /// A bearer token (RFC 6750) that does not change.
    public static func bearer(_ token: String) -> AuthInterceptor {
        AuthInterceptor(tokenProvider: { token })
    }

    /// Basic credentials (RFC 7617), in UTF-8.
    ///
    /// They can be read by whoever sees the request: see ``requiresTLS``.
    ///
    /// - Parameters:
    ///   - username: with a colon or a control character in it, every request fails with ``NetworkError/invalidRequest``, as
    ///     the server could not tell where it ends (RFC 7617, section 2).
    ///   - password: may have colons, but no control characters.
    public static func basic(username: String, password: String) -> AuthInterceptor {
        let value = HTTPHeader.authorization(username: username, password: password).value
        let isValid =
            !username.utf8.contains(UInt8(ascii: ":")) && !(username + password).utf8.contains(where: \.isControl)
        return AuthInterceptor(headerName: "Authorization", tokenPrefix: nil) {
            guard isValid else {
                throw RequestBuildingError(
                    "Basic credentials must not have control characters, nor the username a colon (RFC 7617).")
            }
            return value
        }
    }

    /// A key in a header field.
    public static func apiKey(_ key: String, header name: String = "X-API-Key") -> AuthInterceptor {
        AuthInterceptor(headerName: name, tokenPrefix: nil, tokenProvider: { key })
    }

    /// A key in the query of the URL, where an item of that name is replaced. A header field is the better place, if there is a
    /// choice: URLs stand in the logs of servers.
    public static func apiKey(_ key: String, queryItem name: String) -> AuthInterceptor {
        AuthInterceptor(credentials: QueryCredentials(name: name, key: { key }))
    }

    /// Whatever a closure does to a request: a signature, several header fields.
    ///
    /// - Parameters:
    ///   - authenticate: called before every attempt. What it throws ends the request.
    ///   - onUnauthorized: gets new credentials; nil gives refusals to the caller.
    public static func custom(
        authenticate: @escaping @Sendable (inout URLRequest) async throws -> Void,
        onUnauthorized: (@Sendable () async throws -> Void)? = nil
    ) -> AuthInterceptor {
        AuthInterceptor(credentials: CustomCredentials(apply: authenticate, renew: onUnauthorized))
    }
}

extension UInt8 {
    fileprivate var isControl: Bool { self < 0x20 || self == 0x7F }
}
