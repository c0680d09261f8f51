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

/// The other snippets of the chapter are in `NetworkingTests`.
@Suite struct HTTPHeadersSeedTests {
    @Test func caseInsensitiveSubscript() {
        var headers = HTTPHeaders()
        headers["X-Correlation-Id"] = "one"
        #expect(headers["x-correlation-id"] == "one")
        headers["x-CORRELATION-id"] = nil
        #expect(headers.isEmpty)
    }
}
