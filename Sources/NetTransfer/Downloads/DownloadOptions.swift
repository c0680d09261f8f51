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
    public var checksum: DownloadOptions.Checksum?
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
    public init(existingFile: ExistingFile, checksum: DownloadOptions.Checksum? = nil) {
        self.existingFile = existingFile
        self.checksum = checksum
    }
}

extension DownloadOptions {
    /// What a file has to be: a digest that the caller got from somewhere it trusts.
    public struct Checksum: Hashable, Sendable, Codable, CustomStringConvertible {
        /// 32 bytes.
        let sha256: Data

        private init(_ bytes: Data) { sha256 = bytes }

        /// By SHA-256.
        ///
        /// - Parameter hex: 64 hexadecimal digits, as `sha256sum` prints them; nil for anything else.
        public static func sha256(_ hex: String) -> DownloadOptions.Checksum? {
            guard hex.utf8.count == 64 else { return nil }
            var bytes = Data(capacity: 32)
            var high: UInt8?
            for digit in hex.utf8 {
                guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
                if let first = high {
                    bytes.append(first << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
            return DownloadOptions.Checksum(bytes)
        }

        /// By a digest field (RFC 9530: `Repr-Digest`, `Content-Digest`), which is a dictionary (RFC 8941): `sha-256=:base64:`. Other
        /// algorithms are left out; nil if there is none left, or what is there is no digest.
        init?(field: String?) {
            guard let field else { return nil }
            var found: Data?
            for member in field.listMembers() {
                guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")), member[..<equals] == "sha-256" else {
                    continue
                }
                // Parameters, which mean nothing here, stand behind a semicolon.
                let value = member[member.utf8.index(after: equals)...].prefix { $0 != ";" }.trimmingHTTPWhitespace
                guard value.utf8.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
                    let bytes = Data(base64Encoded: String(value.dropFirst().dropLast())), bytes.count == 32
                else { return nil }
                // Of several members with one key the last one stands.
                found = bytes
            }
            guard let found else { return nil }
            self.init(found)
        }

        /// `sha-256:` and 64 hexadecimal digits.
        public var description: String { "sha-256:" + sha256.hexadecimal }
    }
}

/// Which networks a download may use, and whether there is one.
struct DownloadNetwork: Sendable {
    let monitor: (any ConnectionMonitoring)?
    let behavior: DownloadOptions.OfflineBehavior
    let allowsExpensive: Bool
    let allowsConstrained: Bool

    init(_ monitor: (any ConnectionMonitoring)?, _ options: DownloadOptions, url: URL) {
        // This machine itself is there without any network.
        self.monitor = url.isLoopback ? nil : monitor
        behavior = options.whileOffline
        allowsExpensive = options.allowsExpensiveNetworkAccess || url.isLoopback
        allowsConstrained = options.allowsConstrainedNetworkAccess || url.isLoopback
    }

    /// - Throws: ``NetworkError/noInternetConnection``; ``NetworkError/unsupported(_:)`` if nobody can tell which network it is.
    func checkStart() async throws {
        #if !canImport(Darwin)
            if monitor == nil, !(allowsExpensive && allowsConstrained) {
                throw NetworkError.unsupported(
                    "Only a connection monitor can tell here which networks are expensive or constrained. Give one.")
            }
        #endif
        guard let status = await now else { return }
        guard allows(status) else { throw NetworkError.noInternetConnection }
    }

    func restrict(_ request: inout URLRequest) {
        #if canImport(Darwin)
            request.allowsExpensiveNetworkAccess = allowsExpensive
            request.allowsConstrainedNetworkAccess = allowsConstrained
        #endif
    }

    /// Whether there is a network that may be used. True if nobody knows.
    var isUsable: Bool {
        get async { await now.map(allows) ?? true }
    }

    /// Calls a closure when there is no network any more that may be used, until it is cancelled.
    func watch(_ lost: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
        monitor.map { monitor in
            Task {
                for await status in monitor.statuses where !allows(status) { lost() }
            }
        }
    }

    /// Returns when there is a network that may be used.
    ///
    /// - Throws: ``NetworkError/noInternetConnection`` if that is not waited for, or takes too long.
    func wait(_ clock: any NetworkClock) async throws {
        guard let monitor, await !isUsable else { return }
        guard case .wait(let timeout) = behavior, timeout.map({ $0 > 0 }) ?? true else {
            throw NetworkError.noInternetConnection
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await status in monitor.statuses where allows(status) { return true }
                // No more news: nobody will ever say that it is back.
                try Task.checkCancellation()
                return false
            }
            if let timeout {
                group.addTask {
                    try await clock.sleep(for: timeout)
                    return false
                }
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { throw NetworkError.noInternetConnection }
        }
    }

    private var now: ConnectionStatus? {
        get async {
            guard let monitor else { return nil }
            guard monitor.isReachable, !(allowsExpensive && allowsConstrained) else {
                return ConnectionStatus(isReachable: monitor.isReachable)
            }
            for await status in monitor.statuses { return status }
            return nil
        }
    }

    private func allows(_ status: ConnectionStatus) -> Bool {
        status.isReachable && (allowsExpensive || !status.isExpensive) && (allowsConstrained || !status.isConstrained)
    }
}
