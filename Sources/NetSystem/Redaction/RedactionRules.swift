/// The rules of a ``Redactor``.
package final class RedactionRules: Sendable {
    /// The roles of names by their hashes. A collision is unlikely, and an attacker gains nothing from one.
    private let roles: [UInt64: FieldRole]
    /// Lower-case prefixes of names of header fields whose values may be shown.
    private let headerFamilies: [String]
    let isStrict: Bool

    /// Creates rules. Names in `sensitive…` win over those in `allowed…`.
    ///
    /// - Parameters:
    ///   - isStrict: whether personal data is redacted too: values in bodies, e-mail addresses, numbers and identifiers in paths.
    ///   - harmlessHeaders: lower-case names of header fields whose values may be shown. A name that ends in `-` is a prefix.
    package init(
        isStrict: Bool = false, harmlessHeaders: [String],
        sensitiveHeaders: [String] = [], sensitiveQueryItems: [String] = [], sensitiveFields: [String] = [],
        allowedHeaders: [String] = [], allowedQueryItems: [String] = [], allowedFields: [String] = []
    ) {
        self.isStrict = isStrict
        let families = harmlessHeaders.filter { $0.utf8.last == UInt8(ascii: "-") }
        headerFamilies = families
        var roles: [UInt64: FieldRole] = [:]
        func add(_ role: FieldRole, to names: [String], except others: [String] = []) {
            let others = others.map { FieldNames.hash(of: $0.utf8) }
            for hash in names.map({ FieldNames.hash(of: $0.utf8) }) where !others.contains(hash) {
                roles[hash, default: []].insert(role)
            }
        }
        let (harmless, numbers) = isStrict ? ([], []) : (FieldNames.harmless, FieldNames.numbers)
        let headers = harmlessHeaders.filter { !families.contains($0) } + allowedHeaders
        add(.shownInHeader, to: headers, except: sensitiveHeaders)
        add(.shown, to: harmless + numbers + allowedFields, except: sensitiveFields)
        // The `state` of an OAuth authorization request protects against forgery.
        add(.shownInQuery, to: harmless.filter { $0 != "state" } + allowedQueryItems, except: sensitiveQueryItems)
        add(.shownInQueryIfNumber, to: numbers, except: sensitiveQueryItems)
        add(.errorCode, to: isStrict ? [] : ["code"], except: sensitiveFields)
        add(.errorMessage, to: isStrict ? [] : ["message"], except: sensitiveFields)
        add(.describesError, to: ["error", "errors"])
        add(.secret, to: FieldNames.secretWords + sensitiveFields + sensitiveQueryItems + sensitiveHeaders)
        self.roles = roles
    }

    /// Whether the value of a header field of this name may be shown.
    func showsHeader(_ name: String) -> Bool {
        let role = role(of: name.utf8)
        if role.contains(.shownInHeader) { return true }
        let name = name.asciiLowercased.utf8
        let family = headerFamilies.first { name.starts(with: $0.utf8) }?.utf8
        guard !role.contains(.secret), let family, name.count > family.count else { return false }
        return !isSecret(name.dropFirst(family.count))
    }

    /// Returns the roles of a name, except that a longer name may be secret too: see ``isSecret(_:)``.
    func role(of name: some Sequence<UInt8>) -> FieldRole { roles[FieldNames.hash(of: name)] ?? [] }

    /// Whether everything under the name is secret, at any depth.
    func isSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // Real names are shorter. The limit bounds the work for names made long on purpose.
        name.count > 128 || role(of: name).contains(.secret) || FieldNames.hasSecretStem(name)
    }

    func isSecret(_ name: some Sequence<UInt8>) -> Bool { Array(name).withUnsafeBufferPointer { isSecret($0) } }
}

/// What the name of a field says about its value.
struct FieldRole: OptionSet, Sendable {
    let rawValue: UInt16

    /// A string or a number may be shown: in bodies, in queries, in queries if it is a number.
    static let shown = FieldRole(rawValue: 1)
    static let shownInQuery = FieldRole(rawValue: 2)
    static let shownInQueryIfNumber = FieldRole(rawValue: 4)
    /// It may be shown in an object that describes an error, a code if it is a word or a short number.
    static let errorCode = FieldRole(rawValue: 8)
    static let errorMessage = FieldRole(rawValue: 16)
    /// An object describes an error, or an array errors.
    static let describesError = FieldRole(rawValue: 32)
    /// Everything inside is secret.
    static let secret = FieldRole(rawValue: 64)
    /// The name itself is a secret by its form.
    static let isSecretItself = FieldRole(rawValue: 128)
    /// The value of a header field may be shown.
    static let shownInHeader = FieldRole(rawValue: 256)
}

/// The names of harmless and of secret fields.
package enum FieldNames {
    /// Whether a name, in any case and with any separators, says that its value is secret.
    package static func isSecret(_ name: String) -> Bool { rules.isSecret(name.utf8) }

    private static let rules = RedactionRules(harmlessHeaders: [])

    /// Returns the hash (FNV-1a) of a name in lower case without separators: `API_Key`, `api-key` and `apiKey` are equal.
    static func hash(of name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name where !isSeparator(byte) {
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }

    /// Whether a secret stem is somewhere in a name.
    static func hasSecretStem(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let seconds = stemSeconds
        var (previous, start) = (UInt8(0), 0)
        for (place, byte) in name.enumerated() where !isSeparator(byte) {
            let byte = byte.asciiLowercased
            if seconds[Int(previous)] >> UInt64(byte & 63) & 1 == 1,
                stems[Int(previous)].contains(where: { has($0, in: name, at: start) })
            {
                return true
            }
            (previous, start) = (byte, place)
        }
        return false
    }

    private static func has(_ stem: [UInt8], in name: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        var place = start
        for byte in stem {
            while place < name.count, isSeparator(name[place]) { place += 1 }
            guard place < name.count, name[place].asciiLowercased == byte else { return false }
            place += 1
        }
        return true
    }

    @inline(__always)
    static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    /// The secret stems by their first byte.
    private static let stems = (0...UInt8.max).map { byte in
        secretStems.map { [UInt8]($0.utf8) }.filter { $0[0] == byte }
    }

    /// A bit for each possible second byte (modulo 64), by the first: few pairs in a name start a stem.
    private static let stemSeconds = stems.map { $0.reduce(0 as UInt64) { $0 | 1 << UInt64($1[1] & 63) } }

    /// The words that make a name secret wherever they are in it, at least two bytes each.
    static let secretStems = [
        "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "credential", "apikey", "accesskey",
        "privatekey", "signingkey", "encryptionkey", "masterkey", "authkey", "authorization", "authcode", "session",
        "cookie", "jwt", "bearer", "signature", "pincode", "cardnumber", "creditcard", "debitcard", "securitycode",
        "cvv", "cvc", "iban", "socialsecurity", "clientassertion", "samlresponse", "verifier", "csrf", "xsrf",
        "onetime", "sessid", "accountkey", "sharedkey", "sharedaccess", "storagekey", "subscriptionkey", "functionkey",
        "deploykey", "sshkey", "mfacode", "otpcode", "smscode", "verificationcode", "confirmationcode", "resetcode",
        "logincode", "devicecode", "usercode", "twofactor", "magiclink", "resetlink", "loginlink", "connectionstring",
        "recoverycode", "backupcode", "mnemonic", "seedphrase", "securityanswer", "secretanswer", "accountnumber",
        "accountno", "acctnumber", "bankaccount", "routingnumber", "dateofbirth", "birthdate", "birthday", "maidenname",
        "taxid", "nationalid", "passport", "driverslicense", "drivinglicence", "licensenumber",
    ]

    /// Secret only as a whole name, because they are also parts of harmless names.
    static let secretWords = [
        "pass", "pin", "pan", "sid", "sig", "key", "code", "auth", "oauth", "otp", "totp", "mfa", "ssn", "card",
        "nonce", "salt", "pw", "assertion", "dob", "bban", "tin", "nino", "sortcode",
    ]

    /// Body and query fields with harmless meanings: identifiers, names, numbers, states. Their values are scanned nevertheless.
    static let harmless = [
        "id", "ids", "uuid", "username", "name", "title", "type", "kind", "category", "status", "state", "level",
        "role", "size", "order", "sort", "version", "revision", "locale", "language", "lang", "country", "currency",
        "timezone", "unit", "units", "color", "format", "content_type", "mime_type", "media_type", "date", "time",
        "timestamp", "created", "created_at", "updated", "updated_at", "deleted_at", "expires", "expires_at",
        "method", "success", "ok", "error", "error_code", "error_type", "active", "enabled", "visible", "public",
    ]

    /// Fields whose values are numbers. Other values of them are not shown in a query.
    static let numbers = [
        "count", "total", "total_count", "page", "pages", "per_page", "page_size", "limit", "offset", "length", "index",
        "position", "rank", "quantity", "amount", "price", "width", "height", "expires_in", "duration", "status_code",
    ]
}
