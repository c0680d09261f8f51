/// Decides which origins may receive credentials. Redirects, authentication, challenges and signatures use it.
package struct CredentialScope: Hashable, Sendable {
    /// Allowed hosts besides the call's first origin, in lower case: `cdn.example.com`, or `cdn.example.com:8443`.
    private let hosts: Set<String>

    /// - Parameter hosts: host names, optionally with a port. Subdomains are not included.
    package init(hosts: some Sequence<String> = []) { self.hosts = Set(hosts.map(\.asciiLowercased)) }

    /// Whether the URL has another origin (scheme, host, port) than the start of its call.
    package static func isCrossOrigin(_ url: URL?, from start: URL?) -> Bool {
        guard let start, let url, !haveSameStorage(url, start), url != start else { return false }
        return url.origin != start.origin
    }

    /// Whether a URL is in the scope: it has the origin of the call's start, or a listed host.
    ///
    /// A listed host matches at its scheme's default port or at the listed port, and never over plain `http` if the call started with `https`.
    ///
    /// - Parameter start: the URL at which the call started, before redirects, or nil if unknown.
    package func permits(_ url: URL?, from start: URL?) -> Bool {
        Self.isCrossOrigin(url, from: start) ? includesHost(of: url, from: start) : true
    }

    /// Whether the URL's host is listed, under the rules above if the call started elsewhere.
    package func includesHost(of url: URL?, from start: URL?) -> Bool {
        guard !hosts.isEmpty, let target = url?.origin else { return false }
        if hosts.contains("\(target.host):\(target.port)") { return target.isAsSecure(as: start?.origin) }
        guard hosts.contains(target.host) else { return false }
        guard Self.isCrossOrigin(url, from: start) else { return true }
        return target.port == (target.scheme == "https" ? 443 : 80) && target.isAsSecure(as: start?.origin)
    }

    package var isEmpty: Bool { hosts.isEmpty }
}

extension Next {
    /// Whether the request has another origin than the start of its call.
    package func isCrossOrigin(_ request: URLRequest) -> Bool {
        CredentialScope.isCrossOrigin(request.url, from: context.origin)
    }
}

extension Origin {
    fileprivate func isAsSecure(as start: Origin?) -> Bool { scheme == "https" || scheme == start?.scheme ?? scheme }
}

/// An interceptor that adds credentials after the cache and can name their owner, such as a signer or middleware with its own key.
///
/// The client asks it before the cache lookup, and includes the answer in the request's ``RequestIdentity``. The response can then be stored although
/// the interceptor changes the request. Without this conformance it is not stored, since the cache cannot tell whose response it is.
///
/// After a redirect to another origin, the client removes the credentials that interceptors add: header fields that are not known to be
/// harmless, and query items. It keeps those of an interceptor that names an owner for the new URL.
///
/// ```swift
/// struct TenantMiddleware: HTTPInterceptor, CredentialOwner {
///     let tenant: String
///
///     func owner(for url: URL) -> String? { url.host == "api.example.com" ? tenant : nil }
///
///     func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
///         var request = request
///         request.setValue(tenant, forHTTPHeaderField: "X-Tenant")
///         return try await next(request)
///     }
/// }
/// ```
public protocol CredentialOwner: Sendable {
    /// Returns the stable name of the owner of the credentials sent to a URL, such as a key ID or a user, or nil if none may be added there.
    ///
    /// Called for each request, so answer from memory. The name must not be a secret.
    func owner(for url: URL) -> String?
}

/// An interceptor that must see the final request. The client places it after all other interceptors.
package protocol FinalInterceptor: HTTPInterceptor {}

/// The header fields that interceptors with a ``CredentialOwner`` added to the request, in lower case.
enum OwnedFieldNamesKey: RequestContext.Key { static let defaultValue: Set<String> = [] }

/// The request that an interceptor with a ``CredentialOwner`` got, until it sends it on.
private enum OwnedStartKey: RequestContext.Key { static let defaultValue: URLRequest? = nil }

// What an interceptor with a `CredentialOwner` adds: between the request that it gets and the one that it sends on.
extension Next {
    mutating func beginOwnedChanges(at request: URLRequest) {
        // Without an owner for this URL, what it adds is not owned.
        guard let owner, let url = request.url, owner.owner(for: url) != nil else { return }
        context[OwnedStartKey.self] = request
    }

    mutating func endOwnedChanges(at request: URLRequest) {
        guard owner != nil, let start = context[OwnedStartKey.self] else { return }
        context[OwnedStartKey.self] = nil
        let changes = RequestChanges(from: start, to: request)
        context[OwnedFieldNamesKey.self].formUnion(changes.fields.map(\.asciiLowercased))
        if changes.hasOtherURL { context[OwnedFieldNamesKey.self].insert(RequestChanges.url) }
    }
}

package struct RequestChanges {
    /// Represents the URL among field names, which cannot contain a colon.
    package static let url = ":url"

    /// The names of the added, removed and changed fields.
    package let fields: [String]
    package let hasOtherURL: Bool

    package init(from start: URLRequest, to end: URLRequest) {
        guard !haveSameStorage(start, end) else {
            (hasOtherURL, fields) = (false, [])
            return
        }
        hasOtherURL = start.url != end.url
        let before = start.allHTTPHeaderFields ?? [:]
        let after = end.allHTTPHeaderFields ?? [:]
        // Compares dictionaries, because Foundation's comparison of requests ignores header fields.
        fields =
            before == after
            ? []
            : after.filter { before.value(of: $0.key) != $0.value }.map(\.key)
                + before.keys.filter { after.value(of: $0) == nil }
    }
}

extension [String: String] {
    /// Returns the value of a field, regardless of the case of its name. Foundation keeps names as they were given.
    package func value(of name: String) -> String? {
        if let value = self[name] { return value }
        for (key, value) in self where key.equalsIgnoringASCIICase(name) { return value }
        return nil
    }
}
