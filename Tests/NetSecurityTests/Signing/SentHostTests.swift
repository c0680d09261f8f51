import NetClient
import TestLab
import Testing

@testable import NetSecurity

/// What is signed, compared with the bytes that arrive.
@Suite("A signature is over the Host that is really sent") struct SentHostTests {
    /// Hosts as they stand in URLs; `caller` is a `Host` field of the caller. `PORT` is the server's port.
    struct Case: Sendable, CustomTestStringConvertible {
        let host: String
        var caller: String?
        var testDescription: String { host + (caller.map { ", Host: \($0)" } ?? "") }
    }

    static let cases =
        [
            "127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7f000001", "127.000.0.1", "127.0.0.01",
            "127.0.0.1.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[::1%25lo]", "[::ffff:127.0.0.1]", "localhost",
            "LocalHost", "LOCALHOST.", "a.test", "API.Example.TEST", "a-b_c.test", "h%6Fst.test", "bücher.test",
            "b%C3%BCcher.test", "xn--bcher-kva.test", "user:pw@a.test", "1.2.3.4.5", "256.1.1.1", "a.b.c.0x1",
        ].map { Case(host: $0) } + [
            Case(host: "127.0.0.1", caller: "Other.Example"), Case(host: "127.1", caller: "other.example:8443"),
            Case(host: "[::1]", caller: "[::1]"), Case(host: "a.test", caller: "  spaced.example "),
            Case(host: "a.test", caller: "other.example:80"),
        ]

    private let secret = Data("secret".utf8)

    private func client(_ server: WireServer, _ signer: some RequestSigner) -> NetworkClient {
        var configuration = TransportConfiguration()
        configuration.resolveOverrides = [
            "a.test", "api.example.test", "a-b_c.test", "host.test", "xn--bcher-kva.test", "1.2.3.4.5", "256.1.1.1",
            "a.b.c.0x1", "127.0.0.1.", "localhost.",
        ].map { TransportConfiguration.ResolveOverride(host: $0, port: server.port, addresses: ["127.0.0.1"]) }
        return NetworkClient(interceptors: [AnySigning(signer: signer)], transport: .platform(configuration))
    }

    private func send(_ one: Case, with signer: some RequestSigner, path: String) async throws -> WireHead? {
        let server = try WireServer()
        defer { server.close() }
        guard let url = URL(string: "http://\(one.host):\(server.port)\(path)") else {
            #expect(Self.unreachable.contains(one.host), "nothing was sent")
            return nil
        }
        var request = URLRequest(url: url)
        if let caller = one.caller { request.setValue(caller, forHTTPHeaderField: "Host") }
        do { _ = try await client(server, signer).data(for: request) } catch {
            // A host that cannot be connected to is not signed.
            guard server.takeHeads().isEmpty, Self.unreachable.contains(one.host) else { throw error }
            return nil
        }
        let heads = server.takeHeads()
        #expect(!heads.isEmpty, "nothing was sent")
        return heads.last
    }

    @Test("HTTP Message Signatures", arguments: cases) func messageSignatures(_ one: Case) async throws {
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(secret), keyID: "k", components: ["@authority", "@target-uri", "@request-target", "host"])
        guard let head = try await send(one, with: signer, path: "/a//b/../c?x=%20y&z") else { return }
        #expect(head["host"].count == 1)
        let host = try #require(head["host"].first)
        let authority = (host.hasSuffix(":80") ? String(host.dropLast(3)) : host).lowercased()
        let input = try #require(head["signature-input"].first?.dropFirst("sig1=".count))
        let base = [
            "\"@authority\": \(authority)", "\"@target-uri\": http://\(authority)\(head.target)",
            "\"@request-target\": \(head.target)", "\"host\": \(host)", "\"@signature-params\": \(input)",
        ].joined(separator: "\n")
        let expected = Data(SHA256.hmac(Data(base.utf8), key: secret)).base64EncodedString()
        #expect(head["signature"] == ["sig1=:\(expected):"], "Host: \(host), \(head.target)")
    }

    @Test("Signature Version 4", arguments: cases) func signatureV4(_ one: Case) async throws {
        let signer = AWSSignatureV4Signer(accessKeyID: "AK", secretAccessKey: "SK", region: "r", service: "s3")
        guard let head = try await send(one, with: signer, path: "/a//b/../c%20d") else { return }
        let host = try #require(head["host"].first)
        let time = try #require(head["x-amz-date"].first)
        let payload = try #require(head["x-amz-content-sha256"].first)
        let canonical =
            "GET\n\(head.target)\n\nhost:\(host)\nx-amz-content-sha256:\(payload)\nx-amz-date:\(time)\n\nhost;x-amz-content-sha256;x-amz-date\n\(payload)"
        let scope = "\(time.prefix(8))/r/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hex(Data(canonical.utf8)))"
        let key = ["\(time.prefix(8))", "r", "s3", "aws4_request"].reduce(Data("AWS4SK".utf8)) {
            Data(SHA256.hmac(Data($1.utf8), key: $0))
        }
        let signature = SHA256.hmac(Data(text.utf8), key: key).hexadecimal
        #expect(
            head["authorization"].first?.hasSuffix("Signature=\(signature)") == true, "Host: \(host), \(head.target)")
    }

    /// Foundation makes no URL of it, or the transport refuses the host.
    private static let unreachable: Set<String> = ["b%C3%BCcher.test"]

    @Test(
        "Digest is over the target that is really sent",
        arguments: ["/a//b/../c", "/a%20b?x=%2F&y", "", "?q", "/ä/?ü", "/a;b=c,d"])
    func digest(_ path: String) async throws {
        let server = try WireServer(challenge: #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
        defer { server.close() }
        let login = ChallengeInterceptor(username: "ada", password: "pw", hosts: ["127.0.0.1:\(server.port)"])
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        _ = try await NetworkClient(interceptors: [login]).data(for: URLRequest(url: url))
        let head = try #require(server.takeHeads().last)
        let parameters = try #require(HTTPChallenge.parse(head["authorization"]).first?.parameters)
        #expect(parameters["uri"] == head.target)
        func hash(_ parts: String...) -> String { SHA256.hex(Data(parts.joined(separator: ":").utf8)) }
        let (count, nonce) = (parameters["nc"] ?? "", parameters["cnonce"] ?? "")
        #expect(parameters["response"] == hash(hash("ada:r:pw"), "n", count, nonce, "auth", hash("GET", head.target)))
    }

    @Test(
        "The Host field of a URL",
        arguments: [
            ("https://a.test:443/", "a.test"), ("http://a.test:80", "a.test"), ("http://a.test:443/", "a.test:443"),
            ("wss://a.test:443/x", "a.test"), ("ws://a.test:80/x", "a.test"), ("ws://a.test:443/", "a.test:443"),
            ("http://a.test:/", "a.test"), ("http://a.test:0080/", "a.test"), ("http://[::1]:80/", "[::1]"),
            ("http://[::80]/", "[::80]"), ("http://[fe80::1%25eth0]:8080/", "[fe80::1]:8080"),
            ("http://u:p@a.test:81/?@b", "a.test:81"), ("http://A.Test#x", "A.Test"),
            ("http://b%C3%BCcher.test/", "xn--bcher-kva.test"), ("file:///a", nil), ("http:///a", nil), ("/a", nil),
        ] as [(String, String?)])
    func hostField(_ url: String, field: String?) throws { #expect(try #require(URL(string: url)).hostField == field) }
}

private struct AnySigning: HTTPInterceptor {
    let signer: any RequestSigner
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await next(try await signer.sign(request, body: next.body, at: next.context.clock.now))
    }
}
