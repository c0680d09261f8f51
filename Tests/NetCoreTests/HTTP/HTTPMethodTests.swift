import NetCore
import Testing

@Suite struct HTTPMethodTests {
    /// The cheat sheet of seed 000.
    @Test(arguments: [
        (HTTPMethod.get, "GET", true, true, true), (.head, "HEAD", true, true, true),
        (.options, "OPTIONS", true, false, true), (.trace, "TRACE", true, false, true),
        (.put, "PUT", true, false, false), (.delete, "DELETE", true, false, false),
        (.patch, "PATCH", false, false, false), (.post, "POST", false, false, false),
        (.connect, "CONNECT", false, false, false),
    ])
    func standsInTheCheatSheet(
        _ method: HTTPMethod, rawValue: String, isIdempotent: Bool, isCacheable: Bool, isSafe: Bool
    ) {
        #expect(method.rawValue == rawValue)
        #expect(method.description == rawValue)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.isCacheable == isCacheable)
        #expect(method.isSafe == isSafe)
        #expect(HTTPMethod.allCases.contains(method))
    }

    @Test func nineAreRegistered() {
        #expect(HTTPMethod.allCases.count == 9)
        #expect(Set(HTTPMethod.allCases).count == 9)
    }

    @Test func takesTheMethodsOfOthers() {
        let method: HTTPMethod = "PROPFIND"
        #expect(method == HTTPMethod(rawValue: "PROPFIND"))
        #expect(!method.isSafe && !method.isIdempotent && !method.isCacheable)
    }

    /// RFC 9110, section 9.1: the method token is case-sensitive.
    @Test func caseMatters() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(!HTTPMethod(rawValue: "get").isSafe)
    }

    @Test func isCodedAsItsToken() throws {
        let data = try JSONEncoder().encode([HTTPMethod.patch])
        #expect(String(decoding: data, as: UTF8.self) == #"["PATCH"]"#)
        #expect(try JSONDecoder().decode([HTTPMethod].self, from: data) == [.patch])
    }

    @Test func servesInASwitch() {
        let method = HTTPMethod.post
        switch method {
        case .get, .head: Issue.record("\(method) is neither")
        case .post: break
        default: Issue.record("\(method) is POST")
        }
    }
}
