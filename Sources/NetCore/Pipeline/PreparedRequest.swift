/// A request as the client has completed it before the cache: default fields, cookies, credentials, and what the hooks made of it.
///
/// A class, since the context, the response and the cache all refer to the one that was sent.
package final class PreparedRequest: Sendable {
    /// The request of the hop before it was prepared.
    package let unprepared: URLRequest
    package let unpreparedBody: HTTPBody?
    /// The request as prepared, without its body.
    package let request: URLRequest
    package let body: HTTPBody?
    private let owner: Owner
    package let fields: CredentialFields
    /// The generations of the credentials in it, one for each source; nil for a source that added none.
    package let generations: [UInt64?]
    /// What preparing it has thrown. It is thrown to the caller only if the request has to be sent.
    package let error: (any Error)?
    /// Whether credentials and hooks were left out, since a stored response is likely to answer.
    package let isDeferred: Bool

    /// Whether it can be sent as it is.
    package var isReady: Bool { !isDeferred && error == nil }

    package init(
        unprepared: URLRequest, unpreparedBody: HTTPBody?, request: URLRequest, body: HTTPBody?,
        owner: Owner, fields: CredentialFields, generations: [UInt64?] = [], error: (any Error)? = nil,
        isDeferred: Bool = false
    ) {
        self.unprepared = unprepared
        self.unpreparedBody = unpreparedBody
        self.request = request
        self.body = body
        self.owner = owner
        self.fields = fields
        self.generations = generations
        self.error = error
        self.isDeferred = isDeferred
    }
}

extension PreparedRequest {
    /// What is known of the owner beside the credentials in the request.
    package struct Owner: Sendable {
        /// The stable name; nil to go by the credentials.
        let name: String?
        /// Whether the credentials are not known, since a hook threw or there are none yet.
        let isUnknown: Bool
        /// What interceptors further in say.
        let names: [String]
        let connection: String?
        /// Nil where the store's cookies tell no users apart.
        let cookies: RequestIdentity.CookieScope?

        package init(
            name: String?, isUnknown: Bool, names: [String], connection: String?, cookies: RequestIdentity.CookieScope?
        ) {
            self.name = name
            self.isUnknown = isUnknown
            self.names = names
            self.connection = connection
            self.cookies = cookies
        }
    }

    /// Whose request it is. Worked out at each access: ask once.
    package var identity: RequestIdentity {
        let identity: RequestIdentity =
            owner.isUnknown && owner.name == nil
            ? .unknown
            : RequestIdentity(
                of: request, name: owner.name, fields: fields, ignoring: owner.cookies == nil ? nil : "Cookie")
        return identity.adding(owners: owner.names, connection: owner.connection, cookies: owner.cookies)
    }

    /// Whether a field was the caller's own, and not added when the request was prepared.
    package func isCallers(_ name: String) -> Bool {
        let value = request.value(forHTTPHeaderField: name)
        return value != nil && unprepared.value(forHTTPHeaderField: name) == value
    }
}

/// Prepares requests: the client's part that knows its default fields, cookies, credentials and hooks.
package protocol RequestPreparing: AnyObject, Sendable {
    /// - Parameter isSending: whether the request is about to be sent, so that nothing is left out.
    func prepare(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext, isSending: Bool
    ) async -> PreparedRequest

    /// Whether hooks of this type are asked by ``prepare(_:body:context:isSending:)``, and so not where they stand in the list.
    func adapts(_ type: any HTTPInterceptor.Type) -> Bool

    /// Decides which fields are credentials.
    var fields: CredentialFields { get }

    /// The origin of the client's base URL, to which the client's own credentials belong; nil for a client without one.
    var baseOrigin: Origin? { get }
}

/// What the cache added to a request to have a stored response validated.
package struct CacheConditions: Sendable {
    /// The fields that select a variant of the stored response, in lower case.
    package let selectingFields: [String]

    package init(selectingFields: [String]) {
        self.selectingFields = selectingFields
    }

    static let conditionalFields = ["If-None-Match", "If-Modified-Since", "If-Range", "Range"]
}

/// The conditions that the cache added; nil if it added none.
package enum CacheConditionsKey: RequestContextKey {
    package static let defaultValue: CacheConditions? = nil
}

extension Next {
    /// Prepares the request again, from the one that the hop started with, for a later attempt or because its credentials have changed.
    /// What was changed since the preparation (a cache's conditions, an idempotency key) is applied again.
    ///
    /// Conditions of the cache are left out if the identity, the URL, the method or a field that selects a variant is another one now:
    /// they are about another response.
    ///
    /// - Parameter request: as it was handed on after the first preparation.
    /// - Returns: the request to send. ``body`` and ``context`` are set to what belongs to it.
    /// - Throws: what a hook or a source of credentials has thrown.
    package mutating func prepareAgain(_ request: URLRequest) async throws -> URLRequest {
        guard let preparer = context.preparer, let prepared = context.prepared else { return request }
        let again = await preparer.prepare(
            prepared.unprepared, body: prepared.unpreparedBody, context: context, isSending: true)
        if let error = again.error { throw error }
        var changes = RequestChanges(from: prepared.request, to: request).fields
        if let conditions = context[CacheConditionsKey.self], again.isAbout(prepared, conditions) == false {
            changes.removeAll { name in
                CacheConditions.conditionalFields.contains { $0.equalsIgnoringASCIICase(name) }
            }
        }
        var result = again.request
        for name in changes { result.setValue(request.value(forHTTPHeaderField: name), forHTTPHeaderField: name) }
        result.timeoutInterval = request.timeoutInterval
        body = again.body
        context.prepared = again
        return result
    }
}

extension PreparedRequest {
    /// Whether a stored response for the other request may be validated by this one.
    fileprivate func isAbout(_ other: PreparedRequest, _ conditions: CacheConditions) -> Bool {
        identity == other.identity && request.url == other.request.url
            && request.httpMethod == other.request.httpMethod
            && conditions.selectingFields.allSatisfy {
                request.value(forHTTPHeaderField: $0) == other.request.value(forHTTPHeaderField: $0)
            }
    }
}

extension TransportResponse {
    /// The names of fields that select a response and were added to the request after it was prepared, by nothing that says whose they
    /// are: credentials, and those that `Vary` names. `:url` stands for another URL.
    ///
    /// - Parameters:
    ///   - seen: the request as the one who asks saw it: used where the client prepared none.
    ///   - selecting: the fields that `Vary` names, in lower case.
    package func unownedAdditions(to seen: URLRequest, selecting: [String] = []) -> [String] {
        // Where an interceptor answered by itself, nothing went out.
        guard let sent = request else { return [] }
        let changes = RequestChanges(from: prepared?.request ?? seen, to: sent)
        guard changes.hasOtherURL || !changes.fields.isEmpty else { return [] }
        let fields = prepared?.fields ?? .standard
        var names = changes.fields.map(\.asciiLowercased).filter { name in
            !ownedFields.contains(name) && (fields.isCredential(name) || selecting.contains(name))
        }
        if changes.hasOtherURL, !ownedFields.contains(OwnedChanges.End.url) { names.append(OwnedChanges.End.url) }
        return names.sorted()
    }
}

extension RequestContext {
    /// The identity of the call's request: as prepared, else by the request's own fields and ``partition``.
    package func identity(of request: URLRequest) -> RequestIdentity {
        prepared?.identity ?? RequestIdentity(of: request, name: partition)
    }
}
