public import NetCore

/// How a download is to be done. The defaults are right for most.
public struct DownloadOptions: Sendable {
    /// What becomes of a file that is there already.
    public enum ExistingFile: String, Hashable, Sendable, Codable {
        /// The new file takes its place, in one step and only when it is whole.
        case replace
        /// The new file gets another name: `movie (2).mp4`.
        case keepBoth
        /// The download fails with ``DownloadError/Code/destinationExists``, before anything is sent if the name is known then.
        case refuse
    }

    /// What a download that is running does when the device goes offline. One that has not begun always fails with
    /// ``NetworkError/noInternetConnection``.
    public enum OfflineBehavior: Hashable, Sendable {
        /// It waits to be online again, and goes on: for that many seconds at most, nil for no such limit.
        case wait(timeout: TimeInterval?)
        /// It fails at once with ``NetworkError/noInternetConnection``, and can be resumed.
        case failImmediately
    }

    /// What becomes of a file that is there already.
    public var existingFile = ExistingFile.replace
    /// What the file has to be; nil to check only what the server says of it.
    public var checksum: DownloadChecksum?
    /// What a running download does when the device goes offline.
    public var whileOffline = OfflineBehavior.wait(timeout: nil)
    /// How many times in a row it goes on by itself after the connection has dropped, or the server was busy, without a new byte in
    /// between. Zero or less: never. A download that has not received anything yet is a matter of the client's ``RetryPolicy``.
    public var maxResumptions = 5
    /// How long it waits before each of these.
    public var resumptionDelay = RetryDelay.exponential(base: 1, maximum: 60)
    /// For how many seconds nothing may come before the connection counts as dropped. What is not above zero: the transport's own limit.
    public var stallTimeout: TimeInterval = 30
    /// On how many connections at once it may fetch parts of the file, 1 to 16. More than one is used for files of some size whose server
    /// offers ranges and names a strong validator; the parts are put together at the end.
    public var connections = 1
    /// Whether networks may be used on which each byte may cost money. A download on such a network waits as if it were offline.
    /// False needs a connection monitor, or a platform that can tell: otherwise it is refused with ``NetworkError/unsupported(_:)``.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks may be used in low-data mode: as ``allowsExpensiveNetworkAccess``.
    public var allowsConstrainedNetworkAccess = true

    /// The defaults.
    public init() {}

    /// The defaults, but for what becomes of a file that is there already.
    public init(existingFile: ExistingFile, checksum: DownloadChecksum? = nil) {
        self.existingFile = existingFile
        self.checksum = checksum
    }
}
