/// An interceptor that adds credentials after the cache and can name their owner, such as a signer or middleware with its own key.
///
/// The client asks it before the cache lookup, and includes the answer in the request's ``RequestIdentity``. The response can then be
/// stored although the interceptor changes the request. Without this conformance it is not stored, since the cache cannot tell whose
/// response it is.
///
/// ```swift
/// struct TenantMiddleware: HTTPInterceptor, CredentialOwner {
///     let tenant: String
///
///     func owner(for url: URL) -> String? { tenant }
///
///     func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
///         var request = request
///         request.setValue(tenant, forHTTPHeaderField: "X-Tenant")
///         return try await next(request)
///     }
/// }
/// ```
public protocol CredentialOwner: Sendable {
    /// Returns the stable name of the owner of the credentials sent to a URL, such as a key ID or a user, or nil if none are added there.
    ///
    /// Called for each request, so answer from memory. The name must not be a secret.
    func owner(for url: URL) -> String?
}

/// An interceptor that must see the final request. The client places it after all other interceptors.
package protocol FinalInterceptor: HTTPInterceptor {}

/// The header fields that interceptors with a ``CredentialOwner`` added to the request, in lower case.
enum OwnedFieldsKey: RequestContextKey {
    static let defaultValue: Set<String> = []
}

/// Wraps an interceptor that names an owner. Together with ``End``, which follows it, records what the interceptor adds.
package struct OwnedChanges: HTTPInterceptor {
    private let base: any HTTPInterceptor

    private enum StartKey: RequestContextKey {
        static let defaultValue: URLRequest? = nil
    }

    package init(_ base: any HTTPInterceptor) {
        self.base = base
    }

    package var handlesUpgrades: Bool { base.handlesUpgrades }

    package func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        next.context[StartKey.self] = request
        return try await base.intercept(request, next: next)
    }

    /// Records the changes since the wrapped interceptor.
    package struct End: HTTPInterceptor {
        package init() {}

        package func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            var next = next
            if let start = next.context[StartKey.self] {
                let changes = RequestChanges(from: start, to: request)
                var owned = next.context[OwnedFieldsKey.self]
                owned.formUnion(changes.fields.map(\.asciiLowercased))
                if changes.hasOtherURL { owned.insert(Self.url) }
                next.context[OwnedFieldsKey.self] = owned
                next.context[StartKey.self] = nil
            }
            return try await next(request)
        }

        /// Represents the URL among field names, which cannot contain a colon.
        package static let url = ":url"
    }
}

/// The differences between two requests.
package struct RequestChanges {
    /// The names of the added, removed and changed fields.
    package let fields: [String]
    package let hasOtherURL: Bool

    package init(from start: URLRequest, to end: URLRequest) {
        hasOtherURL = start.url != end.url
        let before = start.allHTTPHeaderFields ?? [:]
        let after = end.allHTTPHeaderFields ?? [:]
        // Compares dictionaries, because Foundation's comparison of requests ignores header fields.
        guard before != after else {
            fields = []
            return
        }
        var names: [String] = []
        for (name, value) in after where before.value(of: name) != value { names.append(name) }
        for name in before.keys where after.value(of: name) == nil { names.append(name) }
        fields = names
    }
}

extension [String: String] {
    /// The value of a field, regardless of the case of its name. Foundation keeps names as they were given.
    package func value(of name: String) -> String? {
        if let value = self[name] { return value }
        for (key, value) in self where key.equalsIgnoringASCIICase(name) { return value }
        return nil
    }
}
