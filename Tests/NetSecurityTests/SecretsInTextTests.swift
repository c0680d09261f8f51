import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

/// Values of this module show no token, code, key or password, however they are printed.
@Suite struct SecretsInTextTests {
    private static let secret = "s3cr3tVa1ue"

    private func oauth() throws -> [(value: Any, shown: String)] {
        let secret = Self.secret
        let url = try #require(URL(string: "https://leia:\(secret)@auth.example/token?key=\(secret)"))
        let server = OAuthClient.Server(issuer: "https://auth.example", tokenEndpoint: url)
        let tokens = OAuthClient.Tokens(
            accessToken: secret, refreshToken: secret, expiration: nil, scopes: ["a"], idToken: secret, subject: "leia")
        let response = OAuthError.Response(
            code: "invalid_grant", explanation: secret, documentation: url, statusCode: 400)
        let device = OAuthClient.DeviceAuthorization(
            userCode: secret, verificationURI: url, verificationURIComplete: url, expiration: .distantFuture,
            interval: 5, deviceCode: secret)
        let http = NetworkClient(transport: StubTransport())
        return [
            (server, "auth.example"), (tokens, ""), (response, "400"), (OAuthError.server(response), ""),
            (OAuthError.server(response).localizedDescription, "invalid_grant"),
            (OAuthError.unsupported("a"), ""), (OAuthClient.Authentication.basic(secret: secret), ""),
            (OAuthClient.Authentication.post(secret: secret), ""),
            (OAuthClient(server: server, clientID: "app", authentication: .basic(secret: secret), using: http), ""),
            (device, ""),
        ]
    }

    private func sessions(_ folder: TemporaryDirectory) async throws -> [(value: Any, shown: String)] {
        let session = Session(userID: "leia", accessToken: Self.secret, refreshToken: Self.secret)
        let memory = InMemorySessionProvider()
        memory.setSession(session)
        let storage = InMemorySessionStorage()
        storage.store(Data(Self.secret.utf8), for: "leia")
        let copying = SessionProvider(storage: storage, keepsCopies: true)
        try copying.store(session)
        let authenticator = SessionAuthenticator(userID: "leia", sessions: copying, hosts: ["api.example"]) { $0 }
        var request = URLRequest(url: try #require(URL(string: "https://api.example/")))
        try await authenticator.authenticate(&request)
        #expect(request.value(forHTTPHeaderField: "Authorization")?.hasSuffix(Self.secret) == true)
        let key = Data(Self.secret.utf8) + Data(count: 32 - Self.secret.utf8.count)
        return [
            (session, "leia"), (memory, ""), (storage, ""), (copying, ""), (authenticator, "leia"),
            (try FileSessionStorage(directory: folder.url, encryptionKey: key), "isEncrypted: true"),
        ]
    }

    private var signers: [(value: Any, shown: String)] {
        let aws = AWSSignatureV4Signer(
            accessKeyID: "id", secretAccessKey: Self.secret, sessionToken: Self.secret, region: "r", service: "s")
        return [
            (HTTPMessageSigner(key: .hmacSHA256(Data(Self.secret.utf8)), keyID: "mine"), "mine"), (aws, ""),
            (ChallengeInterceptor(username: "ada", password: Self.secret, hosts: ["127.0.0.1"]), "127.0.0.1"),
        ]
    }

    @Test func descriptionsAndDumpsShowNoSecret() async throws {
        let folder = try TemporaryDirectory()
        for (value, shown) in try await oauth() + sessions(folder) + signers {
            #expect(textsShowing(Self.secret, of: value) == [], "\(type(of: value))")
            var text = ""
            dump(value, to: &text)
            #expect(shown.isEmpty || text.contains(shown), "\(text)")
        }
    }
}
