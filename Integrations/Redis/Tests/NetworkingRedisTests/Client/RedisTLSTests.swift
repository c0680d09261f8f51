import Foundation
import Testing

@testable import NetworkingRedis

struct RedisTLSTests {
    /// Makes a self-signed certificate by openssl.
    private func makeCertificate(for name: String, in folder: URL) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)", "-keyout", folder.path + "/key.pem", "-out",
            folder.path + "/certificate.pem",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: folder.appendingPathComponent("certificate.pem"))
    }

    /// The server is at 127.0.0.1.
    @Test(arguments: ["DNS:redis.test", "IP:127.0.0.1", "IP:127.0.0.2"])
    func verifiesTheServer(_ name: String) async throws {
        try await RedisServer.inFolder { folder in
            let certificate = try makeCertificate(for: name, in: folder)
            let (server, ports) = try await RedisServer.start(in: folder, ports: 1, isPlain: false) { ports in
                [
                    "--tls-port", "\(ports[0])", "--bind", "127.0.0.1", "--tls-cert-file",
                    folder.path + "/certificate.pem", "--tls-key-file", folder.path + "/key.pem", "--tls-auth-clients",
                    "no",
                ]
            }
            let settings: [(RedisTLS?, isTrusted: Bool)] = [
                (try RedisTLS(trustedCertificates: certificate), name == "IP:127.0.0.1"),
                (try RedisTLS(trustedCertificates: certificate, serverName: "redis.test"), name != "IP:127.0.0.2"),
                (try RedisTLS(trustedCertificates: certificate, serverName: "other.test"), name == "IP:127.0.0.1"),
                (try RedisTLS(), false), (nil, false),
            ]
            for (index, (tls, isTrusted)) in settings.enumerated() {
                let redis = patientClient(.tcp(host: "127.0.0.1", port: ports[0]), timeout: 20) { $0.tls = tls }
                do {
                    let reply = try await redis.send(["PING"])
                    #expect(isTrusted && reply == .simpleString("PONG"), "\(index)")
                } catch RedisError.connectionFailed {
                    #expect(!isTrusted, "\(index)")
                }
            }
            await server.stop()
        }
    }

    @Test func refusesWhatIsNotPEM() {
        let error = #expect(throws: RedisError.self) { try RedisTLS(trustedCertificates: Data("nothing".utf8)) }
        guard case .invalidConfiguration? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
