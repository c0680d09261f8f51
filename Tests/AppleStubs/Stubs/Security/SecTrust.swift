public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

/// https://developer.apple.com/documentation/security/sectrust
public final class SecTrust: @unchecked Sendable {
    /// What the server sent, its own certificate first.
    public let presented: [SecCertificate]
    /// Whom the certificate has to name by the policy that it was made with.
    public let host: String

    let lock = NSLock()
    var anchors: [SecCertificate] = []
    var anchorsOnly = false
    /// What `SecTrustSetPolicies` has put in place of that.
    var policies: [SecPolicy]?
    /// Whether `SecTrustSetExceptions` has accepted what is presented, which nothing else is then asked about.
    var isExcepted = false
    /// The chain that the last evaluation found, from the server's certificate to an anchor.
    var evaluated: [SecCertificate] = []

    public init(presented: [SecCertificate], host: String) { (self.presented, self.host) = (presented, host) }

    /// The chain that was found, or what there is before.
    var chain: [SecCertificate] { lock.withLock { evaluated.isEmpty ? presented : evaluated } }

    /// Whom the certificate has to name; empty for anybody.
    var wantedHost: String {
        guard let policies else { return host }
        let names = policies.lazy.compactMap { if case .tls(let name) = $0.kind { name } else { nil } }
        return names.first ?? ""
    }
}

/// https://developer.apple.com/documentation/security/sectrustsetanchorcertificates(_:_:)
///
/// Once there are anchors, the system's own no longer count.
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let anchors = (anchorCertificates ?? []) as? [SecCertificate] else { return errSecParam }
    trust.lock.withLock {
        trust.anchors = anchors
        trust.anchorsOnly = anchorCertificates != nil
    }
    return errSecSuccess
}

/// https://developer.apple.com/documentation/security/sectrustsetanchorcertificatesonly(_:_:)
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.lock.withLock { trust.anchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:)
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    trust.lock.withLock {
        if trust.isExcepted { return true }
        var code: Int32 = 0
        let anchors = trust.anchors + (trust.anchorsOnly ? [] : FakeTrust.additionalAnchors)
        let (_, chain) = withDER(trust.presented) { presented in
            withDER(anchors) { anchors in
                certificates { buffer, capacity in
                    as_evaluate(
                        presented, presented.count, anchors, anchors.count, trust.anchorsOnly ? 0 : 1,
                        trust.wantedHost, buffer, capacity, &code)
                }
            }
        }
        trust.evaluated = chain
        if chain.isEmpty {
            let text = "“\(trust.wantedHost)” certificate is not trusted: \(String(cString: as_text(code)))"
            error?.pointee = NSError(
                domain: NSOSStatusErrorDomain, code: Int(errSecNotTrusted), userInfo: [NSLocalizedDescriptionKey: text])
        }
        return !chain.isEmpty
    }
}

/// https://developer.apple.com/documentation/security/sectrustcopycertificatechain(_:)
@available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.chain as CFArray }

/// https://developer.apple.com/documentation/security/sectrustcopyexceptions(_:)
///
/// Only of a trust that was evaluated.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { trust.presented.first.map { $0.der as CFData } }

/// https://developer.apple.com/documentation/security/sectrustsetexceptions(_:_:)
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    trust.lock.withLock {
        trust.isExcepted = exceptions != nil && exceptions as Data? == trust.presented.first?.der
        return trust.isExcepted
    }
}

/// What tests may add to the authorities of this "system", as a user can with a profile.
public enum FakeTrust {
    private static let lock = NSLock()
    private nonisolated(unsafe) static var anchors: [SecCertificate] = []

    public static func install(_ certificate: SecCertificate) { lock.withLock { anchors.append(certificate) } }
    static var additionalAnchors: [SecCertificate] { lock.withLock { anchors } }
}
