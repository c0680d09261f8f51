import NetCore

extension TransportError {
    /// Keeps the system's error, with redacted URLs, and its reason.
    mutating func setSystemError(_ error: any Error) {
        let bridged = error as NSError
        networkUnavailableReason = Self.reason(of: error)
        // The original has the URL with its query, and objects of the system.
        let info = Self.harmlessInfo(of: bridged)
        let copy: any Error =
            (error as? URLError).map { URLError($0.code, userInfo: info) }
            ?? NSError(domain: bridged.domain, code: bridged.code, userInfo: info)
        system = Underlying(copy)
    }

    private static func reason(of error: any Error) -> TransportError.UnavailableReason? {
        guard let error = error as? URLError else { return nil }
        #if canImport(Darwin)
            switch error.networkUnavailableReason {
            case .cellular?: return .cellular
            case .expensive?: return .expensive
            case .constrained?: return .constrained
            default: break
            }
        #endif
        if error.code == .dataNotAllowed { return .cellular }
        // No code tells of it: only the path of the network, which is in the error beneath.
        let beneath = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let path = error.userInfo[pathKey] ?? beneath?.userInfo[pathKey]
        guard let path, String(describing: path).contains("Local network prohibited") else { return nil }
        return .localNetworkProhibited
    }

    private static let pathKey = "_NSURLErrorNWPathKey"

    /// The entries without secrets: texts, numbers, the redacted URL, and the error beneath.
    private static func harmlessInfo(of error: NSError, depth: Int = 0) -> [String: Any] {
        var info = error.userInfo.filter { $0.value is Int }
        if let text = error.userInfo[NSLocalizedDescriptionKey] as? String {
            info[NSLocalizedDescriptionKey] = text.withoutSecrets
        }
        if let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL {
            info.merge(failingURL(Redactor.standard.text(of: url))) { $1 }
        }
        if depth < 3, let beneath = error.userInfo[NSUnderlyingErrorKey] as? NSError {
            info[NSUnderlyingErrorKey] = NSError(
                domain: beneath.domain, code: beneath.code, userInfo: harmlessInfo(of: beneath, depth: depth + 1))
        }
        return info
    }
}
