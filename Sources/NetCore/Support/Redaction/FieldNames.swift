/// The names by which fields are known to be harmless, or secret.
enum FieldNames {
    /// In lower case and without what people put between words: `API_Key`, `api-key` and `apiKey` are one.
    static func normalized(_ name: some Sequence<UInt8>) -> [UInt8] {
        name.compactMap { isSeparator($0) ? nil : $0.asciiLowercased }
    }

    @inline(__always)
    static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    /// Whether a name says that what it names is secret, whatever its case and separators.
    static func isSecret(_ name: String) -> Bool {
        let normalized = normalized(name.utf8)
        return normalized.withUnsafeBufferPointer {
            isSecret(normalized: $0, hash: FieldNameSet.hash(ofNormalized: normalized))
        }
    }

    /// Whether a name says that what it names is secret.
    static func isSecret(normalized name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool {
        if secretWords.contains(hash) { return true }
        for start in name.indices {
            let letter = Int(name[start]) - Int(UInt8(ascii: "a"))
            guard letter >= 0, letter < stemsByLetter.count else { continue }
            let rest = UnsafeBufferPointer(rebasing: name[start...])
            if stemsByLetter[letter].contains(where: { rest.starts(with: $0) }) { return true }
        }
        return false
    }

    private static let stemsByLetter: [[[UInt8]]] = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { letter in
        secretStems.map { Array($0.utf8) }.filter { $0.first == letter }
    }

    /// Secret wherever they stand in a name.
    private static let secretStems = [
        "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "credential", "apikey", "accesskey",
        "privatekey", "signingkey", "encryptionkey", "masterkey", "authkey", "authorization", "authcode", "session",
        "cookie", "jwt", "bearer", "signature", "pincode", "cardnumber", "creditcard", "debitcard", "securitycode",
        "cvv", "cvc", "iban", "socialsecurity", "clientassertion", "samlresponse", "verifier", "csrf", "xsrf",
        "onetime",
        "sessid", "accountkey", "sharedkey", "sharedaccess", "storagekey", "subscriptionkey", "functionkey",
        "deploykey", "sshkey",
        "mfacode", "otpcode", "smscode", "verificationcode", "confirmationcode", "resetcode", "logincode", "devicecode",
        "usercode", "twofactor",
        "magiclink", "resetlink", "loginlink", "connectionstring", "recoverycode", "backupcode", "mnemonic",
        "seedphrase",
    ]

    /// Secret as the whole name, being parts of harmless ones.
    private static let secretWords = FieldNameSet([
        "pass", "pin", "pan", "sid", "sig", "key", "code", "auth", "oauth", "otp", "totp", "mfa", "ssn", "card",
        "nonce",
        "salt", "pw", "assertion",
    ])

    /// Items of bodies and queries that hold no secret by what they mean: identifiers, names of things, numbers, states. Their values
    /// are scanned all the same.
    static let harmless =
        numbers + [
            "id", "ids", "uuid", "username", "name", "title", "type", "kind", "category", "status", "state", "level",
            "role", "size", "order", "sort", "version", "revision", "locale", "language", "lang", "country", "currency",
            "timezone", "unit", "units", "color", "format", "content_type", "mime_type", "media_type", "date", "time",
            "timestamp", "created", "created_at", "updated", "updated_at", "deleted_at", "expires", "expires_at",
            "method",
            "success", "ok", "error", "error_code", "error_type", "active", "enabled", "visible", "public",
        ]

    /// Those whose values are numbers. A query shows them only if they are.
    static let numbers = [
        "count", "total", "total_count", "page", "pages", "per_page", "page_size", "limit", "offset", "length", "index",
        "position", "rank", "quantity", "amount", "price", "width", "height", "expires_in", "duration", "status_code",
    ]

    /// Harmless in a body, but not in a query: the `state` of an OAuth authorization protects it from forgery.
    static let secretInQueries = ["state"]

    /// Members of an object that describes an error.
    static let errorMembers = ["code", "message"]

    /// Header fields whose values may be shown, without families (`X-RateLimit-…`).
    static let harmlessHeaders = Set(KnownField.all.lazy.filter { $0.value != .withheld && !$0.isFamily }.map(\.name))

    /// Those that say nothing of a device or a person either.
    static let impersonalHeaders = Set(KnownField.all.lazy.filter { $0.value == .shown && !$0.isFamily }.map(\.name))

    /// Families of header fields whose values may be shown: `x-ratelimit-`.
    static let harmlessFamilies = KnownField.all.filter { $0.value != .withheld && $0.isFamily }.map(\.name)

    /// Those that say nothing of a device or a person either.
    static let impersonalFamilies = KnownField.all.filter { $0.value == .shown && $0.isFamily }.map(\.name)
}
