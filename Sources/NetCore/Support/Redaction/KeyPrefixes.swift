/// How keys and tokens of services begin that mark theirs.
enum KeyPrefixes {
    /// By the first byte, so that text is looked at once.
    static let byLetter: [[String]] = (0...255).map { byte in all.filter { $0.utf8.first == UInt8(byte) } }

    /// Whether one of them, or a scheme of `Authorization`, begins so.
    static func isFirst(_ byte: UInt8) -> Bool { firsts[Int(byte)] }

    private static let firsts = byLetter.indices.map { !byLetter[$0].isEmpty || "bBdDtT".utf8.contains(UInt8($0)) }

    private static let all = [
        "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_",
        "glpat-", "gldt-",
        "glrt-", "glptt-", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxe-", "xoxr-", "xapp-", "AKIA", "ASIA", "AIza",
        "ya29.", "GOCSPX-", "npm_", "pypi-",
        "SG.", "hf_", "shpat_", "shpss_", "shpca_", "shppa_", "whsec_", "dop_v1_", "doo_v1_", "dor_v1_", "sq0atp-",
        "sq0csp-", "lin_api_",
        "dckr_pat_", "PMAK-", "pul-", "sbp_", "hvs.", "hvb.", "AGE-SECRET-KEY-1", "figd_", "ATATT3x", "sntrys_",
        "rubygems_", "nfp_", "gsk_", "xai-",
        "pplx-", "r8_", "ntn_", "secret_", "EAAA", "dapi", "key-",
    ]
}
