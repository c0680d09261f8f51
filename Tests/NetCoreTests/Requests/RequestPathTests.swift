import NetCore
import Testing

@Suite struct RequestPathTests {
    @Test(arguments: [
        ("https://a.example", "users", "https://a.example/users"),
        ("https://a.example", "/users", "https://a.example/users"),
        ("https://a.example/", "/users", "https://a.example/users"),
        ("https://a.example/v1", "users", "https://a.example/v1/users"),
        ("https://a.example/v1", "/users", "https://a.example/v1/users"),
        ("https://a.example/v1/", "users/", "https://a.example/v1/users/"),
        ("https://a.example/v1//", "/users", "https://a.example/v1/users"),
        ("https://a.example/v1", "", "https://a.example/v1"), ("https://a.example/v1/", "/", "https://a.example/v1/"),
        ("https://a.example/v1?key=1", "/users", "https://a.example/v1/users?key=1"),
        ("https://a.example/v1#part", "/users", "https://a.example/v1/users"),
        ("https://a.example/a%20b", "/c", "https://a.example/a%20b/c"),
        ("http://127.0.0.1:8080", "/x", "http://127.0.0.1:8080/x"),
    ]) func pathIsAppendedToTheBaseURL(_ base: String, _ path: String, expected: String) throws {
        #expect(try url(base).appending(requestPath: path).absoluteString == expected)
    }

    @Test(arguments: [
        ("/a b", "/a%20b"), ("/100%", "/100%25"), ("/a%20b", "/a%2520b"), ("/a+b", "/a%2Bb"),
        ("/a#b", "/a%23b"), ("/ä", "/%C3%A4"), ("/😀", "/%F0%9F%98%80"), ("/a:b@c;d=e,f&g", "/a:b@c;d=e,f&g"),
        ("/a\"<>\\^`{|}", "/a%22%3C%3E%5C%5E%60%7B%7C%7D"), ("/a\r\nX: y", "/a%0D%0AX:%20y"), ("/a\u{0}", "/a%00"),
        ("//evil.example/x", "//evil.example/x"), ("/...", "/..."), ("/a..b", "/a..b"),
    ]) func pathIsPercentEncoded(_ path: String, expected: String) throws {
        let url = try url("https://a.example").appending(requestPath: path)
        #expect(url.absoluteString == "https://a.example" + expected && url.host == "a.example")
    }

    @Test(arguments: ["..", "/..", "/a/../b", "/a/.", "./a", "/users/.."])
    func dotSegmentsAreRefused(_ path: String) throws {
        #expect(throws: RequestBuildingError.self) { try url("https://a.example/v1").appending(requestPath: path) }
    }

    @Test(arguments: ["/users?page=2", "?", "a?b", "/what?/x"]) func queryInAPathIsRefused(_ path: String) throws {
        let base = try url("https://a.example/v1")
        let error = try #require(throws: RequestBuildingError.self) { try base.appending(requestPath: path) }
        #expect(error.message.contains("queryItems") && error.message.contains("pathComponents"))
    }

    @Test func pathComponentsArePercentEncoded() throws {
        let values = ["files", "a/b c%2F+?#ä", "x"]
        let url = try url("https://a.example/v1/").appending(requestPathComponents: values)
        #expect(url.absoluteString == "https://a.example/v1/files/a%2Fb%20c%252F%2B%3F%23%C3%A4/x")
    }

    @Test(arguments: [["users", ""], ["users", ".."], ["."], ["", "users"]])
    func emptyComponentsAndDotSegmentsAreRefused(_ components: [String]) throws {
        let base = try url("https://a.example/v1/")
        #expect(throws: RequestBuildingError.self) { try base.appending(requestPathComponents: components) }
    }
}
