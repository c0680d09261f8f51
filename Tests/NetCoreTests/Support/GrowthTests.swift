import Foundation
import NetCore
import TestLab
import Testing

/// Everything in NetCore that reads text of a server, at its worst inputs: 4 times the text is no more than 8 times the work.
/// (`Redactor.headerValue` reads no more than ``Redactor/fieldLimit``, as `Redactor.text` does.)
@Suite struct GrowthTests {
    struct Reader: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable (String) -> Void

        init(_ name: String, _ read: @escaping @Sendable (String) -> Void) {
            testDescription = name
            self.read = read
        }
    }

    private static let strict = Redactor(rules: RedactionRules(strictness: .strict))

    static let readers = [
        Reader("Redactor.text") { _ = Redactor.standard.text($0) },
        Reader("Redactor.text, strict") { _ = strict.text($0) },
        Reader("Redactor.headerValue, by name") { _ = Redactor.standard.headerValue("a", named: $0) },
        Reader("Redactor.name") { _ = Redactor.standard.name($0) },
        Reader("Redactor.url") { _ = Redactor.standard.url($0) },
        Reader("Redactor.url, in a query") { _ = Redactor.standard.url("http://a/?sort=" + $0) },
        Reader("Redactor.url, in a fragment") { _ = Redactor.standard.validURL("http://a/#" + $0) },
        Reader("Redactor.queryValue") { _ = Redactor.standard.queryValue($0, named: "sort") },
        Reader("Redactor.queryValue, by name") { _ = Redactor.standard.queryValue("a", named: $0) },
        Reader("Redactor.fieldValue") { _ = Redactor.standard.fieldValue($0, named: "name") },
        Reader("Redactor.fieldValue, by name") { _ = Redactor.standard.fieldValue("a", named: $0) },
        Reader("Redactor.form") { _ = Redactor.standard.form(Data($0.utf8)) },
        Reader("Redactor.formItems") { _ = Redactor.standard.formItems(Data($0.utf8)) },
        Reader("Redactor.json") { _ = Redactor.standard.json(Data($0.utf8)) },
        Reader("Redactor.json, in a list") { _ = Redactor.standard.json(Data("[\($0)".utf8)) },
        Reader("Redactor.json, a string") { _ = Redactor.standard.json(Data("{\"name\":\"\($0)\"}".utf8)) },
        Reader("HTTPDate") { _ = HTTPDate.parse($0, now: Date(timeIntervalSince1970: 0)) },
        Reader("RetryAfter") {
            _ = RetryAfter.seconds(in: ["Retry-After": $0], now: Date(timeIntervalSince1970: 0))
        },
        Reader("List members") { _ = $0.listMembers() },
        Reader("List members without escapes") { _ = $0.listMembers(hasEscapes: false) },
        Reader("EntityTag.Condition") { _ = EntityTag.Condition($0) },
        Reader("ContentRange") { _ = ContentRange($0) },
        Reader("ContentRange, numbers") { _ = ContentRange("bytes " + $0) },
        Reader("MediaType") { _ = MediaType($0) },
        Reader("WebLink") { _ = WebLink.parse($0) },
        Reader("WebLink, parameters") { _ = WebLink.parse("<a>;title*=" + $0).map(\.title) },
        Reader("WebLink, target") { _ = WebLink.parse("<\($0)>").first?.url(relativeTo: URL(string: "http://a/")) },
        Reader("Traceparent") { _ = TraceContext(traceparent: $0) },
        Reader("Tracestate") {
            _ = TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: $0)
        },
        Reader("ProblemDetails") { _ = ProblemDetails(Data($0.utf8)) },
        Reader("StringSerializer") {
            let response = TransportResponse(status: 200, headers: ["Content-Type": $0], url: nil)
            _ = try? StringSerializer().serialize(Data(), response: response)
        },
        Reader("One line") { _ = $0.onOneLine },
        Reader("Text of errors") { _ = $0.withoutSecrets },
        Reader("CredentialFields") { _ = CredentialFields.standard.isCredential($0) },
    ]

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: Reader) {
        for (prefix, unit) in Growth.units {
            guard let ratio = Growth.ratio(of: unit, prefix: Array(prefix.utf8), reader.read) else { continue }
            let text = String(decoding: unit, as: UTF8.self)
            #expect(ratio < Growth.limit, "\(prefix.debugDescription) and many \(text.debugDescription)")
        }
    }

    @Test("The measurement tells linear from quadratic work")
    func measurement() {
        let quadratic = Growth.ratio(of: [0x40]) { text in
            var count = 0
            let bytes = Array(text.utf8)
            for index in stride(from: 0, to: bytes.count, by: 16) {
                for other in bytes[..<index] where other == 0x41 { count += 1 }
            }
            if count > 0 { Issue.record("unreachable") }
        }
        #expect((quadratic ?? 0) > Growth.limit)
    }

    @Test("8 KiB of a field are shown, to the end of a word, and nothing of what is behind")
    func fieldLimit() {
        func shown(_ value: String) -> String { Redactor.standard.headerValue(value, named: "Server") }
        let words = String(repeating: "word ", count: 1_638)
        #expect(shown(words) == words)
        #expect(words.utf8.count == 8_190)
        #expect(shown(words + "ab") == words + "ab")
        #expect(shown(words + "abc") == words + Redactor.mark)
        #expect(shown(words + "abc def") == words + Redactor.mark)
        #expect(shown(String(repeating: "a", count: 8_193)) == Redactor.mark)
        let near = String(words.dropLast(10))
        #expect(shown(near + "4111 1111 1111 1111") == near + Redactor.mark)
        #expect(shown(near + "4111 1111 1111 1111 x") == near + Redactor.mark)
        #expect(shown("Bearer abcd1234 " + words) == "Bearer \(Redactor.mark) " + words.dropLast(15) + Redactor.mark)
    }
}
