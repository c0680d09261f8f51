import Foundation
import Testing

@testable import NetworkingRedis

struct RedisTLSTests {
    /// Makes a self-signed certificate for loopback by openssl.
    private func makeCertificate(in folder: URL) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj",
            "/CN=redis.test", "-addext", "subjectAltName=IP:127.0.0.1,DNS:redis.test", "-keyout",
            folder.path + "/key.pem", "-out",
            folder.path + "/certificate.pem",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: folder.appendingPathComponent("certificate.pem"))
    }

    @Test func verifiesTheServer() async throws {
        try await RedisServer.inFolder { folder in
            let certificate = try makeCertificate(in: folder)
            let port = try await freePorts(1)[0]
            let server = try await RedisServer(
                in: folder, port: nil,
                [
                    "--tls-port", "\(port)", "--bind", "127.0.0.1", "--tls-cert-file", folder.path + "/certificate.pem",
                    "--tls-key-file",
                    folder.path + "/key.pem", "--tls-auth-clients", "no",
                ])
            func client(_ tls: RedisTLS?) -> RedisClient {
                patientClient(.tcp(host: "127.0.0.1", port: port), timeout: 20) { $0.tls = tls }
            }
            for name in [nil, "redis.test"] {
                let reply = try await client(try RedisTLS(trustedCertificates: certificate, serverName: name)).send([
                    "PING"
                ])
                #expect(reply == .simpleString("PONG"))
            }
            // An authority that is not trusted, another name, and no TLS.
            let others: [RedisTLS?] = [
                try RedisTLS(), try RedisTLS(trustedCertificates: certificate, serverName: "other.test"), nil,
            ]
            for tls in others {
                let error = await #expect(throws: RedisError.self) { try await client(tls).send(["PING"]) }
                guard case .connectionFailed? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
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
