/// Decides which header fields of a request say whose it is. These separate stored responses and shared exchanges. Every other field selects
/// a stored response by `Vary` alone (RFC 9111, section 4.1).
///
/// `Authorization`, `Proxy-Authorization` and `Cookie` always do. Of other fields the name decides: it is split at each character that is
/// neither a letter nor a digit, and identifies if a part names a secret or a subject (`token`, `tenant`, `user` …).
package struct IdentifyingFields: Sendable, Hashable {
    /// The fields without the user's changes.
    package static let standard = IdentifyingFields()

    /// The version of the rule. It is part of each key that leaves the process, so that a response stored under an older rule is never found.
    static let version = "2"
    private let identifying: FieldNameTable
    private let shared: FieldNameTable
    /// In lower case.
    private let sharedPrefixes: Set<[UInt8]>

    /// Creates the rule with changes.
    ///
    /// - Parameters:
    ///   - identifying: the names of further fields that identify, in any case. They win over all other lists.
    ///   - shared: the names of fields that do not, in any case. `x-foo-*` stands for all names that begin with `x-foo-`.
    ///     `Authorization`, `Proxy-Authorization` and `Cookie` identify even if they are listed.
    package init(identifying: some Collection<String> = [], shared: some Collection<String> = []) {
        self.identifying = FieldNameTable(identifying.map(\.self) + KnownField.requestCredentials)
        let families = shared.filter { $0.utf8.last == UInt8(ascii: "*") }
        self.shared = FieldNameTable(shared.filter { !families.contains($0) })
        sharedPrefixes = Set(families.map { Array($0.asciiLowercased.utf8.dropLast()) })
    }

    /// Whether a field of this name says whose the request is, regardless of case.
    package func contains(_ name: String) -> Bool {
        name.withASCIIBytes { name in
            if identifying.contains(name) { return true }
            if Self.exceptions.contains(name) || shared.contains(name) { return false }
            guard Self.namesIdentity(name) else { return false }
            return !sharedPrefixes.contains { $0.withUnsafeBufferPointer { name.hasLowercasePrefix($0) } }
        }
    }

    /// Whether a part of the name is one of ``words``.
    private static func namesIdentity(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var isFound = false
        /// Whether the part before this one is `act`, or `user`.
        var (followsAct, followsUser) = (false, false)
        var start = 0
        while start < name.count {
            var end = start
            while end < name.count, name[end].isAlphanumeric { end += 1 }
            let part = UnsafeBufferPointer(rebasing: name[start..<end])
            start = end + 1
            guard !part.isEmpty else { continue }
            if forgeryWords.contains(part) { return false }
            // The two words of `User-Agent` name a program.
            if followsUser, !part.isLowercaseEqual("agent") { isFound = true }
            if followsAct, part.isLowercaseEqual("as") { isFound = true }
            followsAct = part.isLowercaseEqual("act")
            followsUser = part.isLowercaseEqual("user")
            if !followsUser, words.contains(part) { isFound = true }
        }
        return isFound || followsUser
    }

    /// The words that name a secret or a subject.
    private static let words = FieldNameTable(
        """
        token jwt assertion key secret password passwd credential credentials auth authorization authenticated oidc signature
        session sid user uid email account tenant org organization organisation workspace team company project store shop
        merchant realm member customer profile subject principal actor identity role group impersonate impersonation sudo behalf
        apikey accesstoken authtoken idtoken userid username accountid tenantid sessionid
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// A field against forged requests accompanies a session, and does not identify a user.
    private static let forgeryWords = FieldNameTable(["csrf", "xsrf", "csrftoken", "xsrftoken"])

    /// Fields with such a word that name neither a secret nor a subject: of RFC 6455, RFC 9421 (a request for a signature), Fetch Metadata,
    /// idempotency keys, cache tags, paging and flags of some SDKs. The fields of RFC 9110 and 9111 are found here first.
    private static let exceptions = FieldNameTable(
        KnownField.harmlessNames
            + """
            sec-websocket-key accept-signature want-signature sec-fetch-user idempotency-key x-idempotency-key
            x-amz-idempotency-token x-ms-idempotency-key paypal-idempotency-key idempotency-token x-idempotency-token
            accept-profile content-profile x-wap-profile surrogate-key x-surrogate-key cache-key x-cache-key x-twitter-active-user x-parse-revocable-session
            """.split(whereSeparator: \.isWhitespace).map(String.init))
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are the text, which is in lower case, regardless of their own case.
    fileprivate func isLowercaseEqual(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && hasLowercasePrefix(text)
    }
}
