import NetCore
import Testing

@testable import NetSecurity

/// Values of OAuth show no token, code or secret, however they are printed.
@Suite struct OAuthRedactionTests {
    private static let secret = "s3cr3tVa1ue"

    private struct Holder {
        let value: Any
    }

    static let values: [any Sendable] = {
        guard let url = URL(string: "https://leia:\(secret)@auth.example/token?key=\(secret)") else { return [] }
        let server = OAuthServer(issuer: "https://auth.example", tokenEndpoint: url)
        let tokens = OAuthTokens(
            accessToken: secret, refreshToken: secret, expiration: nil, scopes: ["a"], idToken: secret, subject: "leia")
        let response = OAuthError.Response(
            code: .invalidGrant, explanation: secret, documentation: url, statusCode: 400)
        return [
            server, tokens, response, OAuthError.server(response), OAuthError.unsupported("a"),
            OAuthClient.Authentication.basic(secret: secret), OAuthClient.Authentication.post(secret: secret),
            OAuthClient(server: server, clientID: "app", authentication: .basic(secret: secret), using: Nobody()),
            OAuthClient.DeviceAuthorization(
                userCode: secret, verificationURI: url, verificationURIComplete: url, expiration: .distantFuture,
                interval: 5, deviceCode: secret),
            Session(userID: "leia", accessToken: secret, refreshToken: secret),
        ]
    }()

    private struct Nobody: HTTPSending {
        func send(
            _ request: URLRequest, body: HTTPBody?, context: RequestContext?
        ) async throws(NetworkFailure) -> TransportResponse {
            throw NetworkFailure(cause: .cancelled)
        }
    }

    @Test(arguments: values.indices) func showsNoSecret(_ index: Int) {
        let value = Self.values[index]
        for nested in [value, Optional(value) as Any, [value], ["key": value], Holder(value: [value])] as [Any] {
            var dumped = ""
            dump(nested, to: &dumped)
            var children = "\(Mirror(reflecting: nested).children.map { "\($0)" })"
            debugPrint(nested, to: &children)
            for text in [dumped, children, "\(nested)", String(reflecting: nested)] {
                #expect(!text.contains(Self.secret), "\(text)")
            }
        }
    }
}
