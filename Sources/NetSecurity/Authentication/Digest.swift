import NetCore

/// A Digest challenge (RFC 7616, section 3.3).
struct DigestChallenge: Sendable {
    enum Protection: String {
        case authentication = "auth"
        case integrity = "auth-int"
    }

    let realm: String
    var nonce: String
    let opaque: String?
    /// The server's name for the algorithm; nil if it sent none.
    let algorithmName: String?
    let function: Cryptography.HashFunction
    /// Whether the digest of the password depends on the nonce (`-sess`).
    let isSession: Bool
    /// Nil for servers older than RFC 2617.
    let protection: Protection?
    /// Whether the username is sent as a digest.
    let hashesUsername: Bool
    /// Whether only the nonce had expired.
    let isStale: Bool

    /// - Returns: nil for another scheme, an unknown algorithm or an unknown `qop`.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == "digest", let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"], !nonce.isEmpty
        else { return nil }
        algorithmName = challenge.parameters["algorithm"]
        var name = (algorithmName ?? "MD5").asciiLowercased
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast("-sess".count) }
        switch name {
        case "md5": function = .md5
        case "sha-256": function = .sha256
        case "sha-512-256": function = .sha512_256
        default: return nil
        }
        let offered = challenge.parameters["qop"]?.asciiLowercased.split { $0 == "," || $0 == " " || $0 == "\t" }
        // Integrity requires reading the body first, so it is used only if the server offers nothing else.
        protection = [Protection.authentication, .integrity].first { offered?.contains($0.rawValue[...]) == true }
        if offered != nil, protection == nil { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        hashesUsername = challenge.parameters["userhash"]?.asciiLowercased == "true"
        isStale = challenge.parameters["stale"]?.asciiLowercased == "true"
    }

    /// A higher number is a stronger digest.
    var strength: Int {
        switch function {
        case .md5: 0
        case .sha256: 1
        case .sha512, .sha512_256: 2
        }
    }
}

/// The answer to a Digest challenge (RFC 7616, section 3.4).
struct DigestAnswer {
    let challenge: DigestChallenge
    let username: String
    let password: String
    let method: String
    /// The path and the query, as they are sent.
    let target: String
    let clientNonce: String
    /// The number of requests that used the nonce, including this one.
    let count: UInt32
    /// The body of the request, which `auth-int` needs.
    var body = Data()

    /// Returns the value of `Authorization`.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` if the system does not have the digest.
    func authorization() throws(NetworkError) -> String {
        var items = [
            try nameItem(), "realm=\(challenge.realm.quoted)", "nonce=\(challenge.nonce.quoted)",
            "uri=\(target.quoted)", "response=\(try response().quoted)",
        ]
        if let name = challenge.algorithmName { items.append("algorithm=\(name)") }
        if let opaque = challenge.opaque { items.append("opaque=\(opaque.quoted)") }
        if let protection = challenge.protection {
            items += ["qop=\(protection.rawValue)", "nc=\(countText)", "cnonce=\(clientNonce.quoted)"]
        } else if challenge.isSession {
            items.append("cnonce=\(clientNonce.quoted)")
        }
        if challenge.hashesUsername { items.append("userhash=true") }
        return "Digest " + items.joined(separator: ", ")
    }

    /// RFC 7616, section 3.4.1 to 3.4.3.
    func response() throws(NetworkError) -> String {
        var secret = try hash("\(username):\(challenge.realm):\(password)")
        if challenge.isSession { secret = try hash("\(secret):\(challenge.nonce):\(clientNonce)") }
        var action = "\(method):\(target)"
        if challenge.protection == .integrity {
            action += ":" + (try Cryptography.digest(body, challenge.function)).hexadecimal
        }
        let hashedAction = try hash(action)
        guard let protection = challenge.protection else {
            return try hash("\(secret):\(challenge.nonce):\(hashedAction)")
        }
        return try hash(
            "\(secret):\(challenge.nonce):\(countText):\(clientNonce):\(protection.rawValue):\(hashedAction)")
    }

    private var countText: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private func nameItem() throws(NetworkError) -> String {
        if challenge.hashesUsername { return "username=\(try hash("\(username):\(challenge.realm)").quoted)" }
        guard username.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return "username*=UTF-8''\(PercentEncoding.encode(username))"
        }
        return "username=\(username.quoted)"
    }

    private func hash(_ text: String) throws(NetworkError) -> String {
        try Cryptography.digest(Data(text.utf8), challenge.function).hexadecimal
    }
}

extension String {
    /// The text as a quoted string (RFC 9110, section 5.6.4).
    var quoted: String {
        "\"" + replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
