import NetCore

/// A proof that who redeems a code is who asked for it (RFC 7636).
struct PKCE: Sendable {
    /// The secret: shown only when the code is redeemed.
    let verifier: String
    /// Its digest (`S256`): shown when the code is asked for.
    let challenge: String

    init(verifier: String = Cryptography.randomBytes(32).base64URL) {
        self.verifier = verifier
        challenge = Data(SHA256.digest(Data(verifier.utf8))).base64URL
    }
}
