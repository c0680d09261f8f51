import Foundation
import HTTPTypes
import NetCore
import NetworkingHTTPTypes
import Testing

@Suite struct HTTPRequestTests {
    @Test(arguments: [
        "https://example.com/", "http://example.com:8080/a/b?c=d&e=%20", "https://[::1]:8443/%2F//x;y?q",
        "http://xn--bcher-kva.example/%C3%BC?a=b?c/d", "https://127.0.0.1/a%25b",
    ])
    func roundTripsURLs(text: String) throws {
        let url = try #require(URL(string: text))
        let request = HTTPRequest(method: .put, url: url, headerFields: [.accept: "a", .contentType: "b/c"])
        let urlRequest = try URLRequest(request)
        #expect(urlRequest.url?.absoluteString == text)
        #expect(urlRequest.httpMethod == "PUT")
        #expect(urlRequest.allHTTPHeaderFields == ["Accept": "a", "Content-Type": "b/c"])
        #expect(try HTTPRequest(urlRequest) == request)
    }

    @Test func joinsRepeatedFields() throws {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        for value in ["1", "2"] {
            request.headerFields.append(HTTPField(name: .accept, value: value))
            request.headerFields.append(HTTPField(name: .cookie, value: "c\(value)=\(value)"))
        }
        let urlRequest = try URLRequest(request)
        #expect(urlRequest.value(forHTTPHeaderField: "accept") == "1, 2")
        #expect(urlRequest.value(forHTTPHeaderField: "cookie") == "c1=1; c2=2")
    }

    @Test func percentEncodesWhatAURLCannotHold() throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/b c/é?d|e")
        #expect(try URLRequest(request).url?.absoluteString == "http://a/b%20c/%C3%A9?d%7Ce")
    }

    @Test func mapsWebSocketHandshakes() throws {
        var request = HTTPRequest(method: .connect, scheme: "https", authority: "a", path: "/chat")
        request.extendedConnectProtocol = "websocket"
        let urlRequest = try URLRequest(request)
        #expect(urlRequest.url?.absoluteString == "wss://a/chat")
        #expect(urlRequest.httpMethod == "GET")
        #expect(try HTTPRequest(urlRequest) == request)
    }

    private static let invalid: [(HTTPRequest, HTTPTypesError)] = {
        func request(_ scheme: String?, _ authority: String?, _ path: String?) -> HTTPRequest {
            HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        }
        var webTransport = HTTPRequest(method: .connect, scheme: "https", authority: "a", path: "/")
        webTransport.extendedConnectProtocol = "webtransport"
        return [
            (HTTPRequest(method: .connect, scheme: nil, authority: "a:443", path: nil), .connect),
            (HTTPRequest(method: .options, scheme: "http", authority: "a", path: "*"), .optionsAsterisk),
            (webTransport, .extendedConnect(protocol: "webtransport")),
            (request(nil, "a", "/"), .missing(.scheme)), (request("http", nil, "/"), .missing(.authority)),
            (request("http", "a", nil), .missing(.path)),
            // Each of these would be a request to another host, or for another resource.
            (request("http", "example.com", ".example.net/"), .invalid(.path)),
            (request("http", "example.com", ":8080/"), .invalid(.path)),
            (request("http", "example.com", ""), .invalid(.path)),
            (request("http", "example.com", "/a#b"), .invalid(.path)),
            (request("http", "example.com", "@example.net/"), .invalid(.path)),
            (request("http", "example.com@example.net", "/"), .invalid(.authority)),
            (request("http", "example.net/", "/"), .invalid(.authority)),
            (request("http", "", "/"), .invalid(.authority)),
            (request("http", "a b", "/"), .invalid(.authority)), (request("http", "a\\b", "/"), .invalid(.authority)),
            (request("http", ":80", "/"), .invalid(.authority)), (request("http", "a:b:c", "/"), .invalid(.authority)),
            (request("http://example.net/?", "a", "/"), .invalid(.scheme)), (request("", "a", "/"), .invalid(.scheme)),
            (request("1", "a", "/"), .invalid(.scheme)),
        ]
    }()

    @Test(arguments: invalid.indices)
    func refusesRequestsWithoutAURL(index: Int) {
        let (request, error) = Self.invalid[index]
        #expect(throws: error) { try URLRequest(request) }
        #expect(!error.description.isEmpty)
    }

    @Test func refusesFieldsThatWouldArriveChanged() throws {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        request.headerFields = HTTPFields([HTTPField(name: .userAgent, value: [0xE9] as [UInt8])])
        #expect(throws: HTTPTypesError.invalidField(name: "User-Agent")) { try URLRequest(request) }
        request.headerFields = HTTPFields()
        request.headerFields[values: .setCookie] = ["a=1", "b=2"]
        #expect(throws: HTTPTypesError.repeatedSetCookie) { try URLRequest(request) }
    }

    @Test func takesAnotherURL() throws {
        let url = try #require(URL(string: "http://b/c?d"))
        let request = HTTPRequest(method: .patch, scheme: nil, authority: nil, path: "/x", headerFields: [.accept: "a"])
        let urlRequest = try URLRequest(request, url: url)
        #expect(urlRequest.url == url)
        #expect(urlRequest.httpMethod == "PATCH")
        #expect(urlRequest.value(forHTTPHeaderField: "Accept") == "a")
        #expect(throws: HTTPTypesError.connect) {
            try URLRequest(HTTPRequest(method: .connect, scheme: nil, authority: "a", path: nil), url: url)
        }
    }

    @Test func convertsCredentialsOfTheURL() throws {
        var request = URLRequest(url: try #require(URL(string: "http://us%40er:p%3Aw@example.com/a")))
        let converted = try HTTPRequest(request)
        #expect(converted.authority == "example.com")
        #expect(converted.headerFields[.authorization] == "Basic " + Data("us@er:p:w".utf8).base64EncodedString())
        request.setValue("Bearer t", forHTTPHeaderField: "authorization")
        #expect(try HTTPRequest(request).headerFields[values: .authorization] == ["Bearer t"])
    }

    @Test(arguments: ["/relative", "mailto:a@b.example", "file:///etc/hosts", "http:/nohost"])
    func refusesIncompleteURLs(text: String) throws {
        let request = URLRequest(url: try #require(URL(string: text)))
        #expect(throws: HTTPTypesError.noURL) { try HTTPRequest(request) }
    }

    @Test func resolvesRelativeURLs() throws {
        let base = try #require(URL(string: "http://a/b/"))
        let request = URLRequest(url: try #require(URL(string: "c?d", relativeTo: base)))
        #expect(try HTTPRequest(request).url?.absoluteString == "http://a/b/c?d")
    }

    @Test func refusesInvalidMethodsAndFields() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a/")))
        request.httpMethod = "G ET"
        #expect(throws: HTTPTypesError.invalidMethod) { try HTTPRequest(request) }
        request.httpMethod = "GET"
        request.allHTTPHeaderFields = ["X-A": "1\r\nX-B: 2"]
        #expect(throws: HTTPTypesError.invalidField(name: "X-A")) { try HTTPRequest(request) }
    }
}
