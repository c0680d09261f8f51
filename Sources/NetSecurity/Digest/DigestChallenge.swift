import NetCore

/// What a server wants of a client that authenticates by Digest (RFC 7616, section 3.3).
struct DigestChallenge: Sendable {
    enum Protection: String {
        case authentication = "auth"
        case integrity = "auth-int"
    }

    let realm: String
    var nonce: String
    let opaque: String?
    /// As the server calls it; nil if it did not say.
    let algorithmName: String?
    let function: Cryptography.HashFunction
    /// Whether the password's digest is made anew for each nonce (`-sess`).
    let isSession: Bool
    /// Nil for servers of before RFC 2617.
    let protection: Protection?
    /// Whether the user's name is hidden.
    let hashesUsername: Bool
    /// Whether only the nonce was too old.
    let isStale: Bool

    /// - Returns: nil for another scheme, an algorithm that is not known, or what no client can answer.
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
        if let offered = challenge.parameters["qop"] {
            let names = offered.asciiLowercased.split { $0 == "," || $0 == " " || $0 == "\t" }
            // Integrity means reading the body first: only for those who insist.
            guard
                let protection = names.contains("auth")
                    ? .authentication : names.contains("auth-int") ? .integrity : nil as Protection?
            else { return nil }
            self.protection = protection
        } else {
            protection = nil
        }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        hashesUsername = challenge.parameters["userhash"]?.asciiLowercased == "true"
        isStale = challenge.parameters["stale"]?.asciiLowercased == "true"
    }

    /// The higher, the better.
    var strength: Int {
        switch function {
        case .md5: 0
        case .sha256: 1
        case .sha512, .sha512_256: 2
        }
    }
}
