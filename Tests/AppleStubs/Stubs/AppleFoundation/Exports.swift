// What `import Foundation` gives on Apple's systems. What is declared in this module shadows the type of the same name in
// FoundationNetworking; the rest (URLRequest, HTTPURLResponse, URLError, URLCache, cookies …) is FoundationNetworking's.
@_exported public import AppleCoreFoundation
@_exported public import Foundation
@_exported public import FoundationNetworking
public import Security

/// FoundationNetworking has one of its own, which this shadows.
///
/// https://developer.apple.com/documentation/security/tls_protocol_version_t
public typealias tls_protocol_version_t = Security.tls_protocol_version_t

/// https://developer.apple.com/documentation/security/tls_ciphersuite_t
public typealias tls_ciphersuite_t = Security.tls_ciphersuite_t
