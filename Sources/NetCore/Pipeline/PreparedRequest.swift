/// A request with all that the client adds before the cache: default fields, cookies, credentials, and the changes of hooks.
///
/// A class, because the context, the response and the cache share one instance.
package final class PreparedRequest: Sendable {
    /// The request of the hop before preparation.
    package let unprepared: URLRequest
    package let unpreparedBody: HTTPBody?
    /// The request after preparation, without its body.
    package let request: URLRequest
    package let body: HTTPBody?
    private let parts: IdentityParts
    private let identifying: IdentifyingFields
    /// The generation of each source's credentials in the request, or nil for a source that added none.
    package let generations: [UInt64?]
    /// The error of the preparation. It is thrown to the caller only if the request has to be sent.
    package let error: (any Error)?
    /// Whether credentials and hooks were left out because a stored response is likely to answer.
    package let isDeferred: Bool

    /// Whether the request can be sent as it is.
    package var isReady: Bool { !isDeferred && error == nil }

    package init(
        unprepared: URLRequest, unpreparedBody: HTTPBody?, request: URLRequest, body: HTTPBody?,
        parts: IdentityParts, identifying: IdentifyingFields, generations: [UInt64?] = [], error: (any Error)? = nil,
        isDeferred: Bool = false
    ) {
        self.unprepared = unprepared
        self.unpreparedBody = unpreparedBody
        self.request = request
        self.body = body
        self.parts = parts
        self.identifying = identifying
        self.generations = generations
        self.error = error
        self.isDeferred = isDeferred
    }
}

extension PreparedRequest {
    /// What the identity is made of, besides the credentials in the request.
    package struct IdentityParts: Sendable {
        /// The stable name, or nil to use the credentials.
        package var name: String?
        /// Whether the credentials are unknown because a hook threw or there are none yet.
        package var isUnknown = false
        /// The names that interceptors nearer to the transport give.
        package var credentialOwners: [String] = []
        package var connection: String?
        /// The fields that a source of credentials added, in lower case, besides the fields that identify by their name.
        package var credentials: [String] = []
        /// Whether the `Cookie` field is the store's.
        package var hasStoredCookies = false
        /// Nil if the store's cookies do not distinguish users.
        package var cookies: RequestIdentity.CookieScope?

        package init() {}
    }

    /// The identity of the request. Computed at each access.
    package var identity: RequestIdentity {
        let ignored = parts.hasStoredCookies ? "Cookie" : nil
        var identity: RequestIdentity =
            parts.isUnknown && parts.name == nil
            ? .unknown : RequestIdentity(of: request, name: parts.name, fields: identifies, ignoring: ignored)
        (identity.credentialOwners, identity.connection, identity.cookies) = (
            parts.credentialOwners, parts.connection, parts.cookies
        )
        return identity
    }

    /// Whether a field of the request says whose it is, in any case of its name.
    package func identifies(_ name: String) -> Bool {
        identifying.contains(name) || parts.credentials.contains { $0.equalsIgnoringASCIICase(name) }
    }
}

/// Prepares requests with the client's default fields, cookies, credentials and hooks.
package protocol RequestPreparing: AnyObject, Sendable {
    /// - Parameter isSending: whether the request is about to be sent, so that nothing may be left out.
    func prepare(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext, isSending: Bool
    ) async -> PreparedRequest

    /// Decides which fields may follow a redirect to another origin.
    var fields: CredentialFields { get }

    /// The origin of the client's base URL, to which the client's own credentials belong, or nil without a base URL.
    var baseOrigin: Origin? { get }

    /// The statuses that the client accepts, also of stored responses; nil for 200 to 299.
    var acceptedStatusCodes: [ClosedRange<Int>]? { get }
}

/// The fields that select the stored response (`Vary`), in lower case, if the cache added conditions to validate one; else nil.
package enum ValidationKey: RequestContext.Key {
    package static let defaultValue: [String]? = nil
    fileprivate static let conditionalFields = ["If-None-Match", "If-Modified-Since", "If-Range", "Range"]
}

extension Next {
    /// Prepares the hop's request again, for a later attempt or because its credentials have changed, and sets ``body`` and ``context``.
    /// Changes made since the first preparation (a cache's conditions, an idempotency key, another URL) are applied again. The cache's
    /// conditions are dropped if the identity, the URL, the method or a selecting field has changed: they then belong to another response.
    ///
    /// - Throws: the error of a hook or a source of credentials.
    package mutating func prepareAgain(_ request: URLRequest) async throws -> URLRequest {
        guard let preparer = context.pipeline.preparer, let prepared = context.pipeline.prepared else { return request }
        let again = await preparer.prepare(
            prepared.unprepared, body: prepared.unpreparedBody, context: context, isSending: true)
        if let error = again.error { throw error }
        let all = RequestChanges(from: prepared.request, to: request)
        var changes = all.fields
        if let fields = context[ValidationKey.self], !again.mayValidate(prepared, selectedBy: fields) {
            changes.removeAll { ValidationKey.conditionalFields.contains(where: $0.equalsIgnoringASCIICase) }
        }
        var result = again.request
        if all.hasOtherURL { result.url = request.url }
        for name in changes { result.setValue(request.value(forHTTPHeaderField: name), forHTTPHeaderField: name) }
        result.timeoutInterval = request.timeoutInterval
        body = again.body
        context.pipeline.prepared = again
        return result
    }
}

extension PreparedRequest {
    /// Whether this request may validate a stored response to the other.
    fileprivate func mayValidate(_ other: PreparedRequest, selectedBy fields: [String]) -> Bool {
        identity == other.identity && request.url == other.request.url
            && request.httpMethod == other.request.httpMethod
            && fields.allSatisfy {
                request.value(forHTTPHeaderField: $0) == other.request.value(forHTTPHeaderField: $0)
            }
    }
}

extension TransportResponse {
    /// Returns the names of fields that were added after preparation by an interceptor without a ``CredentialOwner``, and that select a response:
    /// fields that identify, and fields in `Vary`. `:url` stands for a changed URL.
    ///
    /// - Parameter seen: the request to compare with if the client prepared none.
    package func unownedAdditions(to seen: URLRequest, selecting: [String] = []) -> [String] {
        // An interceptor answered without sending the request.
        guard let sent = request else { return [] }
        let changes = RequestChanges(from: pipeline.prepared?.request ?? seen, to: sent)
        guard changes.hasOtherURL || !changes.fields.isEmpty else { return [] }
        let identifies = pipeline.prepared?.identifies ?? IdentifyingFields.standard.contains
        var names = changes.fields.map(\.asciiLowercased).filter { name in
            !pipeline.ownedFields.contains(name) && (identifies(name) || selecting.contains(name))
        }
        if changes.hasOtherURL, !pipeline.ownedFields.contains(RequestChanges.url) { names.append(RequestChanges.url) }
        return names.sorted()
    }
}

extension RequestContext {
    /// Returns the identity of the call's request: as prepared, or from the request's own fields and ``partition``.
    package func identity(of request: URLRequest) -> RequestIdentity {
        pipeline.prepared?.identity ?? RequestIdentity(of: request, name: partition)
    }
}
