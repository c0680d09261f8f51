import AppleFoundation
import NetCore
import NetTesting
import Testing

/// What code other than ours asks of a session and its tasks. The suites of the transports prove the rest.
@Suite(.timeLimit(.minutes(5))) struct SessionTaskTests {
    private let content = MockResponse.generatedBytes(count: 300_000)

    @Test func delegateMethodsComeInOrder() async throws {
        let server = try MockServer { [content] _ in .data(content) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        session.dataTask(with: server.url).resume()
        await recorder.ended()
        session.finishTasksAndInvalidate()
        await recorder.heard("invalid")
        #expect(recorder.calls == ["response 200", "data", "complete", "invalid"])
        #expect(recorder.notes.withLock(\.data) == content && session.delegate == nil)
    }

    @Test func redirectsAreFollowedByDefault() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/there"), .text("arrived"))
        var request = URLRequest(url: server.url("/here"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        #expect((String(decoding: data, as: UTF8.self), response.url?.path) == ("arrived", "/there"))
        #expect(server.requests.map(\.method) == [.post, .get])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["secret", nil])
    }

    @Test func delegateAnswersBasicChallenge() async throws {
        let server = try MockServer { request in
            request.headers["Authorization"] == "Basic dTpw"
                ? .text("in") : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"here\""])
        }
        var answers = SessionRecorder.Answers()
        answers.challenge = { challenge in
            challenge.previousFailureCount == 0 && challenge.protectionSpace.realm == "here"
                ? (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
                : (.performDefaultHandling, nil)
        }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        session.dataTask(with: server.url).resume()
        await recorder.ended()
        #expect(recorder.calls.starts(with: ["challenge HTTPBasic 127.0.0.1", "response 200", "data"]))
        session.invalidateAndCancel()
    }

    @Test func cookiesAreStoredAndSent() async throws {
        let server = try MockServer { _ in .text("ok").addingHeader("Set-Cookie", "a=1; Max-Age=60; Path=/") }
        let session = URLSession(configuration: .ephemeral)
        for _ in 0..<2 { _ = try await session.data(from: server.url) }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
        // Each ephemeral configuration has a store of its own.
        _ = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect(server.requests.last?.headers["Cookie"] == nil)
    }

    @Test func asyncBytesReadTheBody() async throws {
        let server = try MockServer { _ in .chunked(["ab", "c"]) }
        let (bytes, response) = try await URLSession(configuration: .ephemeral).bytes(from: server.url)
        var all: [UInt8] = []
        for try await byte in bytes { all.append(byte) }
        #expect(((response as? HTTPURLResponse)?.statusCode, all) == (200, Array("abc".utf8)))
    }

    @Test func sessionRetainsItsDelegateUntilInvalidated() async throws {
        weak var gone: SessionRecorder?
        weak var session: URLSession?
        do {
            let recorder = SessionRecorder()
            gone = recorder
            let made = URLSession(recorder)
            session = made
        }
        #expect(gone != nil && session != nil)
        session?.invalidateAndCancel()
        while gone != nil || session != nil { await Task.yield() }
    }

    @Test func bodyStreamIsRequestedAgainAfter307() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/there", status: 307), .text("thanks"))
        var answers = SessionRecorder.Answers()
        answers.stream = { [content] in InputStream(data: content) }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        session.uploadTask(withStreamedRequest: request).resume()
        await recorder.ended()
        #expect(recorder.calls.filter { $0 == "stream" }.count == 2)
        #expect(server.requests.map(\.body) == [content, content])
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
        session.invalidateAndCancel()
    }

    @Test func getWithBodyIsRefused() async throws {
        let server = try MockServer()
        let request = URLRequest(url: server.url("/upload"))
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).upload(for: request, from: content)
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }

    @Test func downloadedFileIsRemovedAfterTheHandler() async throws {
        let server = try MockServer { [content] _ in .data(content) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        session.downloadTask(with: server.url).resume()
        await recorder.ended()
        #expect(recorder.calls.filter { $0 != "written" } == ["file", "complete"])
        let (file, location) = recorder.notes.withLock { ($0.file, $0.location) }
        #expect(file == content)
        #expect(!FileManager.default.fileExists(atPath: try #require(location).path))
        session.invalidateAndCancel()
    }
}
