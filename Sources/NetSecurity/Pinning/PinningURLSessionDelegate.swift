public import NetCore

// What the delegate is on all platforms (seed 000).
extension PinningURLSessionDelegate {
    /// A delegate that trusts hosts by certificates in files, compared byte for byte.
    ///
    /// ```swift
    /// let delegate = PinningURLSessionDelegate(
    ///     pinnedCertificateNamesByHost: ["api.example.com": ["leafCert", "intermediateCert"]])
    /// ```
    ///
    /// - Parameters:
    ///   - names: for each host the names of files (DER or PEM), with or without `.cer`. Hosts as in ``PinnedHost``.
    ///   - bundle: where the files are: the program's own unless another is given.
    ///   - backup: whether each host needs two different certificates.
    /// - Returns: nil if a file is missing or holds no certificate, if a host has fewer than two and `backup` is not waived, or if there is
    ///   no host. `PinningPolicy` and `CertificatePin.certificates(named:in:)` say which.
    public convenience init?(
        pinnedCertificateNamesByHost names: [String: [String]], bundle: Bundle = .main,
        backup: PinnedHost.Backup = .required
    ) {
        guard
            let policy = try? PinningPolicy(
                names.map { host, files in
                    try PinnedHost(
                        host, pins: CertificatePin.certificates(named: files, in: bundle), backup: backup)
                })
        else { return nil }
        self.init(policy: policy)
    }
}

extension PinningURLSessionDelegate: TrustPolicyHolder {
    package var trustPolicy: any ServerTrustPolicy { policy }
}
