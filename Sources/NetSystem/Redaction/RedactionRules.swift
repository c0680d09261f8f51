/// The rules of a ``Redactor``.
package final class RedactionRules: Sendable {
    /// The extent of redaction.
    package enum Strictness: Hashable, Sendable {
        /// Redacts secrets.
        case standard
        /// Also redacts personal data: values in bodies, e-mail addresses, numbers and identifiers in paths.
        case strict
    }

    /// Lower-case names of header fields whose values may be shown.
    private let headers: Set<String>
    /// Lower-case prefixes of further ones, and the exceptions.
    private let headerFamilies: [String]
    private let sensitiveHeaders: Set<String>
    /// Names of query items whose values may be shown.
    let queryItems: FieldNameSet
    /// Names of query items whose values may be shown if they are numbers.
    let queryNumbers: FieldNameSet
    /// Names of fields in bodies whose values may be shown.
    let fields: FieldNameSet
    /// Names of fields whose values may be shown in an object that describes an error.
    let errorMembers: FieldNameSet
    /// Secret names in addition to ``FieldNames``.
    private let secretFields: FieldNameSet
    let isStrict: Bool

    /// Creates rules. Names in `sensitive…` win over those in `allowed…`.
    ///
    /// - Parameter harmlessHeaders: lower-case names of header fields whose values may be shown. A name that ends in `-` is a prefix.
    package init(
        strictness: Strictness = .standard, harmlessHeaders: [String],
        sensitiveHeaders: [String] = [], sensitiveQueryItems: [String] = [], sensitiveFields: [String] = [],
        allowedHeaders: [String] = [], allowedQueryItems: [String] = [], allowedFields: [String] = []
    ) {
        isStrict = strictness == .strict
        self.sensitiveHeaders = Set(sensitiveHeaders.map(\.asciiLowercased))
        headers = Set(harmlessHeaders.filter { $0.utf8.last != UInt8(ascii: "-") })
            .union(allowedHeaders.map(\.asciiLowercased)).subtracting(self.sensitiveHeaders)
        headerFamilies = harmlessHeaders.filter { $0.utf8.last == UInt8(ascii: "-") }
        let harmless = isStrict ? [] : FieldNames.harmless
        let notInQueries = FieldNames.numbers + FieldNames.secretInQueries
        queryItems = FieldNameSet(
            harmless.filter { !notInQueries.contains($0) } + allowedQueryItems, except: sensitiveQueryItems)
        queryNumbers = FieldNameSet(isStrict ? [] : FieldNames.numbers, except: sensitiveQueryItems)
        fields = FieldNameSet(harmless + allowedFields, except: sensitiveFields)
        errorMembers = FieldNameSet(isStrict ? [] : FieldNames.errorMembers, except: sensitiveFields)
        secretFields = FieldNameSet(sensitiveFields + sensitiveQueryItems + sensitiveHeaders)
    }

    /// Whether the value of a header field of this name may be shown.
    func showsHeader(_ name: String) -> Bool {
        let name = name.asciiLowercased
        if headers.contains(name) { return true }
        guard !sensitiveHeaders.contains(name),
            let family = headerFamilies.first(where: { name.utf8.starts(with: $0.utf8) })
        else {
            return false
        }
        let member = name.utf8.dropFirst(family.utf8.count)
        return !member.isEmpty && !isSecret(member)
    }

    /// Whether everything under the name is secret, at any depth.
    func isSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // Real names are shorter. The limit bounds the work for names made long on purpose.
        guard name.count <= 128 else { return true }
        let seconds = FieldNames.stems.seconds
        var hash = FieldNameSet.start
        var mayHoldStem = false
        var previous: UInt8 = 0
        for byte in name where !FieldNames.isSeparator(byte) {
            let byte = byte.asciiLowercased
            FieldNameSet.add(byte, to: &hash)
            mayHoldStem = mayHoldStem || seconds[Int(previous)] >> UInt64(byte & 63) & 1 == 1
            previous = byte
        }
        hash = FieldNameSet.finish(hash)
        if secretFields.contains(hash) || FieldNames.secretWords.contains(hash) { return true }
        guard mayHoldStem else { return false }
        return FieldNames.normalized(name).withUnsafeBufferPointer {
            FieldNames.isSecret(normalized: $0, hash: hash)
        }
    }

    func isSecret(_ name: some Sequence<UInt8>) -> Bool {
        Array(name).withUnsafeBufferPointer { isSecret($0) }
    }
}

/// A set of field names for fast lookup, regardless of case, `_` and `-`.
///
/// It keeps only 64-bit hashes. Collisions are unlikely, and an attacker gains nothing from one: the sender of the names also sets the values.
struct FieldNameSet: Sendable {
    /// An open-addressing table; 0 is a free slot.
    private let slots: [UInt64]
    private let mask: Int

    init(_ names: [String], except others: [String] = []) {
        let hashes = Set(names.map { Self.hash(of: $0.utf8) }).subtracting(others.map { Self.hash(of: $0.utf8) })
        var size = 8
        while size < hashes.count * 4 { size *= 2 }
        var slots = [UInt64](repeating: 0, count: size)
        for hash in hashes {
            var index = Int(truncatingIfNeeded: hash) & (size - 1)
            while slots[index] != 0 { index = (index + 1) & (size - 1) }
            slots[index] = hash
        }
        self.slots = slots
        mask = size - 1
    }

    func contains(_ hash: UInt64) -> Bool {
        var index = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[index]
            if slot == hash { return true }
            if slot == 0 { return false }
            index = (index + 1) & mask
        }
    }

    func contains(_ name: some Sequence<UInt8>) -> Bool {
        contains(Self.hash(of: name))
    }

    // MARK: The hash (FNV-1a), which callers can compute while they read a name

    static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always)
    static func add(_ byte: UInt8, to hash: inout UInt64) {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Never 0. Mixes upper bits into the lower bits, which select the slot.
    @inline(__always)
    static func finish(_ hash: UInt64) -> UInt64 { (hash ^ (hash >> 29)) | 1 }

    /// Returns the hash of the normalised name.
    static func hash(of name: some Sequence<UInt8>) -> UInt64 {
        var hash = start
        for byte in name where !FieldNames.isSeparator(byte) { add(byte.asciiLowercased, to: &hash) }
        return finish(hash)
    }
}

/// The names of harmless and of secret fields.
package enum FieldNames {
    /// Returns the name in lower case without word separators: `API_Key`, `api-key` and `apiKey` are equal.
    static func normalized(_ name: some Sequence<UInt8>) -> [UInt8] {
        name.compactMap { isSeparator($0) ? nil : $0.asciiLowercased }
    }

    @inline(__always)
    static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    /// Whether a name, in any case and with any separators, says that its value is secret.
    package static func isSecret(_ name: String) -> Bool {
        let normalized = normalized(name.utf8)
        return normalized.withUnsafeBufferPointer {
            isSecret(normalized: $0, hash: FieldNameSet.hash(of: normalized))
        }
    }

    /// Whether a normalised name says that its value is secret.
    static func isSecret(normalized name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool {
        if secretWords.contains(hash) { return true }
        let stems = Self.stems
        for start in name.indices.dropLast() {
            guard stems.seconds[Int(name[start])] >> UInt64(name[start + 1] & 63) & 1 == 1 else { continue }
            let rest = UnsafeBufferPointer(rebasing: name[start...])
            if stems.byFirst[Int(name[start])].contains(where: { rest.starts(with: $0) }) { return true }
        }
        return false
    }

    /// The secret stems by their first byte, and a bit for each possible second one (modulo 64): few pairs in a name start a stem.
    static let stems: (byFirst: [[[UInt8]]], seconds: [UInt64]) = {
        let byFirst = (UInt8.min...UInt8.max).map { byte in
            secretStems.map { Array($0.utf8) }.filter { $0.first == byte }
        }
        let seconds = byFirst.map { $0.reduce(0 as UInt64) { $0 | 1 << UInt64($1[1] & 63) } }
        return (byFirst, seconds)
    }()

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
    static let secretWords = FieldNameSet([
        "pass", "pin", "pan", "sid", "sig", "key", "code", "auth", "oauth", "otp", "totp", "mfa", "ssn", "card",
        "nonce", "salt", "pw", "assertion", "dob", "bban", "tin", "nino", "sortcode",
    ])

    /// Body and query fields with harmless meanings: identifiers, names, numbers, states. Their values are scanned nevertheless.
    static let harmless =
        numbers + [
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

    /// Harmless in a body, but not in a query: the `state` of an OAuth authorization request protects against forgery.
    static let secretInQueries = ["state"]

    /// The members of an object that describes an error.
    static let errorMembers = ["code", "message"]
}
