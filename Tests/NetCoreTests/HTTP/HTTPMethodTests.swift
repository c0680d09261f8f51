import NetCore
import Testing

@Suite struct HTTPMethodTests {
    @Test(arguments: [
        (HTTPMethod.get, "GET", true, true, true), (.head, "HEAD", true, true, true),
        (.options, "OPTIONS", true, false, true), (.trace, "TRACE", true, false, true),
        (.put, "PUT", true, false, false), (.delete, "DELETE", true, false, false),
        (.patch, "PATCH", false, false, false), (.post, "POST", false, false, false),
        (.connect, "CONNECT", false, false, false),
    ]) func registeredMethods(_ method: HTTPMethod, name: String, idempotent: Bool, cacheable: Bool, safe: Bool) {
        #expect(method.rawValue == name && method.description == name && HTTPMethod(rawValue: name) == method)
        #expect(method.isIdempotent == idempotent && method.isCacheable == cacheable && method.isSafe == safe)
        let all = HTTPMethod.allCases
        #expect(all.contains(method) && all.count == 9 && Set(all).count == 9)
    }

    @Test func customMethodIsCaseSensitive() {
        let method: HTTPMethod = "PROPFIND"
        #expect(method == HTTPMethod(rawValue: "PROPFIND"))
        #expect(!method.isSafe && !method.isIdempotent && !method.isCacheable)
        #expect(HTTPMethod(rawValue: "get") != .get && !HTTPMethod(rawValue: "get").isSafe)
    }

    @Test func codingAsTheToken() throws {
        let data = try JSONEncoder().encode([HTTPMethod.patch])
        #expect(String(decoding: data, as: UTF8.self) == #"["PATCH"]"#)
        #expect(try JSONDecoder().decode([HTTPMethod].self, from: data) == [.patch])
    }
}
