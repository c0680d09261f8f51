import NetTesting
import TestLab
import Testing

/// Challenges, redirects and cookies, asked by curl: a client that is not ours.
@Suite(.requires(.curl)) struct MockAuthenticationTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    private func curl(_ server: MockServer, _ arguments: [String], path: String = "/") async throws -> String {
        try await ProcessRunner.run(
            "curl", ["-sS", "--noproxy", "*", "-w", " %{http_code}"] + arguments + [server.url(path).absoluteString]
        ).checked().text
    }

    @Test(arguments: [
        MockAuthentication.basic(user: "user", password: "secret"), .bearer("secret"),
        .digest(user: "user", password: "secret"),
    ]) func letsInWhoKnowsTheSecret(_ authentication: MockAuthentication) async throws {
        server.on("/", requiring: authentication, .text("in"))
        let (right, wrong): ([String], [String]) =
            switch authentication {
            case .basic: (["--basic", "-u", "user:secret"], ["--basic", "-u", "user:guess"])
            case .bearer: (["-H", "Authorization: Bearer secret"], ["-H", "Authorization: Bearer guess"])
            case .digest: (["--digest", "-u", "user:secret"], ["--digest", "-u", "user:guess"])
            }
        #expect(try await (curl(server, right), curl(server, wrong), curl(server, [])) == ("in 200", " 401", " 401"))
        #expect(try await curl(server, ["-D", "-", "-o", "/dev/null"]).contains("WWW-Authenticate: "))
    }

    /// A proof is for one request, one path and one time.
    @Test func takesAProofOnce() async throws {
        server.on("/*", requiring: .digest(user: "user", password: "secret"), .text("in"))
        #expect(try await curl(server, ["--digest", "-u", "user:secret"], path: "/a?b=c") == "in 200")
        let proof = try #require(server.requests.last?.headers["Authorization"])
        #expect(try await curl(server, ["-H", "Authorization: \(proof)"], path: "/a?b=c") == " 401")
        #expect(try await curl(server, ["-H", "Authorization: \(proof)"], path: "/other") == " 401")
    }

    @Test func badTokenIsAnsweredWithInvalidToken() async throws {
        server.on("/", requiring: .bearer("secret"), .text("in"))
        let none = try await server.rawAnswer()
        let bad = try await server.rawAnswer(headers: ["Authorization: Bearer x"])
        #expect(none.contains("WWW-Authenticate: Bearer realm=\"mock\"\r\n"))
        #expect(bad.contains("error=\"invalid_token\""))
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func redirects(_ status: Int) async throws {
        let server = try MockServer { .text("\($0.method.rawValue) \($0.bodyText)") }
        server.redirect("/start", times: 3, to: "/end", status: status)
        #expect(
            try await curl(server, ["-L", "-d", "body"], path: "/start")
                == (status > 303 ? "POST body 200" : "GET  200"))
        #expect(server.requests.map(\.path) == ["/start", "/start/1", "/start/2", "/end"])
    }

    @Test func setsAndSeesCookies() async throws {
        let server = try MockServer { request in
            .text(request.cookies.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: ","))
        }
        server.enqueue(
            MockResponse.ok.settingCookie("a", "1").settingCookie("b", "2=2", "Path=/deep", "HttpOnly")
                .settingCookie("gone", "x", "Max-Age=0"))
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }  // curl reads from it.
        func jar() -> String { directory.file("jar").path }
        #expect(try await curl(server, ["-b", jar(), "-c", jar()]) == " 200")
        #expect(try await curl(server, ["-b", jar()]) == "a=1 200")
        #expect(try await curl(server, ["-b", jar()], path: "/deep/x") == "a=1,b=2=2 200")
        #expect((server.requests.last?.cookie("b"), server.requests.last?.cookie("c")) == ("2=2", nil))
    }
}
