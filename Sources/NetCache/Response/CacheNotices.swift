import NetCore

/// Tells the user of a client once why responses are not stored, or are stored more often than need be.
final class CacheNotices: Sendable {
    private struct State {
        var told: Set<String> = []
        var owners: [String: [RequestIdentity]] = [:]
        /// The hosts of responses that could not be removed; nil for all.
        var lost: Set<String?> = []
    }

    private let state = Locked(State())

    /// As many identities of one URL that differ in one custom field let the user know of it.
    private static let manyOwners = 8
    private static let urlLimit = 256

    /// Fields were added to a request behind the cache, so that its response is not stored.
    func tell(of fields: [String], _ call: CacheCall) {
        let names = fields.map { $0 == OwnedChanges.End.url ? "a change of the URL" : $0 }.joined(separator: ", ")
        tell(
            "Responses of \(call.request.url?.host ?? "a host") are not stored: an interceptor behind the cache adds \(names). Add it in "
                + "`adapt` or by an AuthenticationProvider, conform the interceptor to CredentialOwner, or name the partition.",
            call)
    }

    /// Notes whose request it is, to find a custom field that makes every request another owner's.
    func note(_ call: CacheCall) {
        guard call.identity.credentialNames.count > 0 else { return }
        let field = state.withLock { state -> String? in
            if state.owners.count >= Self.urlLimit { state.owners = [:] }
            var known = state.owners[call.key.url] ?? []
            guard known.count < Self.manyOwners, !known.contains(call.identity) else { return nil }
            known.append(call.identity)
            state.owners[call.key.url] = known
            return known.count == Self.manyOwners ? RequestIdentity.onlyDifference(among: known) : nil
        }
        guard let field, !CredentialFields.isStandardCredential(field) else { return }
        tell(
            "\(Self.manyOwners) requests for one URL of \(call.request.url?.host ?? "a host") differ in the field \(field) only, which counts as "
                + "a credential, so that they share no stored response. If it says nothing of the user, add it to harmlessFields.",
            call)
    }

    /// A stored response could not be removed, or none of them for no URL.
    func noteLostInvalidation(of url: String?) {
        state.withLock { state in
            if state.lost.count < Self.urlLimit { _ = state.lost.insert(url.map { URL(string: $0)?.host ?? "a host" }) }
        }
    }

    /// Tells once for each host what could not be removed, with the first call that can.
    func tellOfLostInvalidations(_ context: RequestContext) {
        let lost = state.withLock { state in
            defer { if !state.lost.isEmpty { state.lost = [] } }
            return state.lost
        }
        for host in lost {
            tell(
                "Stored responses\(host.map { " of \($0)" } ?? "") could not be removed from the store. This process does not use them any "
                    + "more; another process with the same store may. Make the store's folder writable, or delete it.",
                context)
        }
    }

    private func tell(_ text: String, _ call: CacheCall) { tell(text, call.next.context) }

    private func tell(_ text: String, _ context: RequestContext) {
        let isNew = state.withLock { state in
            if state.told.count >= Self.urlLimit { state.told = [] }
            return state.told.insert(text).inserted
        }
        if isNew { context.notify(.notice(text)) }
    }
}
