public import NetClient
public import NetCore

extension Downloader {
    /// Options of a download. The defaults suit most downloads.
    public struct Options: Sendable {
        /// What happens if the destination exists already.
        public enum ExistingFile: String, Hashable, Sendable, Codable {
            /// The new file replaces it, in one step and only when it is complete.
            case replace
            /// The new file gets another name: `movie (2).mp4`.
            case keepBoth
            /// The download fails with ``DownloadError/Code/destinationExists``, before anything is sent if the name is known.
            case refuse
        }

        /// What is on the storage medium when a download has ended.
        public enum Durability: String, Hashable, Sendable, Codable {
            /// The whole file (`fsync`), before it gets its name: it survives a power failure. A download that stops early syncs its bytes too.
            case onCompletion
            /// What the system has written by then. Faster, for files that can be fetched again. After a power failure the file may lack bytes.
            case none
        }

        public var existingFile: ExistingFile
        /// The expected checksum, or nil to check only the server's digests.
        public var checksum: Downloader.Options.Checksum?
        /// What a running download does when the device goes offline: it waits for a network and continues, or fails with
        /// ``NetworkError/noInternetConnection`` and can be resumed. A download that starts offline always fails with that.
        public var whileOffline = Resilience.OfflinePolicy.Behavior.wait(timeout: nil)
        /// How many times in a row the download resumes by itself after a lost connection or a busy server, without a new byte in between. Zero
        /// or less: never. Before the first byte, the client's ``RetryPolicy`` applies instead.
        public var maxResumptions = 5
        /// The pause before each resumption.
        public var resumptionDelay = RetryPolicy.Delay.exponential(base: 1, maximum: 60)
        /// How many seconds without a byte count as a lost connection. Zero or less leaves it to the transport.
        public var stallTimeout: TimeInterval = 30
        /// The number of connections that fetch parts of the file at once, from 1 to 16. Several are used only for large files, if the server
        /// offers ranges and sends a strong validator. Each writes its part in place.
        public var connections = 1
        public var durability = Durability.onCompletion
        /// Whether networks are allowed on which each byte may cost money. On such a network the download waits as if it were offline.
        ///
        /// False needs a connection monitor, except on Apple platforms. Otherwise it fails with ``NetworkError/unsupported(_:)``.
        public var allowsExpensiveNetworkAccess = true
        /// Whether networks in low-data mode are allowed: as ``allowsExpensiveNetworkAccess``.
        public var allowsConstrainedNetworkAccess = true

        /// Creates the default options, except for existing files and the checksum.
        public init(existingFile: ExistingFile = .replace, checksum: Downloader.Options.Checksum? = nil) {
            self.existingFile = existingFile
            self.checksum = checksum
        }
    }
}

extension Downloader.Options {
    /// A digest that the file has to match, from a source that the caller trusts.
    public struct Checksum: Hashable, Sendable, Codable, CustomStringConvertible {
        let sha256: Data

        private init(_ bytes: Data) { sha256 = bytes }

        /// A SHA-256 checksum.
        ///
        /// - Parameter hex: 64 hexadecimal digits, as `sha256sum` prints them.
        /// - Throws: ``DownloadError/Code/invalidChecksum`` for anything else.
        public static func sha256(_ hex: String) throws(DownloadError) -> Downloader.Options.Checksum {
            let digits = hex.utf8.prefix(65).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 64, hex.utf8.count == 64 else {
                throw DownloadError(
                    .invalidChecksum, "A SHA-256 checksum has 64 hexadecimal digits, as sha256sum prints them.")
            }
            let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            return Downloader.Options.Checksum(Data(bytes))
        }

        /// Reads a digest field (RFC 9530: `Repr-Digest`, `Content-Digest`), which is a dictionary (RFC 8941): `sha-256=:base64:`. Ignores
        /// other algorithms. Nil if there is no SHA-256, or it is malformed.
        init?(field: String?) {
            var found: Data?
            for member in field?.listMembers() ?? [] {
                guard let (key, item) = StructuredField.keyAndItem(member), key == "sha-256" else { continue }
                guard let bytes = StructuredField.bytes(item), bytes.count == 32 else { return nil }
                // If a key is repeated, the last value wins.
                found = bytes
            }
            guard let found else { return nil }
            self.init(found)
        }

        /// `sha-256:` and 64 hexadecimal digits.
        public var description: String { "sha-256:" + sha256.hexadecimal }
    }
}

struct DownloadNetwork: Sendable {
    let monitor: (any ConnectionMonitoring)?
    let behavior: Resilience.OfflinePolicy.Behavior
    let allowsExpensive: Bool
    let allowsConstrained: Bool

    init(_ monitor: (any ConnectionMonitoring)?, _ options: Downloader.Options, url: URL) {
        // A loopback address needs no network.
        self.monitor = url.isLoopback ? nil : monitor
        behavior = options.whileOffline
        allowsExpensive = options.allowsExpensiveNetworkAccess || url.isLoopback
        allowsConstrained = options.allowsConstrainedNetworkAccess || url.isLoopback
    }

    /// - Throws: ``NetworkError/noInternetConnection``; ``NetworkError/unsupported(_:)`` if the kind of the network cannot be known.
    func checkStart() throws {
        #if !canImport(Darwin)
            if monitor == nil, !(allowsExpensive && allowsConstrained) {
                throw NetworkError.unsupported(
                    "Expensive and constrained networks can be told apart only with a connection monitor. Set one.")
            }
        #endif
        guard isUsable else { throw NetworkError.noInternetConnection }
    }

    func restrict(_ request: inout URLRequest) {
        #if canImport(Darwin)
            request.allowsExpensiveNetworkAccess = allowsExpensive
            request.allowsConstrainedNetworkAccess = allowsConstrained
        #endif
    }

    /// Whether an allowed network is available. True if it is unknown.
    var isUsable: Bool { monitor.map { allows($0.status) } ?? true }

    /// Calls a closure when no allowed network is available any longer, until the task is cancelled.
    func watch(_ lost: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
        monitor.map { monitor in
            Task {
                for await status in monitor.statuses where !allows(status) { lost() }
            }
        }
    }

    /// Waits for an allowed network. Throws ``NetworkError/noInternetConnection`` if the options do not wait, or after the timeout.
    func wait(_ clock: any NetworkClock) async throws {
        guard let monitor, !isUsable else { return }
        guard case .wait(let timeout) = behavior, timeout.map({ $0 > 0 }) ?? true else {
            throw NetworkError.noInternetConnection
        }
        let isBack = try await clock.run(for: timeout) {
            for await status in monitor.statuses where allows(status) { return true }
            // The monitor has ended, and will report no network.
            try Task.checkCancellation()
            return false
        }
        guard isBack == true else { throw NetworkError.noInternetConnection }
    }

    private func allows(_ status: ConnectionStatus) -> Bool {
        status.isReachable && (allowsExpensive || !status.isExpensive) && (allowsConstrained || !status.isConstrained)
    }
}
