import NetClient
import NetSecurity
import NetTesting
import Testing

/// Signatures and digests are of the compressed bytes, which the server gets.
@Suite(.timeLimit(.minutes(2))) struct CompressedBodyTests {
    private func client(_ signer: some RequestSigner) -> NetworkClient {
        NetworkClient(interceptors: [SigningInterceptor(signer, hosts: ["127.0.0.1"])])
            .with { $0.requestCompression = .gzip }
    }

    @Test(arguments: [true, false]) func contentDigestIsOfTheCompressedBody(_ isInMemory: Bool) async throws {
        let server = try MockServer { _ in .text("ok") }
        let text = Data(String(repeating: "A line of text. ", count: 20_000).utf8)
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(Data(count: 32)), keyID: "key",
            components: ["@method", "content-digest", "content-encoding"])
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        // Each reading has other chunks.
        let readings = Locked(UInt64(0))
        let body =
            isInMemory
            ? HTTPBody(text)
            : HTTPBody(replaying: {
                let step = 1000 + 777 * Int(readings.next())
                return AsyncStream { continuation in
                    for start in stride(from: 0, to: text.count, by: step) {
                        continuation.yield(text[start...].prefix(step))
                    }
                    continuation.finish()
                }
            })
        _ = try await client(signer).response(for: request, body: body)
        let sent = try #require(server.requests.first)
        #expect(sent.decodedBody == text && sent.body.count < text.count / 4)
        var hash = SHA256()
        hash.update(sent.body)
        #expect(sent.headers["Content-Digest"] == "sha-256=:\(Data(hash.finalize()).base64EncodedString()):")
        #expect(sent.headers["Signature-Input"]?.contains(#""content-digest" "content-encoding""#) == true)
    }

    @Test func repeatWithoutCompressionIsSignedAnew() async throws {
        let server = try MockServer { $0.headers["Content-Encoding"] == nil ? .text("ok") : .status(415) }
        let signer = AWSSignatureV4Signer(accessKeyID: "key", secretAccessKey: "secret", region: "r", service: "s3")
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "PUT"
        request.httpBody = Data(String(repeating: "A line of text. ", count: 2000).utf8)
        #expect(try await client(signer).response(for: request).status == 200)
        let digests = server.requests.map { SHA256.hex($0.body) }
        #expect(server.requests.map { $0.headers["X-Amz-Content-SHA256"] } == digests && Set(digests).count == 2)
    }
}
