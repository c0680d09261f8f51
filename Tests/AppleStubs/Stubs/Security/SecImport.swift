public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

/// https://developer.apple.com/documentation/security/ksecimportexportpassphrase
public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"
/// https://developer.apple.com/documentation/security/ksecimportitemidentity
public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
/// https://developer.apple.com/documentation/security/ksecimportitemcertchain
public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"

/// https://developer.apple.com/documentation/security/secidentitygettypeid()
public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.typeID }

/// https://developer.apple.com/documentation/security/secpkcs12import(_:_:_:)
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let pkcs12_data = pkcs12_data as Data
    guard let password = options[kSecImportExportPassphrase] as? String else { return errSecPassphraseRequired }
    let (count, chain) = pkcs12_data.withUnsafeBytes { bytes in
        certificates { buffer, capacity in
            as_open_archive(
                bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, password, buffer, capacity)
        }
    }
    guard count >= 0 else { return errSecAuthFailed }
    guard !chain.isEmpty else { return errSecDecode }
    let item: [String: Any] = [
        kSecImportItemIdentity as String: SecIdentity(archive: pkcs12_data, password: password),
        kSecImportItemCertChain as String: chain,
    ]
    items.pointee = [item] as CFArray
    return errSecSuccess
}
