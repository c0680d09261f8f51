internal import Security

/// What a session does with a server's certificates when nobody else wants to judge them.
enum TrustJudge {
    /// Nil if they are fine.
    static func failure(of trust: SecTrust) -> (any Error)? {
        var error: CFError?
        guard !SecTrustEvaluateWithError(trust, &error) else { return nil }
        return error ?? URLError(.serverCertificateUntrusted)
    }

    /// By Security's code.
    static func code(of failure: any Error) -> URLError.Code {
        // https://developer.apple.com/documentation/security/errseccertificateexpired
        (failure as NSError).code == -67_818 ? .serverCertificateHasBadDate : .serverCertificateUntrusted
    }
}
