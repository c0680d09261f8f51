import NetCore
import TestLab
import Testing

/// 4 times the text of a server is at most 8 times the work. (`Redactor.headerValue` reads at most 8 KiB.)
@Suite(.serialized, .optimized) struct GrowthTests {
    private static let redactor = Redactor.standard
    private static let epoch = Date(timeIntervalSince1970: 0)
    private static let strict = Redactor(rules: RedactionRules(isStrict: true))

    static let readers = [
        GrowthReader("Redactor.text", of: "NetSystem/Redaction/SecretScanner.swift") { _ = redactor.text($0) },
        GrowthReader("Redactor.text, strict") { _ = strict.text($0) },
        GrowthReader("Redactor.headerValue, by name") { _ = redactor.headerValue("a", named: $0) },
        GrowthReader("Redactor.name", of: "NetSystem/Redaction/RedactionRules.swift") { _ = redactor.name($0) },
        GrowthReader("Redactor.url", of: "NetSystem/Redaction/Redactor.swift") { _ = redactor.url($0) },
        GrowthReader("Redactor.url, in a query") { _ = redactor.url("http://a/?sort=" + $0) },
        GrowthReader("Redactor.url, in a fragment") { _ = redactor.validURL("http://a/#" + $0) },
        GrowthReader("Redactor.queryValue", of: "NetSystem/Redaction/SecretForms.swift") {
            _ = redactor.queryValue($0, named: "sort")
        },
        GrowthReader("Redactor.queryValue, by name") { _ = redactor.queryValue("a", named: $0) },
        GrowthReader("Redactor.fieldValue") { _ = redactor.fieldValue($0, named: "name") },
        GrowthReader("Redactor.fieldValue, by name") { _ = redactor.fieldValue("a", named: $0) },
        GrowthReader("Redactor.form", of: "NetSystem/Redaction/Redactor.swift", "NetSystem/Text/URLReference.swift") {
            _ = redactor.form(Data($0.utf8))
        },
        GrowthReader("Redactor.items") { _ = redactor.items($0.utf8, isForm: true) },
        GrowthReader("Redactor.json", of: "NetSystem/Redaction/Redactor+JSON.swift") {
            _ = redactor.json(Data($0.utf8))
        },
        GrowthReader("Redactor.json, in a list") { _ = redactor.json(Data("[\($0)".utf8)) },
        GrowthReader("Redactor.json, a string") { _ = redactor.json(Data("{\"name\":\"\($0)\"}".utf8)) },
        GrowthReader(
            "Multipart body", of: "NetCore/Bodies/MultipartScanner.swift", "NetCore/HTTP/HeaderBlockParser.swift",
            units: [
                ("--b\r\n\r\n", Array("\r\n--".utf8)), ("--b\r\n\r\n", Array("\r".utf8)),
                ("--b\n\n", Array("\n--".utf8)), ("--b\r\n", Array("a: b\r\n".utf8)), ("--b\r\n", Array("a".utf8)),
                ("--b\r\na: b\r\n", Array(" c\r\n".utf8)), ("--b", Array(" ".utf8)),
                ("", Array("--b\r\n\r\n\r\n".utf8)), ("", Array("\n--b".utf8)),
            ]
        ) {
            let bytes = Array($0.utf8)
            for size in [16, 1 << 12, 1 << 20] {
                var scanner = MultipartScanner(boundary: "b", headerLimit: 1 << 20)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    scanner?.append(Data(bytes[start..<min(start + size, bytes.count)]))
                    while let event = try? scanner?.next() { if case .end = event { break } }
                }
            }
        },
        GrowthReader("HTTPDate", of: "NetCore/HTTP/HTTPDate.swift") { _ = HTTPDate.parse($0, now: epoch) },
        GrowthReader("RetryAfter") { _ = RetryAfter.seconds(in: ["Retry-After": $0], now: epoch) },
        GrowthReader("List members", of: "NetCore/HTTP/FieldValues.swift") { _ = $0.listMembers() },
        GrowthReader("List members without escapes") { _ = $0.listMembers(hasEscapes: false) },
        GrowthReader("EntityTag.Condition") { _ = EntityTag.Condition($0) },
        GrowthReader("ContentRange") { _ = ContentRange($0) },
        GrowthReader("ContentRange, numbers") { _ = ContentRange("bytes " + $0) },
        GrowthReader("MediaType", of: "NetCore/HTTP/FieldValues.swift") { _ = MediaType($0) },
        GrowthReader("Traceparent", of: "NetCore/Pipeline/TraceContext.swift") { _ = TraceContext(traceparent: $0) },
        GrowthReader("Tracestate") {
            _ = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: $0)
        },
        GrowthReader("Query, names") {
            var encoding = QueryEncoding.default
            encoding.keys = .snakeCase
            encoding.spaces = .plus
            _ = try? QueryEncoding.Encoder.encode([$0: $0], as: encoding)
        },
        GrowthReader("Query, lists") {
            let bytes = $0.utf8.enumerated().filter { $0.offset.isMultiple(of: 64) }.map(\.element)
            _ = try? QueryEncoding.Encoder.encode(["a": bytes, "b": bytes.map { ["k": $0] }], as: .alamofire)
        },
        GrowthReader("ProblemDetails") { _ = ProblemDetails(Data($0.utf8)) },
        GrowthReader("StringSerializer", of: "NetCore/Responses/ResponseSerializer.swift") {
            let response = TransportResponse(status: 200, headers: ["Content-Type": $0], url: nil)
            _ = try? StringSerializer().serialize(Data(), response: response)
        },
        GrowthReader("Address", of: "NetSystem/Text/IPAddress.swift") {
            _ = IPAddress($0)
            _ = HostName.normalized($0)
        },
        GrowthReader("Origin", of: "NetCore/HTTP/Origin.swift", "NetCore/Pipeline/RequestIdentity.swift") {
            for text in ["http://" + $0, "http://a/" + $0, "http://\($0)@a/"] {
                guard let url = URL(string: text) else { continue }
                _ = (url.origin, url.isLoopback, url.userInformation, url.withoutUserInformation)
            }
        },
        GrowthReader("Snapshot", of: "NetCore/Errors/Snapshots.swift") {
            let response = ResponseSnapshot(statusCode: 404, headers: ["Server": $0], body: Data($0.utf8))
            _ = "\(response)"
            if let url = URL(string: "http://a/" + $0) { _ = RequestSnapshot(URLRequest(url: url)).description }
        },
        GrowthReader("Words of a decoder", of: "NetCore/Errors/DecodingMismatch.swift") {
            struct Names: Decodable { let name: [Int] }
            let body = Data("{\"name\":\"\($0)\"}".utf8)
            do {
                _ = try JSONDecoder().decode(Names.self, from: body)
            } catch {
                _ = "\(NetworkFailure(cause: .decodingError(error)))"
            }
        },
        GrowthReader("Field parameters", of: "NetCore/HTTP/FieldValues.swift") { _ = FieldParameters.parse($0) },
        GrowthReader("Field parameters, quoted") { _ = FieldParameters.parse("a;b=\"" + $0 + "\"x\"") },
        GrowthReader("Charset of a field") { _ = try? Charset(contentType: $0) },
        GrowthReader("Charset by name", of: "NetSystem/Text/Charset.swift") { _ = Charset(named: $0) },
        GrowthReader("Text in Shift_JIS") { _ = try? Charset(named: "shift_jis")?.text(Data($0.utf8)) },
        GrowthReader("Text in Big5") { _ = try? Charset(named: "big5")?.text(Data($0.utf8)) },
        GrowthReader("Text in ISO-2022-JP") { _ = try? Charset(named: "iso-2022-jp")?.text(Data($0.utf8)) },
        GrowthReader("Host field", of: "NetCore/HTTP/Origin.swift") { host in
            guard let url = URL(string: "http://" + host.prefix(4_096)) else { return }
            _ = url.hostField
        },
        GrowthReader("One line") { _ = $0.onOneLine }, GrowthReader("Text of errors") { _ = $0.withoutSecrets },
        GrowthReader(
            "Names of fields", of: "NetCore/Pipeline/CredentialFields.swift", "NetCore/Pipeline/IdentifyingFields.swift"
        ) {
            _ = CredentialFields.standard.isCredential($0)
            _ = IdentifyingFields.standard.contains($0)
        },
    ]

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async { #expect(await reader.failures() == []) }

    @Test("The measurement tells linear from quadratic work")
    func measurementFindsQuadraticWork() {
        let quadratic = Growth.ratio(of: [0x40]) { text in
            var count = 0
            let bytes = Array(text.utf8)
            for index in stride(from: 0, to: bytes.count, by: 4) {
                for other in bytes[..<index] where other == 0x41 { count += 1 }
            }
            if count > 0 { Issue.record("unreachable") }
        }
        #expect((quadratic ?? 0) > Growth.limit)
    }

    @Test func fieldsOver8KiBAreHidden() {
        func shown(_ value: String) -> String { Redactor.standard.headerValue(value, named: "Server") }
        let words = String(repeating: "word ", count: 1_638)
        #expect(shown(words + "ab") == words + "ab" && (words + "ab").utf8.count == 8_192)
        #expect(shown(words + "abc") == Redactor.mark)
    }

    struct Work: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable ([HTTPHeader]) -> Void
        init(_ name: String, _ run: @escaping @Sendable ([HTTPHeader]) -> Void) {
            testDescription = name
            self.run = run
        }
    }

    static let works = [
        Work("init") { _ = HTTPHeaders($0) },
        Work("init from a dictionary") { _ = HTTPHeaders(Dictionary($0.map { ($0.name, $0.value) }) { $1 }) },
        Work("add") { fields in
            var headers = HTTPHeaders()
            for field in fields { headers.add(field) }
        },
        Work("append and look up") { fields in
            var headers = HTTPHeaders()
            for field in fields where headers[field.name] == nil { headers.append(field) }
        },
        Work("add(contentsOf:)") { fields in
            var headers = HTTPHeaders(received: fields)
            headers.add(contentsOf: HTTPHeaders(received: fields))
        },
        Work("dictionary") { _ = HTTPHeaders(received: $0).dictionary },
        Work("==") { _ = HTTPHeaders(received: $0) == HTTPHeaders(received: $0.reversed()) },
        Work("remove(names:)") { fields in
            var headers = HTTPHeaders(received: fields)
            headers.remove(names: Set(fields.map(\.name)))
        },
    ]

    /// A server may send tens of thousands of fields.
    @Test("Work is linear in the number of fields", arguments: works)
    func headersAreLinear(_ work: Work) {
        for (kind, copies) in [("different names", 1), ("each name twice", 2)] {
            func fields(_ count: Int) -> [HTTPHeader] {
                (0..<count).map { HTTPHeader(name: "x-\($0 / copies)", value: "\($0)") }
            }
            let ratio = Growth.ratio(small: fields(4_096), large: fields(16_384)) { work.run($0) }
            #expect(ratio < Growth.limit, "\(kind)")
        }
    }

    /// The index is used from 33 fields on. The results are the same.
    @Test(arguments: [1, 2, 31, 32, 33, 34, 40, 200]) func lookUpWithAndWithoutIndex(_ count: Int) {
        func value(_ index: Int) -> HTTPHeader { HTTPHeader(name: "N\(index % 29)", value: "\(index)") }
        let received = HTTPHeaders(received: (0..<count).map(value))
        for name in 0..<30 {
            let expected = (0..<count).filter { $0 % 29 == name }.map(String.init)
            #expect(received.values(for: "n\(name)") == expected)
            #expect(received["n\(name)"] == (expected.isEmpty ? nil : expected.joined(separator: ", ")))
            #expect(received.contains(name: "n\(name)") == !expected.isEmpty)
        }
        var added = received
        added.add(name: "n0", value: "new")
        added.append(name: "n0", value: "newer")
        #expect(added.values(for: "N0") == ["new", "newer"])
        #expect(added.first { $0.name.lowercased() == "n0" }?.value == "new", "in its old place")
        added.remove(name: "N0")
        #expect(!added.contains(name: "n0") && added.count == received.count - received.values(for: "n0").count)
        var merged = HTTPHeaders(received.prefix(29).map { $0 } + [HTTPHeader(name: "other", value: "o")])
        merged.add(contentsOf: received)
        #expect(merged.values(for: "n1") == received.values(for: "n1") && merged["other"] == "o")
        #expect(merged.dictionary["N1"] == received["n1"] && HTTPHeaders(received.map { $0 }).count == min(count, 29))
    }
}
