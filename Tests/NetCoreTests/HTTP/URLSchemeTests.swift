import Testing

@testable import NetCore

/// What `http+unix` URLs mean for all modules.
@Suite struct URLSchemeTests {
    @Test(arguments: [
        ("http+unix://%2Fvar%2Frun%2Fdocker.sock/v1/info", "/var/run/docker.sock"), ("HTTP+UNIX://%2fa", "/a"),
        ("http+unix://%2Fa?x", "/a"), ("http+unix://%2Fa#f", "/a"), ("http+unix://%2Fa%3Ab%40c/", "/a:b@c"),
        ("http+unix://%2FA%20b%C3%BC/", "/A bü"), ("http+unix://a/", nil), ("http+unix:///a/", nil),
        ("http+unix://%2Fa:80/", nil), ("http+unix://u:p@%2Fa/", nil), ("http+unix://%2Fa%00/", nil),
        ("http://%2Fa/", nil), ("http+unix:a", nil), ("http+unit://%2Fa/", nil), ("https+unix://%2Fa/", nil),
        ("/a", nil),
    ])
    func unixSocketPathOfAURL(_ text: String, _ path: String?) throws { #expect(try url(text).unixSocketPath == path) }

    /// Paths that differ by case or by Unicode's normalization are different origins.
    @Test func originsOfSockets() throws {
        let origins = try ["%2Fa", "%2FA", "%2F%C3%BC", "%2Fu%CC%88"].map { try url("http+unix://\($0)/x").origin }
        #expect(Set(origins).count == 4 && !origins.contains(nil))
        #expect(try url("http+unix://%2fa/y").origin == origins[0] && url("http+unix://a/").origin == nil)
    }

    @Test func hostIsLocalhost() throws {
        let socket = try url("http+unix://%2Fa/x")
        #expect(try socket.hostField == "localhost" && socket.isLoopback && url("http+unix://a/x").hostField == nil)
    }

    @Test func errorNamesThePercentEncodedPath() throws {
        let text = RequestBuildingError.notHTTP(try url("http+unix://run/app.sock")).description
        #expect(text.contains("http+unix://%2Frun%2Fapp.sock"))
    }
}
