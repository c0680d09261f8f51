/// An interceptor that adds credentials below the cache, and can say whose they are: a signer, middleware with a key of its own.
///
/// The client asks it before the cache looks anything up, and makes its answer part of the request's ``RequestIdentity``. What the
/// interceptor then adds to the request does not prevent the response from being stored. Without this conformance it does, since the
/// cache cannot tell whose the response is.
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
    /// The stable name of the owner of the credentials that go to a URL, such as a key ID or a user; nil if none are added there.
    ///
    /// Called for each request: answer from memory. The name must not be a secret.
    func owner(for url: URL) -> String?
}

/// An interceptor that has to see the final request, so that the client places it behind all other interceptors.
package protocol FinalInterceptor: HTTPInterceptor {}

/// The header fields that interceptors with a ``CredentialOwner`` have added to the request, in lower case.
enum OwnedFieldsKey: RequestContextKey {
    static let defaultValue: Set<String> = []
}

/// Stands in front of an interceptor that names an owner, and with ``End`` behind it notes what that adds.
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

    /// Notes what was added since the beginning.
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

        /// Stands for the URL among the names of fields, none of which has this form.
        package static let url = ":url"
    }
}

/// How a request differs from another one.
package struct RequestChanges {
    /// The names of the fields that were added, removed or changed.
    package let fields: [String]
    package let hasOtherURL: Bool

    package init(from start: URLRequest, to end: URLRequest) {
        hasOtherURL = start.url != end.url
        let before = start.allHTTPHeaderFields ?? [:]
        let after = end.allHTTPHeaderFields ?? [:]
        // Compared as dictionaries: Foundation's comparison of requests overlooks header fields.
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
    /// The value of a field, whatever the case of its name. Foundation keeps the names of a request as they were given.
    package func value(of name: String) -> String? {
        if let value = self[name] { return value }
        for (key, value) in self where key.equalsIgnoringASCIICase(name) { return value }
        return nil
    }
}
