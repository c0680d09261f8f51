import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct MultipartInteropTests {
    private let formData = MultipartFormData()
    typealias Part = PythonParsers.Part

    @Test func formIsReadByOtherParsers() async throws {
        let directory = try TemporaryDirectory()
        formData.append(value: "Leïa\r\n--not-a-boundary\n", name: "näme")
        formData.append(value: "", name: "empty")
        formData.append(data: pattern(300_000), name: "avatar", filename: "фото \"1\".png")
        formData.append(data: Data([0, 13, 10, 255]), name: "a'b;c=d", filename: "x;y=\"z\".bin", mimeType: "image/x")
        try formData.append(fileURL: directory.file("report.pdf", bytes: 700_001), name: "report")
        let stream = AsyncStream.of(Array(repeating: pattern(50_000), count: 3))
        formData.append(
            MultipartFormData.Part(HTTPBody(stream: stream, length: 150_000), filename: "s.txt"), name: "stream")
        try await expect([
            Part(name: "näme", content: Data("Leïa\r\n--not-a-boundary\n".utf8)), Part(name: "empty", content: Data()),
            Part(name: "avatar", filename: "фото \"1\".png", type: "image/png", content: pattern(300_000)),
            Part(name: "a'b;c=d", filename: "x;y=\"z\".bin", type: "image/x", content: Data([0, 13, 10, 255])),
            Part(name: "report", filename: "report.pdf", type: "application/pdf", content: pattern(700_001)),
            Part(
                name: "stream", filename: "s.txt", type: "text/plain",
                content: Data((0..<3).flatMap { _ in pattern(50_000) })),
        ])
    }

    @Test func nestedPartsAreReadByOtherParsers() async throws {
        formData.append(mixed: [.data(Data("1".utf8), filename: "1.txt"), .text("two")], name: "files")
        formData.append(value: "end", name: "last")
        let sent = try await send()
        let found = try await PythonParsers.parse(sent.body, contentType: sent.type)
        #expect(
            found["nested"] == [
                Part(name: "files", filename: "1.txt", type: "text/plain", content: Data("1".utf8)),
                Part(name: "files", content: Data("two".utf8)),
            ])
        // A parser of forms sees the inner body as the content of one part.
        let outer = try #require(found["multipart"])
        #expect(outer.map(\.name) == ["files", "last"])
        let (type, text) = (try #require(outer[0].type), String(decoding: outer[0].content, as: UTF8.self))
        #expect(type.hasPrefix("multipart/mixed; boundary="))
        let fields = "Content-Disposition: attachment; filename=\"1.txt\"\r\nContent-Type: text/plain"
        #expect(text.contains("\(fields)\r\n\r\n1\r\n"))
        #expect(text.hasSuffix("\r\n\r\ntwo\r\n--\(type.dropFirst("multipart/mixed; boundary=".count))--"))
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func randomFormsAreReadByOtherParsers(_ seed: UInt64) async throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var parts: [Part] = []
        for _ in 0..<60 {
            let (name, content) = (random.partName(upTo: 12), random.partContent(formData.boundary, upTo: 40))
            if Bool.random(using: &random) {
                let filename = random.partName(upTo: 30) + ".bin"
                formData.append(data: content, name: name, filename: filename)
                parts.append(
                    Part(name: name, filename: filename, type: "application/octet-stream", content: content))
            } else {
                let text = String(decoding: content, as: UTF8.self)
                formData.append(value: text, name: name)
                parts.append(Part(name: name, content: Data(text.utf8)))
            }
        }
        try await expect(parts)
    }

    private func send() async throws -> (body: Data, type: String) {
        let server = try MockServer.receiving()
        let (_, task) = NetworkClient(server).upload(formData: formData, to: Drop())
        #expect(try await task.value == Receipt(id: "7"))
        let request = try #require(server.requests.first)
        let (length, coding) = (request.headers["Content-Length"], request.headers["Transfer-Encoding"])
        #expect((length, coding) == ("\(request.bodyLength)", nil))
        return (request.body, try #require(request.headers["Content-Type"]))
    }

    private func expect(_ parts: [Part]) async throws {
        let sent = try await send()
        let found = try await PythonParsers.parse(sent.body, contentType: sent.type)
        #expect(Set(found.keys) == ["email", "multipart", "nested"])
        for (parser, list) in found where parser != "nested" {
            #expect(list.count == parts.count, "\(parser)")
            for (part, original) in zip(list, parts) {
                // Of the two only one takes back what HTML's encoding does to names, as servers do.
                let expected = parser == "multipart" ? original : original.encoded
                if part == expected { continue }
                Issue.record(
                    "\(parser): \(part.name ?? "-"), \(part.filename ?? "-") is not \(original.name ?? "-"), \(original.filename ?? "-")"
                )
            }
        }
    }
}

extension PythonParsers.Part {
    /// With its names as they go over the wire.
    fileprivate var encoded: PythonParsers.Part {
        PythonParsers.Part(name: name?.encoded, filename: filename?.encoded, type: type, content: content)
    }
}

extension SeededGenerator {
    /// A name that is not empty, without the backslash: parsers of mail take it for an escape, and those of forms do not.
    mutating func partName(upTo count: Int) -> String {
        text(of: Array("abc \"\r\n;=:,'%&<>/äßЖ漢👩‍🚀-_.()[]{}?+*#@!~^`|$"), upTo: count)
    }

    /// Bytes with what looks like the boundary.
    mutating func partContent(_ boundary: String, upTo count: Int) -> Data {
        var content = Data()
        for _ in 0..<next(below: count) {
            switch next(below: 6) {
            case 0: content.append(contentsOf: "\r\n--".utf8)
            case 1: content.append(contentsOf: boundary.utf8.prefix(next(below: 37)))
            case 2: content.append(contentsOf: "\r\n".utf8)
            case 3: content.append(pattern(next(below: 3000)))
            default: content.append(UInt8(next(below: 256)))
            }
        }
        return content
    }
}

extension String {
    /// As the WHATWG encodes a name.
    fileprivate var encoded: String {
        unicodeScalars.map { ["\"": "%22", "\r": "%0D", "\n": "%0A"][$0] ?? String($0) }.joined()
    }
}

/// Parsers of others, which read back what we send: `email` of Python's standard library, and the package `multipart` in strict mode.
enum PythonParsers {
    struct Part: Codable, Hashable, Sendable {
        var name, filename, type: String?
        /// In Base64, as `JSONDecoder` reads it.
        var content: Data
    }

    /// What each of them found, by its name; as `nested` what `email` found in the parts that have parts, with the outer name.
    static func parse(_ body: Data, contentType: String) async throws -> [String: [Part]] {
        let script = try await ProcessRunner.run(
            Tool.pythonPackages.path(), ["-c", program, contentType], input: body, environment: ["PYTHONUTF8": "1"])
        return try JSONDecoder().decode([String: [Part]].self, from: script.checked().output)
    }

    private static let program = """
        import base64, email.parser, email.policy, io, json, re, sys
        import multipart
        kind, body = sys.argv[1], sys.stdin.buffer.read()
        boundary = re.search('boundary="?([^";]+)', kind).group(1)
        def coded(content): return base64.b64encode(content).decode()
        def unquoted(part, parameter):
            # As the bytes came: what is not ASCII, Python would show as unknown.
            field = dict(part.raw_items())["Content-Disposition"].encode("ascii", "surrogateescape").decode("utf-8")
            found = re.search('[; ]' + parameter + '="([^"]*)"', field)
            return found and found.group(1)
        message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(
            b"Content-Type: " + kind.encode() + b"\\r\\n\\r\\n" + body)
        def by_email():
            if not message.is_multipart(): return []
            assert not message.defects, message.defects
            assert all(str(part["Content-Disposition"]).startswith("form-data; name=") for part in message.get_payload())
            return [{
                "name": unquoted(part, "name"), "filename": unquoted(part, "filename"),
                "type": part["Content-Type"], "content": coded(part.get_payload(decode=True)),
            } for part in message.get_payload() if not part.is_multipart()]
        def nested():
            return [{
                "name": unquoted(outer, "name"), "filename": unquoted(part, "filename") if part["Content-Disposition"] else None,
                "type": part["Content-Type"], "content": coded(part.get_payload(decode=True)),
            } for outer in message.get_payload() if outer.is_multipart() for part in outer.get_payload()]
        def by_multipart():
            parser = multipart.MultipartParser(
                io.BytesIO(body), boundary, content_length=len(body), strict=True, part_limit=1000, memory_limit=1 << 30)
            return [{
                "name": part.name, "filename": part.filename,
                "type": part.headers.get("Content-Type"), "content": coded(part.raw),
            } for part in parser]
        json.dump({"email": by_email(), "multipart": by_multipart(), "nested": nested()}, sys.stdout)
        """
}
