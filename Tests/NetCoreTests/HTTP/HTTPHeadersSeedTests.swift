import NetCore
import Testing

// The optional sugar of seed 000, section 4.3, word for word. It must compile beside our subscript, which it shadows.
extension HTTPHeaders {
    fileprivate subscript(name: String) -> String? {
        get { self.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value }
        set {
            guard let v = newValue else {
                remove(name: name)
                return
            }
            update(name: name, value: v)
        }
    }
}

/// The snippets of seed 000, chapter HTTPHeaders.
@Suite struct HTTPHeadersSeedTests {
    @Test func quickStart() {
        let token = "t0k"
        var headers = HTTPHeaders([.contentType("application/json"), .accept("application/json")])
        headers.add(.authorization(bearerToken: token))
        headers.remove(name: "User-Agent")
        let dict: [String: String] = headers.dictionary
        #expect(
            dict == ["Content-Type": "application/json", "Accept": "application/json", "Authorization": "Bearer t0k"])
    }

    @Test func headersOfAURLRequest() throws {
        let headers: HTTPHeaders = ["X-One": "1", "X-Two": "2"]
        var request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        headers.dictionary.forEach { request.setValue($0.value, forHTTPHeaderField: $0.key) }
        #expect(request.value(forHTTPHeaderField: "x-one") == "1" && request.value(forHTTPHeaderField: "x-two") == "2")
    }

    @Test func acceptLanguage() {
        let preferred = ["de", "en"].prefix(6).enumerated().map { "\($0.element);q=\(1.0 - 0.1*Double($0.offset))" }
            .joined(separator: ", ")
        let headers = HTTPHeaders([.acceptLanguage(preferred)])
        #expect(headers["Accept-Language"] == "de;q=1.0, en;q=0.9")
    }

    @Test func caseInsensitiveSubscript() {
        var headers = HTTPHeaders()
        headers["X-Correlation-Id"] = "one"
        #expect(headers["x-correlation-id"] == "one")
        headers["x-CORRELATION-id"] = nil
        #expect(headers.isEmpty)
    }
}
