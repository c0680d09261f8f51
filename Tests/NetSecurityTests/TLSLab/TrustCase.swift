import TestLab
import Testing

@testable import NetSecurity

/// One client against one server, and what has to come of it.
struct TrustCase: Sendable, CustomTestStringConvertible {
    enum Verdict: Equatable, Sendable {
        case status(Int)
        case pinningFailed
        case failed(TransportError.Code)
        static let untrusted = Verdict.failed(.certificateUntrusted)
    }

    typealias Pins = @Sendable (PinningCertificates) throws -> [PinningPolicy.Pin]
    typealias Authorities = @Sendable (PinningCertificates) -> [TestCertificate]
    typealias Change = @Sendable (inout TransportConfiguration, Material) throws -> Void

    struct Material: Sendable { let all: PinningCertificates, clients: TestCertificates, proxyPort: Int, port: Int }

    let name: String
    let server: TrustLab.Server
    let verdict: Verdict
    let port: TrustLab.Port
    let host: String
    let pins: Pins
    /// Those that the client trusts besides its pins.
    let authorities: Authorities
    let change: Change

    var testDescription: String { name }

    init(
        _ name: String, _ server: TrustLab.Server, _ verdict: Verdict, port: TrustLab.Port = .http1,
        host: String = "localhost", pins: @escaping Pins = { [try key($0.server.certificate)] },
        authorities: @escaping Authorities = { [$0.root] }, change: @escaping Change = { _, _ in }
    ) {
        (self.name, self.server, self.verdict, self.port, self.host) = (name, server, verdict, port, host)
        (self.pins, self.authorities, self.change) = (pins, authorities, change)
    }

    func configuration(_ material: Material) throws -> TransportConfiguration {
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        configuration.certificateAuthorities = .only(
            pem: try Data(authorities(material.all).map { try $0.pem }.joined()))
        configuration.trustPolicy = try PinningPolicy([
            PinningPolicy.Host(host, pins: pins(material.all) + [Self.unused])
        ])
        try change(&configuration, material)
        return configuration
    }

    /// The backup pin, of a key that does not exist.
    static let unused = PinningPolicy.Pin.publicKey(sha256: Data(repeating: 7, count: 32))

    static func key(_ certificate: TestCertificate) throws -> PinningPolicy.Pin {
        try .publicKey(ofCertificate: certificate.der)
    }

    static func whole(_ certificate: TestCertificate) -> PinningPolicy.Pin { .certificate(certificate.der) }
}
