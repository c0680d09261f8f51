/// https://developer.apple.com/documentation/security/tls_protocol_version_t
public enum tls_protocol_version_t: UInt16, Sendable {
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv10
    case TLSv10 = 0x0301
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv11
    case TLSv11 = 0x0302
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv12
    case TLSv12 = 0x0303
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv13
    case TLSv13 = 0x0304
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/dtlsv10
    case DTLSv10 = 0xfeff
    /// https://developer.apple.com/documentation/security/tls_protocol_version_t/dtlsv12
    case DTLSv12 = 0xfefd
}
