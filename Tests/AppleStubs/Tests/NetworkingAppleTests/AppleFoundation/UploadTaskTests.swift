import AppleFoundation
import NetCore
import NetTesting
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct UploadTaskTests {
    private let content = MockResponse.generatedBytes(count: 300_000)

    private func request(_ server: MockServer, _ method: String = "PUT") -> URLRequest {
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = method
        return request
    }

    @Test func dataAndFiles() async throws {
        let server = try MockServer { _ in .text("thanks") }
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("body")
        try content.write(to: file)
        let session = URLSession(configuration: .ephemeral)
        _ = try await session.upload(for: request(server), from: content)
        _ = try await session.upload(for: request(server), fromFile: file)
        #expect(server.requests.map(\.body) == [content, content])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["300000", "300000"])
    }

    @Test func progressIsTold() async throws {
        let server = try MockServer { _ in .text("thanks") }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let task = session.uploadTask(with: request(server), from: content)
        task.resume()
        await recorder.ended()
        #expect(recorder.notes.withLock(\.sent) == 300_000)
        #expect(task.countOfBytesSent == 300_000 && task.countOfBytesExpectedToSend == 300_000)
        session.invalidateAndCancel()
    }

    @Test func aStreamIsAskedForAgainAfterA307() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/there", status: 307), .text("thanks"))
        var answers = SessionRecorder.Answers()
        answers.stream = { [content] in InputStream(data: content) }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        session.uploadTask(withStreamedRequest: request(server, "POST")).resume()
        await recorder.ended()
        #expect(recorder.calls.filter { $0 == "stream" }.count == 2)
        #expect(server.requests.map(\.body) == [content, content])
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
        session.invalidateAndCancel()
    }

    @Test func boundStreamsWaitForEachOther() async throws {
        let server = try MockServer { _ in .text("thanks") }
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: 1000, inputStream: &input, outputStream: &output)
        nonisolated(unsafe) let source = try #require(input)
        nonisolated(unsafe) let sink = try #require(output)
        var answers = SessionRecorder.Answers()
        answers.stream = { source }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        var framed = request(server)
        framed.setValue("300000", forHTTPHeaderField: "Content-Length")
        session.uploadTask(withStreamedRequest: framed).resume()
        let content = content
        Thread.detachNewThread {
            sink.open()
            content.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                var offset = 0
                while offset < bytes.count, let base = bytes.bindMemory(to: UInt8.self).baseAddress {
                    offset += max(0, sink.write(base + offset, maxLength: bytes.count - offset))
                }
            }
            sink.close()
        }
        await recorder.ended()
        #expect(server.requests.first?.body == content)
        #expect(server.requests.first?.headers["Content-Length"] == "300000")
        session.invalidateAndCancel()
    }

    @Test func aGETWithABodyIsRefused() async throws {
        let server = try MockServer()
        var request = request(server)
        request.httpMethod = "GET"
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).upload(for: request, from: content)
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }
}
