import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

/// RFC 9421, appendix B: the request of B.2, with the keys of B.1.
@Suite(.startsProcesses) struct HTTPMessageSignerTests {
    private let date = Date(timeIntervalSince1970: 1_618_884_473.9)

    private func request(_ url: String = "https://example.com/foo?param=Value&Pet=dog") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = [
            "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json", "Content-Length": "18",
            "Content-Digest":
                "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
        ]
        return request
    }

    /// B.2.5.
    @Test func hmacSHA256() async throws {
        let key = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(try #require(Data(base64Encoded: key))), keyID: "test-shared-secret",
            components: ["Date", "@authority", "content-type"], label: "sig-b25")
        let signed = try await signer.sign(try request(), body: nil, at: date)
        let input = #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        #expect(signed["Signature-Input"] == input)
        #expect(signed["Signature"] == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    }

    /// B.2.6.
    @Test func ed25519() async throws {
        let key = try #require(Data(base64Encoded: "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF"))
        let signer = HTTPMessageSigner(
            key: .ed25519(key), keyID: "test-key-ed25519",
            components: ["date", "@method", "@path", "@authority", "content-type", "content-length"], label: "sig-b26")
        let signed = try await signer.sign(try request(), body: nil, at: date)
        let signature = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
        #expect(signed["Signature"] == "sig-b26=:\(signature):")
    }

    /// A signature of this kind is another one each time, so openssl has to say whether it is good.
    @Test(.requires(.openssl)) func ecdsa() async throws {
        let folder = try TemporaryDirectory()
        let pem = folder.file("key.pem").path
        try await ProcessRunner.run(
            "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", pem]
        ).checked()
        let der = try await ProcessRunner.run(
            "openssl", ["pkcs8", "-topk8", "-nocrypt", "-in", pem, "-outform", "DER"]
        ).checked().output
        let signer = HTTPMessageSigner(key: .ecdsaP256(der), keyID: "k")
        for _ in 0..<8 {
            let signed = try await signer.sign(try request(), body: nil, at: date)
            let value = try #require(signed["Signature"])
            let pair = try #require(Data(base64Encoded: String(value.dropFirst("sig1=:".count).dropLast())))
            #expect(pair.count == 64)
            let base = """
                "@method": POST
                "@target-uri": https://example.com/foo?param=Value&Pet=dog
                "@signature-params": ("@method" "@target-uri");created=1618884473;keyid="k"
                """
            try Self.sequence(pair).write(to: folder.file("signature"))
            try Data(base.utf8).write(to: folder.file("base"))
            let files = ["-signature", folder.file("signature").path, folder.file("base").path]
            let verdict = try await ProcessRunner.run("openssl", ["dgst", "-sha256", "-prverify", pem] + files)
            #expect(verdict.text.contains("Verified OK"))
        }
        for key: HTTPMessageSigner.Key in [.ed25519(der), .ecdsaP256(Data("key".utf8))] {
            let signer = HTTPMessageSigner(key: key, keyID: "k")
            await #expect(throws: RequestBuildingError.self) { try await signer.sign(request(), body: nil, at: date) }
        }
    }

    private static func sequence(_ pair: Data) -> Data {
        let numbers = [pair.prefix(32), pair.suffix(32)].map { number -> Data in
            var digits = Data(number.drop { $0 == 0 })
            if let first = digits.first, first >= 0x80 { digits = [0] + digits }
            return Data([0x02, UInt8(digits.count)]) + digits
        }
        return Data([0x30, UInt8(numbers[0].count + numbers[1].count)]) + numbers[0] + numbers[1]
    }

    /// The derived components of RFC 9421, section 2.2. The query begins at the first question mark, and may contain others.
    private static let derived: [(String, [(name: String, value: String)])] = [
        (
            "https://www.example.com:8443/path%20x?param=value&x",
            [
                ("@method", "POST"), ("@target-uri", "https://www.example.com:8443/path%20x?param=value&x"),
                ("@authority", "www.example.com:8443"), ("@scheme", "https"),
                ("@request-target", "/path%20x?param=value&x"), ("@path", "/path%20x"), ("@query", "?param=value&x"),
                ("content-type", "application/json"),
            ]
        ),
        ("https://Example.com", [("@authority", "example.com"), ("@path", "/"), ("@query", "?")]),
        (
            "https://example.com/a?b=c?d=/e?",
            [("@path", "/a"), ("@query", "?b=c?d=/e?"), ("@request-target", "/a?b=c?d=/e?")]
        ),
        ("https://example.com/a?", [("@path", "/a"), ("@query", "?")]),
    ]

    @Test func derivedComponentsOfARequest() throws {
        for (url, components) in Self.derived {
            let base = try HTTPMessageSigner.base(request(url), components.map { $0.name }, "()")
            let lines = components.map { "\"\($0.name)\": \($0.value)\n" }.joined()
            #expect(base == lines + "\"@signature-params\": ()", "\(url)")
        }
    }

    @Test func missingComponentCannotBeSigned() async throws {
        for components in [["x-missing"], ["@unknown"], ["date", "date"]] {
            let signer = HTTPMessageSigner(key: .hmacSHA256(Data([1])), keyID: "k", components: components)
            await #expect(throws: RequestBuildingError.self) { try await signer.sign(request(), body: nil, at: date) }
        }
    }

    @Test func contentDigestIsSigned() async throws {
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(Data([1])), keyID: "k", components: ["@method", "content-digest"], lifetime: 60)
        let plain = URLRequest(url: try #require(URL(string: "https://example.com/")))
        let signed = try await signer.sign(plain, body: HTTPBody(#"{"hello": "world"}"#), at: date)
        // RFC 9530, appendix B.
        #expect(signed["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
        let input = #"sig1=("@method" "content-digest");created=1618884473;expires=1618884533;keyid="k""#
        #expect(signed["Signature-Input"] == input)
        let empty = try await signer.sign(plain, body: nil, at: date)
        #expect(empty["Signature-Input"]?.contains("content-digest") == false)
        await #expect(throws: NetworkError.bodyNotReplayable) {
            try await signer.sign(plain, body: HTTPBody(pulling: { nil }), at: date)
        }
    }

    @Test func redirectToAnotherHostIsNotSigned() async throws {
        let clock = TestClock(now: date)
        let transport = StubTransport { request, _, _ in
            let status = request.url?.host == "api.example" ? 302 : 200
            return TransportResponse(status: status, headers: ["Location": "https://evil.example/"], url: request.url)
        }
        let signer = HTTPMessageSigner(key: .hmacSHA256(Data([1])), keyID: "k")
        let client = NetworkClient(
            interceptors: [SigningInterceptor(signer, hosts: ["API.example"])], transport: transport, clock: clock)
        let url = try #require(URL(string: "https://api.example/"))
        _ = try await client.send(URLRequest(url: url))
        let inputs = transport.exchanges.map { $0.request["Signature-Input"] }
        #expect((inputs.count, inputs[0]?.contains("created=1618884473")) == (2, true) && inputs[1] == nil)
    }
}

extension URLRequest { subscript(name: String) -> String? { value(forHTTPHeaderField: name) } }
