import NetTesting
import TestLab
import Testing

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

    @Test(arguments: [
        ("https://a.example/", "http+unix://%2Fa/", false), ("http://a.example/", "http+unix://%2Fa/", false),
        ("http+unix://%2Fa/", "http+unix://%2Fa/x", true), ("http+unix://%2Fa/", "http+unix://%2FA/", false),
        ("http+unix://%2Fa/", "http+unix://b/", false), ("http+unix://b/", "http+unix://b/", false),
        ("http+unix://%2Fa/", "https://a.example/", true), ("http://a.example/", "https://b.example/", true),
        ("http://a.example/", "file:///a", false),
    ]) func onlyAServerOnASocketRedirectsToThatSocket(_ from: String, _ to: String, _ may: Bool) throws {
        #expect(try url(from).mayLead(to: url(to)) == may)
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
