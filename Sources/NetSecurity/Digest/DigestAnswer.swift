import NetCore

/// The answer to a Digest challenge (RFC 7616, section 3.4).
struct DigestAnswer {
    let challenge: DigestChallenge
    let username: String
    let password: String
    let method: String
    /// Path and query, as they are sent.
    let target: String
    let clientNonce: String
    /// How many requests used the nonce, this one included.
    let count: UInt32
    /// Needed for `auth-int`.
    var body = Data()

    /// The value of `Authorization`.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` if the system has not got the digest.
    func authorization() throws(NetworkError) -> String {
        let hashedName = challenge.hashesUsername ? try hash("\(username):\(challenge.realm)") : nil
        var items = [
            nameItem(hashedName), "realm=\(challenge.realm.quoted)", "nonce=\(challenge.nonce.quoted)",
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

    private func nameItem(_ hashed: String?) -> String {
        if let hashed { return "username=\(hashed.quoted)" }
        guard username.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return "username*=UTF-8''\(QueryEncoder.percentEncode(username))"
        }
        return "username=\(username.quoted)"
    }

    private func hash(_ text: String) throws(NetworkError) -> String {
        try Cryptography.digest(Data(text.utf8), challenge.function).hexadecimal
    }
}

extension String {
    /// As a quoted string (RFC 9110, section 5.6.4).
    var quoted: String {
        "\"" + replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
