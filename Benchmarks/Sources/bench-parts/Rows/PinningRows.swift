import BenchKit
import Foundation
import NetClient
import NetCore
import NetSecurity

/// What pins cost: the check of a chain, which each new connection pays, and a request on a connection that is used again, which is to be
/// compared with the row above it.
func pinningRows() throws -> [Row] {
    let bench = PinningBench()
    return [
        Row(name: "pinning: check of two certificates, by key", goal: "< 20 µs", operations: 5000) { count in
            let (policy, chain) = try (bench.policy(), bench.chain())
            for _ in 0..<count { try policy.evaluate(chain, host: "localhost") }
        },
        Row(name: "pinning: https, reused connection, no policy", operations: 5000) { count in
            try await bench.fetch(count, over: bench.client(isPinned: false))
        },
        Row(name: "pinning: https, reused connection, pins", goal: "< 20 µs above", operations: 5000) { count in
            try await bench.fetch(count, over: bench.client(isPinned: true))
        },
    ]
}

/// What is to be ended with the program, which lets go of no object at its end.
nonisolated(unsafe) private var endedAtExit: (process: Process, folder: URL)?

/// An nginx with TLS in a folder of its own, started by the first row that wants it. It ends with the program.
private final class PinningBench {
    private struct Server {
        let process: Process
        let folder: URL
        let certificate: Data
        let url: URL
    }

    private var started: Server?
    private var clients: [Bool: NetworkClient] = [:]

    func policy() throws -> PinningPolicy {
        let certificate = try server().certificate
        return try PinningPolicy([
            PinningPolicy.Host(
                "localhost",
                pins: [.publicKey(ofCertificate: certificate), .publicKey(sha256: Data(repeating: 1, count: 32))])
        ])
    }

    /// The one that fits is the second.
    func chain() throws -> CertificateChain {
        let certificate = try server().certificate
        var other = certificate
        other[other.count / 2] ^= 1
        return CertificateChain(certificates: [other, certificate])
    }

    func client(isPinned: Bool) throws -> NetworkClient {
        if let client = clients[isPinned] { return client }
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        configuration.certificateAuthorities = .onlyFile(try server().folder.appendingPathComponent("server.pem"))
        if isPinned { configuration.trustPolicy = try policy() }
        let client = NetworkClient(transport: .platform(configuration))
        clients[isPinned] = client
        return client
    }

    func fetch(_ count: Int, over client: NetworkClient) async throws {
        let request = URLRequest(url: try server().url)
        for _ in 0..<count {
            guard try await client.data(for: request).data.count == 2 else { throw Failure("no answer") }
        }
    }

    private func server() throws -> Server {
        if let started { return started }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-pinning-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let openssl = try Self.process(
            folder,
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                "server.key", "-out", "server.pem",
            ])
        openssl.waitUntilExit()
        let pem = try String(contentsOf: folder.appendingPathComponent("server.pem"), encoding: .utf8)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        guard let certificate = Data(base64Encoded: lines.joined()) else {
            throw Failure("openssl made no certificate")
        }
        let port = Int.random(in: 20_000..<30_000)
        try Data(Self.configuration(port).utf8).write(to: folder.appendingPathComponent("nginx.conf"))
        let process = try Self.process(folder, ["nginx", "-p", folder.path, "-e", "error.log", "-c", "nginx.conf"])
        endedAtExit = (process, folder)
        atexit {
            if let process = endedAtExit?.process { kill(process.processIdentifier, SIGKILL) }
            if let folder = endedAtExit?.folder { try? FileManager.default.removeItem(at: folder) }
        }
        guard let url = URL(string: "https://localhost:\(port)/") else { throw Failure("no URL") }
        let server = Server(process: process, folder: folder, certificate: certificate, url: url)
        started = server
        for _ in 0..<100 where !FileManager.default.fileExists(atPath: folder.appendingPathComponent("pid").path) {
            Thread.sleep(forTimeInterval: 0.05)
        }
        return server
    }

    private static func process(_ folder: URL, _ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["PATH=/usr/bin:/usr/sbin:/bin:/opt/homebrew/bin:/usr/local/bin"] + arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func configuration(_ port: Int) -> String {
        """
        daemon off; master_process off; pid pid; error_log error.log;
        events {}
        http {
            access_log off; keepalive_requests 1000000000; tcp_nodelay on;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
            ssl_certificate server.pem; ssl_certificate_key server.key;
            server { listen 127.0.0.1:\(port) ssl; location / { return 200 ok; } }
        }
        """
    }
}
