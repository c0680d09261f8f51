import NetClient
import NetSecurity
import NetTesting
import Testing

/// Signatures and digests are of the compressed bytes, which the server gets.
@Suite(.timeLimit(.minutes(2))) struct CompressedBodyTests {
    @Test(arguments: [true, false]) func theDigestIsOfWhatIsSent(_ isInMemory: Bool) async throws {
        let server = try MockServer { _ in .text("ok") }
        let text = Data(String(repeating: "A line of text. ", count: 20_000).utf8)
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(Data(count: 32)), keyID: "key",
            components: ["@method", "content-digest", "content-encoding"])
        var configuration = NetworkClient.Configuration()
        configuration.requestCompression = .gzip
        configuration.interceptors = [SigningInterceptor(signer, hosts: ["127.0.0.1"])]
        let client = NetworkClient(configuration: configuration)
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        // Each reading has other chunks.
        let size = Locked(1000)
        let body =
            isInMemory
            ? HTTPBody(text)
            : HTTPBody(replaying: {
                let step = size.withLock { size in
                    size += 777
                    return size
                }
                return AsyncStream { continuation in
                    for start in stride(from: 0, to: text.count, by: step) {
                        continuation.yield(text[start...].prefix(step))
                    }
                    continuation.finish()
                }
            })
        _ = try await client.response(for: request, body: body)
        let sent = try #require(server.requests.first)
        #expect(sent.decodedBody == text && sent.body.count < text.count / 4)
        var hash = SHA256()
        hash.update(sent.body)
        #expect(sent.headers["Content-Digest"] == "sha-256=:\(Data(hash.finalize()).base64EncodedString()):")
        #expect(sent.headers["Signature-Input"]?.contains(#""content-digest" "content-encoding""#) == true)
        await server.stop()
    }

    @Test func theRepeatIsSignedAnew() async throws {
        let server = try MockServer { $0.headers["Content-Encoding"] == nil ? .text("ok") : .status(415) }
        let text = Data(String(repeating: "A line of text. ", count: 2000).utf8)
        var configuration = NetworkClient.Configuration()
        configuration.requestCompression = .gzip
        configuration.interceptors = [
            SigningInterceptor(
                AWSSignatureV4Signer(accessKeyID: "key", secretAccessKey: "secret", region: "r", service: "s3"),
                hosts: ["127.0.0.1"])
        ]
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "PUT"
        let response = try await NetworkClient(configuration: configuration).response(
            for: request, body: HTTPBody(text))
        #expect(response.status == 200)
        let digests = server.requests.map { request in
            var hash = SHA256()
            hash.update(request.body)
            return Data(hash.finalize()).map { String(format: "%02x", $0) }.joined()
        }
        #expect(server.requests.map { $0.headers["X-Amz-Content-SHA256"] } == digests && Set(digests).count == 2)
    }
}
