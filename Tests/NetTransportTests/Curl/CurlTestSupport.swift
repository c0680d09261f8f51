#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Records the hosts and the certificates that it is asked about.
    final class LeafPolicy: ServerTrustPolicy {
        struct Refusal: Error {}

        private let refuses: @Sendable (String) -> Bool
        private let journal = Locked<[(host: String, leaf: Data?)]>([])

        /// - Parameter refuses: whether it refuses a host.
        init(refuses: @escaping @Sendable (String) -> Bool = { _ in false }) { self.refuses = refuses }

        var hosts: [String] { journal.withLock { $0.map(\.host) } }
        var leaves: [Data] { journal.withLock { $0.compactMap(\.leaf) } }

        func evaluate(_ chain: CertificateChain, host: String) throws {
            journal.withLock { $0.append((host, chain.leaf)) }
            if refuses(host) { throw Refusal() }
        }
    }

    /// The number of threads of this process whose name begins with a text.
    func threads(_ name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix(name) == true
        }
    }

    /// Has malloc give back what it keeps for later, where it can (`malloc_trim` of glibc, which Swift's Glibc does not show).
    func releaseFreeMemory() {
        guard let trim = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// The memory of this process in KiB, without what malloc keeps for later: that depends on how the threads were scheduled.
    func heldKiB() throws -> Int {
        releaseFreeMemory()
        return try #require(ResourceCensus().residentKiB)
    }

    extension CurlTransport {
        convenience init(_ change: (inout TransportConfiguration) throws -> Void) rethrows {
            self.init(configuration: try TransportConfiguration(change))
        }

        /// With the settings of a suite, and then those of a test.
        convenience init(_ change: SettingsChange, after base: SettingsChange) {
            self.init {
                base(&$0)
                change(&$0)
            }
        }

        /// Trusts the authority of ``TestCertificates``.
        static func trusting(_ change: SettingsChange = { _ in }) async throws -> CurlTransport {
            let authority = try await TestCertificates.shared.ca.pem
            return CurlTransport(change) { $0.certificateAuthorities = .only(pem: authority) }
        }
    }

    func small(_ url: URL) -> URL { url.appendingPathComponent("small") }

    extension MockCertificate {
        private static let making = Task { try await make() }

        /// A certificate for this machine, made once in each process. Without OpenSSL, the test is skipped.
        static var shared: MockCertificate {
            get async throws { try await Tool.openssl.needed(by: Self.self).making.value }
        }
    }
#endif
