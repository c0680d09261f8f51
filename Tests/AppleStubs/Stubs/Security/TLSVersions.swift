/// https://developer.apple.com/documentation/security/tls_protocol_version_t
public enum tls_protocol_version_t: UInt16, Sendable {
    @available(macOS, deprecated: 12.0)
    @available(iOS, deprecated: 15.0)
    @available(tvOS, deprecated: 15.0)
    @available(watchOS, deprecated: 8.0)
    case TLSv10 = 0x0301
    @available(macOS, deprecated: 12.0)
    @available(iOS, deprecated: 15.0)
    @available(tvOS, deprecated: 15.0)
    @available(watchOS, deprecated: 8.0)
    case TLSv11 = 0x0302
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
    case DTLSv12 = 0xfefd
}

/// https://developer.apple.com/documentation/security/tls_ciphersuite_t
///
/// Of the suites one only: the SDK asks for the number, and names none.
public enum tls_ciphersuite_t: UInt16, Sendable { case AES_128_GCM_SHA256 = 0x1301 }
