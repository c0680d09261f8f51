/// The one suite that every transport has to pass: ours, and yours if you write one.
///
/// Each check is for one ``TransportCapability``. The checks of
/// ``HTTPTransport/missingCapabilities`` are left out, each with its reason. Checks that need a TLS server or a proxy are left out
/// unless ``ConformanceServers`` names one.
///
/// ```swift
/// @Test(arguments: TransportConformance.checks)
/// func conforms(_ check: TransportConformance.Check) async throws {
///     let suite = TransportConformance { MyTransport(configuration: $0) }
///     try await suite.run(check)          // throws a ConformanceFailure that says what is wrong
/// }
/// ```
public struct TransportConformance: Sendable {
    /// One thing that a transport has to do.
    public struct Check: Sendable, CustomStringConvertible {
        /// What it is a part of.
        public let capability: TransportCapability
        /// What it demands, in a few words.
        public let name: String
        /// False for what only HTTP/1.1 has, and for what needs a server of its own.
        let hasMeaningOverHTTP2: Bool
        let run: @Sendable (ConformanceBench) async throws -> Void

        init(
            _ capability: TransportCapability, _ name: String, overHTTP2: Bool = true,
            _ run: @escaping @Sendable (ConformanceBench) async throws -> Void
        ) {
            self.capability = capability
            self.name = name
            hasMeaningOverHTTP2 = overHTTP2
            self.run = run
        }

        /// `capability: name`.
        public var description: String { "\(capability.rawValue): \(name)" }
    }

    /// What came of a check that did not fail.
    public enum Outcome: Hashable, Sendable {
        /// The transport does it.
        case passed
        /// It was not run, and why.
        case leftOut(String)
    }

    /// All checks, in the order of ``TransportCapability``.
    public static let checks: [Check] =
        bodyChecks + uploadChecks + exchangeChecks + timingChecks + codingChecks + connectionChecks + securityChecks
        + errorChecks

    /// The checks that have a meaning over HTTP/2, and those that have one only there. For a suite with an `http2Certificate`.
    public static let http2Checks: [Check] = checks.filter(\.hasMeaningOverHTTP2) + streamChecks

    private let makeTransport: @Sendable (TransportConfiguration) throws -> any HTTPTransport
    private let servers: ConformanceServers
    private let http2Certificate: MockCertificate?

    /// A suite for a transport.
    ///
    /// - Parameters:
    ///   - servers: servers beyond those that the suite starts itself.
    ///   - http2Certificate: the suite's own servers speak HTTP/2 with it, and nothing else: for ``http2Checks``. With nil they speak HTTP/1.1
    ///     without TLS.
    ///   - makeTransport: makes a new transport with these settings; called once or more for each check.
    public init(
        servers: ConformanceServers = ConformanceServers(),
        http2Certificate: MockCertificate? = nil,
        makeTransport: @escaping @Sendable (TransportConfiguration) throws -> any HTTPTransport
    ) {
        self.servers = servers
        self.http2Certificate = http2Certificate
        self.makeTransport = makeTransport
    }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure`` if the transport does not do it.
    @discardableResult
    public func run(_ check: Check) async throws -> Outcome {
        let probe = try makeTransport(TransportConfiguration())
        if let reason = probe.missingCapabilities[check.capability] { return .leftOut(reason) }
        if http2Certificate != nil, let reason = probe.missingCapabilities[.http2] { return .leftOut(reason) }
        let bench = ConformanceBench(makeTransport: makeTransport, servers: servers, certificate: http2Certificate)
        do {
            try await check.run(bench)
            return .passed
        } catch let missing as MissingServer {
            return .leftOut(missing.reason)
        } catch let failure as ConformanceFailure {
            throw ConformanceFailure("\(check): \(failure.message)")
        } catch {
            throw ConformanceFailure("\(check): unexpected error \(error)")
        }
    }

    /// Runs all checks, one after the other, and gives a line for each: `passed`, `left out` with the reason, or `FAILED`.
    public func report() async -> [String] {
        var lines: [String] = []
        for check in Self.checks {
            do {
                switch try await run(check) {
                case .passed: lines.append("passed    \(check)")
                case .leftOut(let reason): lines.append("left out  \(check): \(reason)")
                }
            } catch {
                lines.append("FAILED    \(error)")
            }
        }
        return lines
    }
}

/// What a transport does not do as it should.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The check, and what was seen in place of what was expected.
    public let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// Servers that the suite cannot start by itself. Nil leaves out the checks that need them.
public struct ConformanceServers: Sendable {
    /// A TLS server for `localhost` whose certificate ``authority`` has signed; it answers `GET /small` with 200.
    public var tls: URL?
    /// The same, with HTTP/2 by ALPN.
    public var http2: URL?
    /// The same, which demands a client certificate and answers 400 without one.
    public var mutualTLS: URL?
    /// The same, which speaks TLS 1.1 at the most.
    public var legacyTLS: URL?
    /// The authority that signed the server's certificate, in PEM.
    public var authority: Data?
    /// Another authority, which did not, in PEM.
    public var otherAuthority: Data?
    /// The server's own certificate, in DER.
    public var serverCertificate: Data?
    /// What ``mutualTLS`` accepts.
    public var clientCertificate: ClientCertificate?
    /// An HTTP proxy on loopback that permits CONNECT to ``tls``.
    public var proxy: (host: String, port: Int)?
    /// How many requests the ``tls`` server has seen so far whose target contains this text, to prove that none came when
    /// trust was refused.
    public var requestCount: (@Sendable (_ text: String) async throws -> Int)?

    /// None.
    public init() {}
}

/// A check needs a server that was not given.
struct MissingServer: Error {
    let reason: String
}
