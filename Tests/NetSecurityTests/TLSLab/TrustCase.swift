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

/// The cases: for each kind of server one that has to pass, and others that must not.
extension TrustCase {
    static let all = pinned + otherAuthorities + certificates + authorities + versions + clientCertificates + ways

    private static let siblingPin: Pins = { [try key($0.sibling.certificate)] }
    private static let intermediatePin: Pins = { [try key($0.intermediate)] }
    private static let withImpostor: Authorities = { [$0.root, $0.impostor] }
    private static let serverFile: Pins = { [whole($0.server.certificate)] }
    private static let selfSignedFile: Pins = { [whole($0.selfSigned.certificate)] }
    private static let withSelfSigned: Authorities = { [$0.selfSigned.certificate] }
    private static let withUpstart: Authorities = { [$0.root, $0.upstart] }
    private static let throughProxy: Change = { $0.proxy = .http(host: "127.0.0.1", port: $1.proxyPort) }
    private static let inPEM: Change = { $0.clientCertificate = try .pem(of: $1.clients.client) }
    private static let tls13: Change = { configuration, _ in configuration.minimumTLSVersion = .v1_3 }

    private static let pinned = [
        TrustCase("right key", .good, .status(200)),
        TrustCase("right certificate", .good, .status(200), pins: serverFile),
        TrustCase(
            "second pin fits", .good, .status(200),
            pins: { [try key($0.sibling.certificate), try key($0.server.certificate)] }),
        TrustCase("no pin fits", .good, .pinningFailed, pins: siblingPin),
        TrustCase("key of the intermediate authority", .good, .status(200), pins: intermediatePin),
        TrustCase("certificate of the intermediate authority", .good, .status(200), pins: { [whole($0.intermediate)] }),
        TrustCase("wrong leaf of the same authority", .sibling, .pinningFailed),
        TrustCase("wrong leaf of the same authority, by certificate", .sibling, .pinningFailed, pins: serverFile),
        TrustCase("that leaf by its own pin", .sibling, .status(200), pins: siblingPin),
        TrustCase("that leaf by its authority", .sibling, .status(200), pins: intermediatePin),
        TrustCase("another host is pinned", .good, .status(200), host: "other.example", pins: siblingPin),
    ]

    /// The device trusts the authority of a man in the middle, but pins do not.
    private static let otherAuthorities = [
        TrustCase("other authority of the same name", .otherAuthoritySameName, .untrusted),
        TrustCase(
            "other authority of the same name, trusted", .otherAuthoritySameName, .pinningFailed,
            pins: intermediatePin, authorities: withImpostor),
        TrustCase(
            "other authority, pinned", .otherAuthoritySameName, .status(200),
            pins: { [try key($0.forged.certificate)] }, authorities: withImpostor),
        TrustCase(
            "real authority sent along", .otherAuthorityWithStolenChain, .pinningFailed,
            pins: { [try key($0.intermediate), whole($0.intermediate)] }, authorities: withImpostor),
        TrustCase(
            "real leaf sent along", .otherAuthorityWithStolenChain, .pinningFailed,
            pins: { [try key($0.server.certificate), whole($0.server.certificate)] }, authorities: withImpostor),
        TrustCase(
            "real root sent along", .otherAuthorityWithStolenChain, .pinningFailed,
            pins: { [try key($0.root), whole($0.root)] }, authorities: withImpostor),
        TrustCase(
            "signed by a server that is no authority", .signedByAServer, .pinningFailed,
            pins: { [try key($0.intermediate), try key($0.sibling.certificate)] }, authorities: withUpstart),
        TrustCase(
            "signed by a server, pinned", .signedByAServer, .status(200), pins: { [try key($0.usurped.certificate)] },
            authorities: withUpstart),
    ]

    /// A matching pin does not help a server that the platform refuses.
    private static let certificates = [
        TrustCase("expired", .expired, .untrusted, pins: { [try key($0.expired.certificate)] }),
        TrustCase("not yet valid", .notYetValid, .untrusted, pins: { [try key($0.notYetValid.certificate)] }),
        TrustCase("wrong host", .wrongHost, .untrusted, pins: { [try key($0.wrongHost.certificate)] }),
        TrustCase(
            "its own host", .wrongHost, .status(200), host: "wrong.example",
            pins: { [try key($0.wrongHost.certificate)] }, change: { $0.resolve("wrong.example", $1) }),
        TrustCase(
            "its own host by a wildcard", .wrongHost, .pinningFailed, host: "*.example",
            pins: { [try key($0.server.certificate)] }, change: { $0.resolve("wrong.example", $1) }),
        TrustCase("self-signed", .selfSigned, .untrusted, pins: selfSignedFile),
        TrustCase("self-signed, trusted", .selfSigned, .status(200), pins: selfSignedFile, authorities: withSelfSigned),
        TrustCase("self-signed, trusted, wrong pin", .selfSigned, .pinningFailed, authorities: withSelfSigned),
        TrustCase("weak key", .weakKey, .untrusted, pins: { [try key($0.weak.certificate)] }),
        TrustCase("RSA key that is long enough", .rsa, .status(200), pins: { [try key($0.rsa.certificate)] }),
        TrustCase("missing intermediate", .missingIntermediate, .untrusted),
        TrustCase(
            "missing intermediate that the client has", .missingIntermediate, .status(200),
            authorities: { [$0.root, $0.intermediate] }),
    ]

    /// Only the given authorities, and none if they cannot be read.
    private static let authorities = [
        TrustCase(
            "authorities in a file", .good, .status(200),
            change: { $0.certificateAuthorities = .onlyFile($1.all.root.url) }),
        TrustCase(
            "the system's authorities", .good, .untrusted,
            change: { configuration, _ in configuration.certificateAuthorities = .system }),
        TrustCase("another authority alone", .good, .untrusted, authorities: { [$0.impostor] }),
        TrustCase("no authority", .good, .failed(.certificateAuthoritiesUnreadable), authorities: { _ in [] }),
        TrustCase(
            "authorities that are none", .good, .failed(.certificateAuthoritiesUnreadable),
            change: { configuration, _ in configuration.certificateAuthorities = .only(pem: Data("garbage".utf8)) }),
        TrustCase(
            "a file of authorities that is not there", .good, .failed(.certificateAuthoritiesUnreadable),
            change: { configuration, _ in
                configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: "/none/ca.pem"))
            }),
    ]

    private static let versions = [
        TrustCase("TLS 1.1 only", .onlyTLS1_1, .failed(.tlsHandshakeFailed)),
        TrustCase("TLS 1.2 only", .onlyTLS1_2, .status(200)),
        TrustCase("TLS 1.2 only, wrong pin", .onlyTLS1_2, .pinningFailed, pins: siblingPin),
        TrustCase("TLS 1.2 only, 1.3 wanted", .onlyTLS1_2, .failed(.tlsHandshakeFailed), change: tls13),
        TrustCase("TLS 1.3 wanted", .good, .status(200), change: tls13),
    ]

    // nginx asks by HTTP and not by TLS, so a client without a certificate is answered.
    private static let clientCertificates = [
        TrustCase("client certificate required, none shown", .good, .status(400), port: .clientCertificate),
        TrustCase("client certificate in PEM", .good, .status(200), port: .clientCertificate, change: inPEM),
        TrustCase(
            "client certificate in PKCS#12", .good, .status(200), port: .clientCertificate,
            change: { try $0.showPKCS12($1, password: $1.clients.clientPKCS12Password) }),
        TrustCase(
            "client certificate with a wrong password", .good, .failed(.clientCertificateRejected),
            port: .clientCertificate, change: { try $0.showPKCS12($1, password: "wrong") }),
        TrustCase(
            "client certificate of an unknown authority", .good, .status(400), port: .clientCertificate,
            change: { $0.clientCertificate = try .pem(of: $1.clients.otherClient) }),
        TrustCase(
            "client certificate, wrong pin", .good, .pinningFailed, port: .clientCertificate, pins: siblingPin,
            change: inPEM),
    ]

    private static let ways = [
        TrustCase("HTTP/2", .good, .status(200), port: .http2),
        TrustCase("HTTP/2, wrong pin", .good, .pinningFailed, port: .http2, pins: siblingPin),
        TrustCase("proxy in between", .good, .status(200), change: throughProxy),
        TrustCase("proxy in between, wrong pin", .good, .pinningFailed, pins: siblingPin, change: throughProxy),
        TrustCase(
            "proxy in between, HTTP/2, wrong pin", .good, .pinningFailed, port: .http2,
            pins: siblingPin, change: throughProxy),
    ]
}

extension TransportConfiguration {
    fileprivate mutating func resolve(_ host: String, _ material: TrustCase.Material) {
        resolveOverrides = [.init(host: host, port: material.port, addresses: ["127.0.0.1"])]
    }

    fileprivate mutating func showPKCS12(_ material: TrustCase.Material, password: String) throws {
        clientCertificate = .pkcs12(try Data(contentsOf: material.clients.clientPKCS12), password: password)
    }
}

extension TransportConfiguration.ClientCertificate {
    fileprivate static func pem(of identity: TestIdentity) throws -> TransportConfiguration.ClientCertificate {
        .pem(certificate: try identity.certificate.pem, key: try identity.keyPEM, password: nil)
    }
}
