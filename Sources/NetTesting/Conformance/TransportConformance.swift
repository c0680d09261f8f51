public import NetCore

/// The conformance suite of transports, for ours and for yours.
///
/// Each check is for one ``TransportConfiguration/Capability``. The suite leaves out the checks of the transport's
/// ``HTTPTransport/missingCapabilities``, and gives the reason. Checks that need a TLS server or a proxy
/// are left out unless ``ConformanceServers`` names one.
///
/// ```swift
/// @Test(arguments: TransportConformance.checks)
/// func conforms(_ check: TransportConformance.Check) async throws {
///     let suite = TransportConformance { MyTransport(configuration: $0) }
///     try await suite.run(check)          // throws a ConformanceFailure that names the difference
/// }
/// ```
public struct TransportConformance: Sendable {
    /// A requirement on a transport.
    public struct Check: Sendable, CustomStringConvertible {
        /// The capability that the check belongs to.
        public let capability: TransportConfiguration.Capability
        /// The requirement in a few words.
        public let name: String
        /// False for requirements of HTTP/1.1 alone, and for checks that need a server of their own.
        let hasMeaningOverHTTP2: Bool
        let run: @Sendable (TransportFixture) async throws -> Void

        init(
            _ capability: TransportConfiguration.Capability, _ name: String, overHTTP2: Bool = true,
            _ run: @escaping @Sendable (TransportFixture) async throws -> Void
        ) {
            self.capability = capability
            self.name = name
            hasMeaningOverHTTP2 = overHTTP2
            self.run = run
        }

        /// Creates a check with a new server.
        init(
            _ capability: TransportConfiguration.Capability, _ name: String, overHTTP2: Bool = true,
            _ run: @escaping @Sendable (TransportFixture, MockServer) async throws -> Void
        ) {
            self.init(capability, name, overHTTP2: overHTTP2) { test in try await test.withServer(run) }
        }

        /// `capability: name`.
        public var description: String { "\(capability.rawValue): \(name)" }
    }

    /// The result of a check that did not fail.
    public enum Outcome: Hashable, Sendable {
        case passed
        /// The check was not run, for that reason.
        case leftOut(String)
    }

    /// All checks, in the order of ``TransportConfiguration/Capability``.
    public static let checks: [Check] =
        bodyChecks + uploadChecks + exchangeChecks + timingChecks + codingChecks + connectionChecks + securityChecks
        + errorChecks

    /// The checks that apply to HTTP/2, for a suite with an `http2Certificate`.
    public static let http2Checks: [Check] = checks.filter(\.hasMeaningOverHTTP2) + streamChecks

    private let fixture: TransportFixture

    /// - Parameters:
    ///   - servers: servers that the suite does not start itself.
    ///   - http2Certificate: the certificate with which the suite's servers speak HTTP/2 only, for ``http2Checks``; nil for plain HTTP/1.1.
    ///   - makeTransport: makes a transport with these settings. It is called at least once for each check.
    public init(
        servers: ConformanceServers = ConformanceServers(), http2Certificate: MockCertificate? = nil,
        makeTransport: @escaping @Sendable (TransportConfiguration) throws -> any HTTPTransport
    ) {
        fixture = TransportFixture(makeTransport: makeTransport, servers: servers, certificate: http2Certificate)
    }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure`` if the transport does not meet the requirement.
    @discardableResult
    public func run(_ check: Check) async throws -> Outcome {
        let missing = try fixture.makeTransport(TransportConfiguration()).missingCapabilities
        if let reason = missing[check.capability] { return .leftOut(reason) }
        if fixture.certificate != nil, let reason = missing[.http2] { return .leftOut(reason) }
        do {
            try await ConformanceFailure.naming(check) { try await check.run(fixture) }
            return .passed
        } catch let missing as MissingServer {
            return .leftOut(missing.reason)
        }
    }

    /// Runs all checks, one after the other. Returns a line for each: `passed`, `left out` with the reason, or `FAILED`.
    public func report() async -> [String] { await ConformanceFailure.report(Self.checks, run) }
}

/// A requirement that a transport or a store does not meet.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The check, the expected and the found value.
    public let message: String

    init(_ message: String) { self.message = message }

    public var description: String { message }

    /// Runs a check or a part of it, and adds its name to a failure.
    static func naming<Check: Sendable>(_ check: Check, _ run: () async throws -> Void) async throws {
        do {
            try await run()
        } catch let error where !(error is MissingServer) {
            let reason = (error as? ConformanceFailure)?.message ?? "unexpected error \(error)"
            throw ConformanceFailure("\(check): \(reason)")
        }
    }

    /// Runs all checks, one after the other, and returns a line for each.
    static func report<Check: CustomStringConvertible>(
        _ checks: [Check], _ run: (Check) async throws -> TransportConformance.Outcome
    ) async -> [String] {
        var lines: [String] = []
        for check in checks {
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

/// Servers that the suite cannot start by itself. The checks that need a server which is nil are left out.
public struct ConformanceServers: Sendable {
    /// A TLS server for `localhost` whose certificate is signed by ``authority``. It answers `GET /small` with 200.
    public var tls: URL?
    /// The same, with HTTP/2 by ALPN.
    public var http2: URL?
    /// The same, which requires a client certificate and answers 400 without one.
    public var mutualTLS: URL?
    /// The same, with TLS 1.1 at most.
    public var legacyTLS: URL?
    /// The authority of the server's certificate, in PEM.
    public var authority: Data?
    /// Another authority, which did not sign the server's certificate, in PEM.
    public var otherAuthority: Data?
    /// The server's own certificate, in DER.
    public var serverCertificate: Data?
    /// The client certificate that ``mutualTLS`` accepts.
    public var clientCertificate: TransportConfiguration.ClientCertificate?
    /// An HTTP proxy on loopback that permits CONNECT to ``tls``.
    public var proxy: (host: String, port: Int)?
    /// An HTTP proxy for `localhost` that is reached over TLS, whose certificate is signed by ``authority``. It permits CONNECT to ``tls``.
    public var tlsProxy: (host: String, port: Int)?
    /// A SOCKS5 proxy on loopback.
    public var socksProxy: (host: String, port: Int)?
    /// Returns the number of requests whose target contains this text that the ``tls`` server has received. The suite uses it to prove
    /// that a transport sends nothing when trust is refused.
    public var requestCount: (@Sendable (_ text: String) async throws -> Int)?

    /// No servers.
    public init() {}
}

/// A check needs a server that was not given.
struct MissingServer: Error {
    let reason: String
}
