public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

/// https://developer.apple.com/documentation/security/secidentity
public final class SecIdentity: CFTyped, Sendable {
    /// The archive that it came in (PKCS#12), from which the stub of the network takes certificate and key.
    public let archive: Data
    public let password: String

    public init(archive: Data, password: String) { (self.archive, self.password) = (archive, password) }

    public static let typeID: CFTypeID = 1002
}

/// https://developer.apple.com/documentation/security/ksecimportexportpassphrase
public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"
/// https://developer.apple.com/documentation/security/ksecimportitemidentity
public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
/// https://developer.apple.com/documentation/security/ksecimportitemcertchain
public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"

/// https://developer.apple.com/documentation/security/ksecimporttomemoryonly
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
public nonisolated(unsafe) let kSecImportToMemoryOnly: CFString = "memory"

/// What imports have left in the user's keychain, for tests to read.
public enum FakeImports {
    private static let lock = NSLock()
    private nonisolated(unsafe) static var archives: Set<Data> = []

    public static func isInKeychain(_ archive: Data) -> Bool { lock.withLock { archives.contains(archive) } }
    static func add(_ archive: Data) { _ = lock.withLock { archives.insert(archive) } }
}

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
            as_open_archive(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, password, buffer, capacity)
        }
    }
    guard count >= 0 else { return errSecAuthFailed }
    guard !chain.isEmpty else { return errSecDecode }
    let item: [String: Any] = [
        kSecImportItemIdentity as String: SecIdentity(archive: pkcs12_data, password: password),
        kSecImportItemCertChain as String: chain,
    ]
    // On macOS an identity is added to the keychain, unless it is said otherwise.
    if options[kSecImportToMemoryOnly] as? Bool != true { FakeImports.add(pkcs12_data) }
    items.pointee = [item] as CFArray
    return errSecSuccess
}
