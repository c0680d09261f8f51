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

    /// A server that speaks HTTP/2, and what it takes to reach it.
    struct HTTP2Lab {
        let server: MockServer
        /// A transport with the default settings.
        let transport: CurlTransport
        private let authorities: TransportConfiguration.CertificateAuthorities

        init(
            _ settings: MockHTTP2Settings = MockHTTP2Settings(), versions: MockHTTPVersions = .automatic,
            sendsContinue: Bool = true, _ handler: @escaping MockServer.Handler = { _ in .text("ok") }
        ) async throws {
            server = try MockServer(
                certificate: try await .shared, httpVersions: versions, http2: settings, sendsContinue: sendsContinue,
                handler)
            authorities = .only(pem: try await MockCertificate.shared.authority)
            transport = CurlTransport { [authorities] in $0.certificateAuthorities = authorities }
        }

        func transport(_ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { $0.certificateAuthorities = authorities }
        }

        func client(_ policy: RetryPolicy = .none, _ change: SettingsChange = { _ in }) -> NetworkClient {
            NetworkClient(retryPolicy: policy, transport: transport(change))
        }
    }

    extension MockHTTP2Settings {
        /// With the streams of a connection at the same time, and the bytes of a body before the first WINDOW_UPDATE.
        init(streams: Int = 128, window: Int = 65_535) {
            self.init()
            maxConcurrentStreams = streams
            initialWindowSize = window
        }
    }

    extension NetworkClient {
        @discardableResult
        func send(
            _ method: String, _ url: URL, _ body: HTTPBody? = nil
        ) async throws(NetworkFailure) -> TransportResponse {
            try await send(URLRequest(url, method), body: body, context: nil)
        }
    }
#endif
