import NetCore
import Testing

@Suite struct SnapshotTests {
    @Test(arguments: [
        ("https://a.example/p", "GET https://a.example/p"),
        ("https://a.example/a%20b?q=x%20y&z", "GET https://a.example/a%20b?q=[REDACTED]&[REDACTED]"),
        ("https://u:p@[::1]:8080/#frag", "GET https://[::1]:8080/#[REDACTED]"),
        ("https://a.example/%FF%0D%0A", "GET https://a.example/%FF%0D%0A"),
        ("https://a.example/?filter%5Ba%5D=1", "GET https://a.example/?filter%5Ba%5D=[REDACTED]"),
    ]) func descriptionHasTheRedactedURL(_ url: String, description: String) throws {
        let snapshot = RequestSnapshot(URLRequest(url: try #require(URL(string: url))))
        #expect(snapshot.description == description)
        #expect(
            snapshot.url?.absoluteString.replacingOccurrences(of: "%5BREDACTED%5D", with: "[REDACTED]")
                == String(description.dropFirst(4)))
    }

    private func preview(_ body: Data?) -> String? {
        ResponseSnapshot(statusCode: 200, headers: HTTPHeaders(), body: body).bodyPreview
    }

    @Test func previewIsCutBetweenCharacters() {
        func preview(_ text: String) -> String? { self.preview(Data(text.utf8)) }
        let short = String(repeating: "a", count: 1024)
        #expect(preview(short) == short && preview(short + "b") == short)
        for lead in 0..<4 {
            let text = String(repeating: "a", count: 1024 - lead) + "🧡"
            #expect(preview(text) == String(repeating: "a", count: 1024 - lead))
        }
        #expect(preview(String(repeating: "a", count: 1020) + "🧡b") == String(repeating: "a", count: 1020) + "🧡")
    }

    @Test func previewOfOtherThanTextIsNil() {
        // The server cut the last text in a character.
        for body in [nil, Data(), Data([0xFF, 0xFE, 0]), Data([0x61, 0xE2])] { #expect(preview(body) == nil) }
        #expect(ResponseSnapshot(statusCode: 404, headers: HTTPHeaders()).description == "404 clientError")
    }
}
