import NetClient
import TestLab
import Testing

@testable import NetSecurity

/// Authlib's authorization server (Tests/Servers), in a process of its own on a port that the system chose.
struct AuthorizationServer: Sendable {
    let issuer: String
    private let process: BackgroundProcess

    struct Seen: Decodable, Sendable { let path: String, form: [String: String], authorization: String? }

    init() async throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let process = try BackgroundProcess(
            Tool.pythonPackages.path(), ["\(root)/Tests/Servers/authorization_server.py"])
        let port = try await waitUntil("the authorization server has said its port") { () -> Int? in
            if let termination = process.termination { throw LabError("\(termination): \(process.output)") }
            return process.output.hasSuffix("\n")
                ? process.output.split(separator: "\n").first.flatMap { Int($0) } : nil
        }
        self.process = process
        issuer = "http://127.0.0.1:\(port)"
    }

    func url(_ path: String) throws -> URL { try #require(URL(string: issuer + path)) }

    func client(
        _ clientID: String = "app", authentication: OAuthClient.Authentication = .none, scopes: [String] = ["profile"],
        using http: any HTTPSending = NetworkClient(), clock: any NetworkClock = .system
    ) async throws -> OAuthClient {
        OAuthClient(
            server: try await OAuthClient.Server.discover(issuer: issuer, using: http), clientID: clientID,
            authentication: authentication, scopes: scopes, using: http, clock: clock)
    }

    func set(_ options: [String: JSONValue]) async throws { try await post("/test/options", .object(options)) }

    func decide(_ device: OAuthClient.DeviceAuthorization, isApproved: Bool) async throws {
        try await post("/test/approve", ["user_code": .string(device.userCode), "approved": .bool(isApproved)])
    }

    func expireAccessTokens() async throws { try await post("/test/expire", [:]) }

    func requests(to path: String) async throws -> [Seen] {
        let response = try await NetworkClient().send(URLRequest(url: url("/test/requests")))
        return try JSONDecoder().decode([Seen].self, from: await response.body.collect(upTo: 1 << 20))
            .filter { $0.path == path }
    }

    /// The status of the protected resource, and who it says that the user is.
    func me(_ accessToken: String) async throws -> String {
        var request = URLRequest(url: try url("/me"))
        request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
        let response = try await NetworkClient().response(for: request)
        guard response.status == 200 else { return "status \(response.status)" }
        return try JSONDecoder().decode([String: String].self, from: response.body.data ?? Data())["user"] ?? ""
    }

    private func post(_ path: String, _ value: JSONValue) async throws {
        var request = URLRequest(url: try url(path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let body = HTTPBody(try JSONEncoder().encode(value))
        let status = try await NetworkClient().send(request, body: body).status
        guard status == 204 else { throw LabError("\(path): \(status)") }
    }
}

/// A user with a browser that follows redirects; the page it ends on is the loopback listener's.
func browser(adding query: String = "") -> OAuthClient.WebStep {
    OAuthClient.WebStep.loopback { page in
        let url = try #require(URL(string: page.absoluteString + query))
        #expect(try await NetworkClient().send(URLRequest(url: url)).status == 200)
    }
}

/// Answers with what it was made with, and opens nothing.
func cannedStep(_ answer: @escaping @Sendable (_ page: URL) throws -> String) -> OAuthClient.WebStep {
    OAuthClient.WebStep { authorizationURL in
        let redirect = try #require(URL(string: "myapp://callback"))
        return try #require(URL(string: try answer(try authorizationURL(redirect))))
    }
}

func oauthError(_ work: () async throws -> some Any) async -> OAuthError? {
    await #expect(throws: OAuthError.self) { _ = try await work() }
}

extension URL {
    func queryValue(_ name: String) -> String? {
        URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }
}
