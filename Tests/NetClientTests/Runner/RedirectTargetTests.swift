@testable import NetClient

@Suite struct LocationTests {
    @Test(arguments: [
        ("/p", "https://a.example/p"), ("p", "https://a.example/x/p"), ("../p", "https://a.example/p"),
        ("./", "https://a.example/x/"), ("?b", "https://a.example/x/y?b"), ("//b.example/p", "https://b.example/p"),
        ("http://b.example:81/p?q#f", "http://b.example:81/p?q#f"), ("HTTPS://B.example/", "HTTPS://B.example/"),
        (" /p\t", "https://a.example/p"), ("#g", "https://a.example/x/y?q=1#g"),
        ("/p?a=b#", "https://a.example/p?a=b#"), ("/p:q", "https://a.example/p:q"),
        ("http://[::1]:8080/p", "http://[::1]:8080/p"), ("/http://b.example/", "https://a.example/http://b.example/"),
        ("?u=http://b.example/", "https://a.example/x/y?u=http://b.example/"),
        // Invalid characters, beside encoded ones.
        ("/a b%20c", "https://a.example/a%20b%20c"), ("/ü%C3%BC", "https://a.example/%C3%BC%C3%BC"),
        ("/a?q=ü b&r=%26", "https://a.example/a?q=%C3%BC%20b&r=%26"), ("/100%", "https://a.example/100%25"),
        ("/%zz%4", "https://a.example/%25zz%254"),
        (#"/a"<>\^`{|}[b]"#, "https://a.example/a%22%3C%3E%5C%5E%60%7B%7C%7D%5Bb%5D"),
        ("/a?b[]=1%5B", "https://a.example/a?b%5B%5D=1%5B"), ("/a\tb\u{1}\u{7F}", "https://a.example/a%09b%01%7F"),
        ("/p#a#b c", "https://a.example/p#a%23b%20c"), (#"\\b.example\p"#, "https://a.example/x/%5C%5Cb.example%5Cp"),
        ("http://münchen.example/ü%20", "http://xn--mnchen-3ya.example/%C3%BC%20"),
        ("/🧡", "https://a.example/%F0%9F%A7%A1"),
    ]) func locationIsResolved(_ location: String, expected: String) throws {
        #expect(try url("https://a.example/x/y?q=1").following(location: location)?.absoluteString == expected)
    }

    /// A server does not choose the client's credentials. Those of the caller's URL stay at their origin.
    @Test(arguments: [
        ("https://user:pw@b.example/p", "https://b.example/p"), ("//user@b.example:81/p", "https://b.example:81/p"),
        ("https://a@b@c.example/@p?q=@#@", "https://c.example/@p?q=@#@"),
        ("http://u:p@[::1]:8080/p", "http://[::1]:8080/p"),
        ("https://:@b.example/", "https://b.example/"), ("/p@q", "https://me:mine@a.example/p@q"),
    ]) func userInformationIsRemoved(_ location: String, expected: String) throws {
        #expect(try url("https://me:mine@a.example/x").following(location: location)?.absoluteString == expected)
    }

    /// RFC 9110, section 10.2.2, with its two examples.
    @Test(arguments: [
        ("http://www.example.org/~tim", "/People.html#tim", "http://www.example.org/People.html#tim"),
        (
            "http://www.example.org/index.html#larry", "http://www.example.net/index.html",
            "http://www.example.net/index.html#larry"
        ),
        ("http://a.example/#a%20b", "?q", "http://a.example/?q#a%20b"),
        ("http://a.example/#a", "/p#", "http://a.example/p#"),
    ]) func fragmentIsInherited(_ text: String, location: String, expected: String) throws {
        #expect(try url(text).following(location: location)?.absoluteString == expected)
    }

    @Test(arguments: [("/there", true), ("/elsewhere", false)])
    func severalLocationsAreFollowedIfTheyAreEqual(_ second: String, isFollowed: Bool) async throws {
        let headers = HTTPHeaders(received: ["/there", second].map { HTTPHeader(name: "Location", value: $0) })
        let transport = StubTransport(.success(answer(302, headers: headers)), .success(answer()))
        let client = NetworkClient(transport: transport)
        if isFollowed {
            #expect(try await client.response(for: request()).status == 200)
        } else {
            let failure = try await failure { try await client.response(for: request()) }
            #expect((failure.underlyingError as? RedirectPolicy.Refusal)?.reason == .malformedLocation)
        }
        #expect(transport.exchanges.map { $0.request.url?.path } == (isFollowed ? ["/", "/there"] : ["/"]))
    }
}

/// Only the server on a Unix-domain socket may redirect to that socket (SSRF).
@Suite struct UnixSocketRedirectTests {
    private func sent(
        _ start: String, _ locations: [String: String], _ policy: RedirectPolicy = .default
    ) async throws -> (urls: [String], refusal: RedirectPolicy.Refusal.Reason?, fields: [String?]) {
        let transport = StubTransport { request, _, _ in
            guard let location = locations[request.url?.absoluteString ?? ""] else { return answer() }
            return answer(302, headers: ["Location": location])
        }
        let client = NetworkClient(transport: transport, redirectPolicy: policy)
        var refusal: RedirectPolicy.Refusal.Reason?
        let first = try request(start, headers: ["Authorization": "secret"])
        do throws(NetworkFailure) {
            _ = try await client.response(for: first)
        } catch {
            refusal = (error.underlyingError as? RedirectPolicy.Refusal)?.reason
        }
        let urls = transport.exchanges.compactMap { $0.request.url?.absoluteString }
        return (urls, refusal, transport.sent("Authorization"))
    }

    @Test(arguments: [
        "http+unix://%2Frun%2Fa.sock/", "HTTP+UNIX://%2Frun%2Fa.sock/", "http+unix://%2Frun%2Fa.sock", "http+unix://x/",
    ]) func redirectToASocketIsRefused(_ location: String) async throws {
        for start in ["http://a.example/", "https://a.example/"] {
            let result = try await sent(start, [start: location], RedirectPolicy(allowsInsecure: true))
            #expect(result.urls == [start] && result.refusal == .scheme)
        }
    }

    @Test func redirectToTheSameSocketIsFollowed() async throws {
        let (start, next) = ("http+unix://%2Frun%2Fa.sock/v1", "http+unix://%2Frun%2Fa.sock/v2?x=1")
        for location in ["/v2?x=1", next, "v2?x=1"] {
            let result = try await sent(start, [start: location])
            #expect(result.urls == [start, next] && result.fields == ["secret", "secret"])
        }
    }

    @Test(arguments: [
        "http+unix://%2Frun%2Fb.sock/", "//%2Frun%2Fb.sock/", "http+unix://%2Frun%2FA.sock/", "http+unix://b/",
    ])
    func redirectToAnotherSocketIsRefused(_ location: String) async throws {
        let start = "http+unix://%2Frun%2Fa.sock/v1"
        let result = try await sent(start, [start: location])
        #expect(result.urls == [start] && result.refusal == .scheme)
    }

    /// Without credentials, and not back.
    @Test func redirectFromASocketToTheNetworkIsFollowed() async throws {
        let (start, away) = ("http+unix://%2Frun%2Fa.sock/v1", "http://a.example/x")
        let result = try await sent(start, [start: away, away: start])
        #expect(result.urls == [start, away] && result.fields == ["secret", nil] && result.refusal == .scheme)
    }

    @Test func pagesStayOnTheSocket() async throws {
        let transport = StubTransport { request, _, _ in
            let isFirst = request.url?.absoluteString.contains("page=2") == false
            let next = request.url?.scheme == "http" ? "http+unix://%2Frun%2Fa.sock/?page=2" : "?page=2"
            return answer(200, "[1]", headers: isFirst ? ["Link": "<\(next)>; rel=\"next\""] : [:])
        }
        let client = NetworkClient(transport: transport)
        let pages = client.pages(of: [Int].self, for: try request("http+unix://%2Frun%2Fa.sock/"))
        #expect(try await pages.reduce(into: []) { $0.append($1.value) } == [[1], [1]])
        await #expect(throws: (any Error).self) {
            for try await _ in client.pages(of: [Int].self, for: try request("http://a.example/")) {}
        }
        #expect(transport.exchanges.count == 3)
    }

    @Test func endpointsAndCookiesOfASocket() async throws {
        let transport = StubTransport { request, _, _ in answer(200, "1", headers: ["Set-Cookie": "a=b"]) }
        var configuration = NetworkClient.Configuration(baseURL: URL(string: "http+unix://%2Frun%2Fa.sock/v1"))
        configuration.transport = transport
        let client = NetworkClient(configuration: configuration)
        for _ in 0..<2 { #expect(try await client.send(Request<Int>(path: "/users/1")) == 1) }
        let url = "http+unix://%2Frun%2Fa.sock/v1/users/1"
        #expect(transport.exchanges.map { $0.request.url?.absoluteString } == [url, url])
        #expect(transport.exchanges.allSatisfy { $0.request.value(forHTTPHeaderField: "Cookie") == nil })
    }
}
