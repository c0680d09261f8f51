import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// The parts of multipart bodies, from our own encoder and from other programs.
@Suite(.timeLimit(.minutes(5))) struct PartTests {
    typealias Read = PythonParsers.Part

    static func read(_ body: HTTPBody, contentType: String) async throws -> [Read] {
        let response = TransportResponse(status: 200, headers: [.contentType(contentType)], url: nil, body: body)
        var parts: [Read] = []
        for try await part in try ResponseStream(response).parts() {
            let (type, content) = (part.headers["Content-Type"], try await part.body.collect(upTo: 1 << 24))
            parts.append(Read(name: part.name, filename: part.filename, type: type, content: content))
        }
        return parts
    }

    private func pieces(_ data: Data, of size: Int) -> HTTPBody {
        .of(stride(from: 0, to: data.count, by: size).map { Data(data.dropFirst($0).prefix(size)) })
    }

    private func stream(_ text: String, chunks size: Int = 1 << 20) -> ResponseStream {
        let headers: HTTPHeaders = [.contentType("multipart/mixed; boundary=b")]
        let body = pieces(Data(text.utf8), of: size)
        return ResponseStream(TransportResponse(status: 200, headers: headers, url: nil, body: body))
    }

    private let twoParts = "--b\r\nA: 1\r\n\r\none and more\r\n--b\r\nA: 2\r\n\r\ntwo\r\n--b--\r\n"

    @Test(arguments: [1, 2, 7, 1000]) func unreadBodiesAreSkipped(_ size: Int) async throws {
        var iterator = try stream(twoParts, chunks: size).parts().makeAsyncIterator()
        let first = try #require(try await iterator.next())
        var chunks = first.body.makeAsyncIterator()
        #expect(try await chunks.next()?.isEmpty == false)
        let second = try #require(try await iterator.next())
        #expect(first.headers["A"] == "1" && second.headers["A"] == "2")
        let old = await #expect(throws: NetworkFailure.self) { try await chunks.next() }
        #expect(old?.kind == .unsupported, "the body of an earlier part")
        #expect(try await second.body.collect(upTo: 100) == Data("two".utf8), "which breaks nothing")
        for _ in 0..<2 { #expect(try await iterator.next() == nil) }
    }

    @Test func partArrivesBeforeItsBody() async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        var iterator = try ResponseStream.Parts(HTTPBody(stream: chunks), boundary: "b").makeAsyncIterator()
        continuation.yield(Data("--b\r\n\r\n".utf8))
        let part = try #require(try await iterator.next())
        var body = part.body.makeAsyncIterator()
        continuation.yield(Data("abc\r\n--".utf8))
        #expect(try await body.next() == Data("abc".utf8))
        continuation.yield(Data("x\r\n--b--".utf8))
        continuation.finish()
        #expect(try await (body.next(), body.next()) == (Data("\r\n--x".utf8), nil))
        #expect(try await iterator.next() == nil)
    }

    @Test func chunksAreReadOnDemand() async throws {
        let taken = Locked(UInt64(0))
        let body = HTTPBody(pulling: {
            let number = taken.next()
            return number == 1 ? Data("--b\r\n\r\n".utf8) : number < 100 ? Data(repeating: 120, count: 1000) : nil
        })
        var iterator = try ResponseStream.Parts(body, boundary: "b").makeAsyncIterator()
        let part = try #require(try await iterator.next())
        #expect(taken.withLock { $0 } == 1)
        var chunks = part.body.makeAsyncIterator()
        #expect(try await (chunks.next()?.count, taken.withLock { $0 }) == (1000, 2))
        await #expect(throws: NetworkError.self) { try await iterator.next() }
        let again = await #expect(throws: NetworkError.self) { try await iterator.next() }
        #expect(again?.multipartError == .truncated, "it stays so")
    }

    @Test func malformedMultipartThrows() async throws {
        func problem(_ text: String, _ limits: (header: Int, count: Int) = (100, 100)) async throws
            -> ResponseStream.MultipartError?
        {
            let parts = try stream(text).parts(maximumHeaderSize: limits.header, maximumCount: limits.count)
            let failure = await #expect(throws: NetworkFailure.self) {
                for try await part in parts { _ = try await part.body.collect(upTo: 1000) }
            }
            #expect(failure?.kind == .decodingFailed && failure?.statusCode == 200)
            return failure?.cause.multipartError
        }
        #expect(try await (problem(""), problem("--b\r\n\r\nx")) == (.truncated, .truncated))
        #expect(try await (problem("--b x\r\n"), problem(twoParts, (3, 9))) == (.malformed, .headerTooLarge(limit: 3)))
        #expect(try await problem(twoParts, (9, 1)) == .tooManyParts(limit: 1))
    }

    @Test(arguments: [nil, "application/json", "multipart/mixed", "multipart/mixed; boundary=\"\""] as [String?])
    func otherContentTypesAreRefused(_ type: String?) throws {
        let headers = HTTPHeaders(type.map { [.contentType($0)] } ?? [])
        let response = TransportResponse(status: 200, headers: headers, url: nil)
        let failure = try #require(#expect(throws: NetworkFailure.self) { _ = try ResponseStream(response).parts() })
        if type?.hasPrefix("multipart") == true {
            #expect(failure.cause.multipartError == .boundary)
        } else {
            #expect(failure.underlyingError is ResponseValidation.UnacceptableContentType)
        }
    }

    @Test func lostConnectionIsNotAMultipartError() async throws {
        let lost = HTTPBody(pulling: { throw TransportError(.connectionLost, phase: .receivingBody, message: "lost") })
        var iterator = try ResponseStream.Parts(lost, boundary: "b").makeAsyncIterator()
        let error = await #expect(throws: NetworkError.self) { try await iterator.next() }
        #expect(error != nil && error?.multipartError == nil)
    }

    @Test func contentDispositionAndContentRangeAreParsed() async throws {
        let text = """
            --b\r
            Content-Disposition: form-data; name="a%22b%0D%0Ac"; filename="../etc/pass;wd"\r
            Content-Range: bytes 0-2/10\r
            \r
            abc\r
            --b\r
            content-disposition: attachment; filename*=UTF-8''na%C3%AFve.txt\r
            Content-Range: bytes 5-6/*\r
            \r
            \r
            --b--
            """
        var parts: [ResponseStream.Part] = []
        for try await part in try stream(text).parts() { parts.append(part) }
        #expect(parts.map(\.name) == ["a\"b\r\nc", nil] && parts.map(\.filename) == ["pass;wd", "naïve.txt"])
        #expect(parts.map(\.contentRange) == [0..<3, 5..<7] && parts.map(\.completeLength) == [10, nil])
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func multipartFormDataIsReadBack(seed: UInt64) async throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<20 {
            let formData = MultipartFormData()
            var expected: [Read] = []
            for _ in 0..<random.next(below: 6) {
                let (name, content) = (random.partName(upTo: 12) + "n", random.partContent(formData.boundary, upTo: 20))
                let filename = random.next(below: 2) == 0 ? nil : "f\(random.next(below: 100)).bin"
                formData.append(data: content, name: name, filename: filename, mimeType: "a/b")
                expected.append(Read(name: name, filename: filename, type: "a/b", content: content))
            }
            let encoder = formData.encoder
            let body = try await encoder.makeBody().collect(upTo: 1 << 24)
            for size in [1 + random.next(below: 100), 1 << 20] {
                #expect(try await Self.read(pieces(body, of: size), contentType: encoder.contentType) == expected)
            }
        }
    }

    @Test(.requires(.python3)) func pythonMailIsRead() async throws {
        let program = """
            import email.mime.multipart, email.mime.text, email.mime.application, email.policy, sys
            outer = email.mime.multipart.MIMEMultipart("mixed", "out")
            outer.preamble = "This is a preamble.\\n"
            outer.epilogue = "This is an epilogue.\\n"
            outer.attach(email.mime.text.MIMEText("Leïa\\n--\\n", "plain", "utf-8"))
            inner = email.mime.multipart.MIMEMultipart("alternative", "outer")
            inner.attach(email.mime.text.MIMEText("<p>", "html"))
            outer.attach(inner)
            file = email.mime.application.MIMEApplication(bytes(range(256)))
            file.add_header("Content-Disposition", "attachment", filename="a very long name " + "x" * 20 + ".bin")
            outer.attach(file)
            policy = email.policy.SMTP if sys.argv[1] == "crlf" else email.policy.compat32
            sys.stdout.buffer.write(outer.as_bytes(policy=policy))
            """
        for lineEnd in ["crlf", "lf"] {
            let output = try await ProcessRunner.run("python3", ["-c", program, lineEnd]).checked().output
            #expect(output.contains(UInt8(ascii: "\r")) == (lineEnd == "crlf"))
            let parts = try await Self.read(HTTPBody(output), contentType: "multipart/mixed; boundary=out")
            let types = parts.map { $0.type?.prefix { $0 != ";" } }
            #expect(types == ["text/plain", "multipart/alternative", "application/octet-stream"])
            #expect(parts[2].filename == "a very long name " + String(repeating: "x", count: 20) + ".bin")
            #expect(Data(base64Encoded: parts[2].content, options: .ignoreUnknownCharacters) == Data(0...255))
            let inner = try await Self.read(HTTPBody(parts[1].content), contentType: parts[1].type ?? "")
            #expect(inner.map(\.content) == [Data("<p>".utf8)])
        }
    }

    @Test(.requires(.curl)) func curlFormsAreRead() async throws {
        let (server, folder) = try (MockServer.receiving(), TemporaryDirectory())
        let file = try folder.file("report 1.pdf", bytes: 300_001)
        let fields = [
            "name=Leïa\r\n--x", "file=@\(file.path)", "empty=", "two=@\(file.path);filename=a\"b.bin;type=a/b",
        ]
        let arguments = ["-sS"] + fields.flatMap { ["-F", $0] } + ["\(server.url)/files"]
        try await ProcessRunner.run("curl", arguments).checked()
        let request = try #require(server.requests.first)
        let parts = try await Self.read(
            pieces(request.body, of: 1000), contentType: try #require(request.headers["Content-Type"]))
        #expect(
            parts == [
                Read(name: "name", content: Data("Leïa\r\n--x".utf8)),
                Read(name: "file", filename: "report 1.pdf", type: "application/pdf", content: pattern(300_001)),
                Read(name: "empty", content: Data()),
                Read(name: "two", filename: parts.last?.filename, type: "a/b", content: pattern(300_001)),
            ])
        #expect(parts.last?.filename?.hasSuffix("b.bin") == true)
    }

    @Test func multipartByteRangesAreRead() async throws {
        let (content, server) = try (pattern(10_000), MockServer())
        server.on("/file", MockResource(content))
        var request = URLRequest(url: server.url("/file"))
        request.setValue("bytes=0-99,5000-5999,9990-", forHTTPHeaderField: "Range")
        var found: [Range<Int64>?] = []
        for try await part in try await NetworkClient().stream(for: request).parts() {
            found.append(part.contentRange)
            let range = try #require(part.contentRange)
            #expect(part.completeLength == 10_000)
            #expect(try await part.body.collect(upTo: 10_000) == content[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        #expect(found == [0..<100, 5000..<6000, 9990..<10_000])
    }
}

extension NetworkError {
    fileprivate var multipartError: ResponseStream.MultipartError? {
        if case .decodingError(let error) = self { error as? ResponseStream.MultipartError } else { nil }
    }
}
