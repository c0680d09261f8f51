import NetCore

/// How client and server agree on going on with an upload.
public enum ResumableUploadProtocol: String, Codable, Hashable, Sendable, CaseIterable {
    /// tus 1.0.0 (tus.io): core, creation, expiration, termination, and checksum by SHA-256 where the server offers it.
    case tus
    /// *Resumable Uploads for HTTP*, a draft of the IETF's HTTP working group: draft-ietf-httpbis-resumable-upload-12, interop version 8.
    /// `Docs/Transfers.md` says what of it is used.
    case ietf

    func dialect(clock: any NetworkClock) -> any UploadDialect {
        switch self {
        case .tus: TusDialect(clock: clock)
        case .ietf: IETFDialect(clock: clock)
        }
    }
}
