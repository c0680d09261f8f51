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
        let (recorder, _) = await ended(answers) { $0.dataTask(with: server.url) }
        #expect(recorder.calls.starts(with: ["challenge HTTPBasic 127.0.0.1", "response 200", "data"]))
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
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let (recorder, _) = await ended(answers) { $0.uploadTask(withStreamedRequest: request) }
        #expect(recorder.calls.filter { $0 == "stream" }.count == 2)
        #expect(server.requests.map(\.body) == [content, content])
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
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
        let (recorder, _) = await ended { $0.downloadTask(with: server.url) }
        #expect(recorder.calls == ["file", "complete"])
        let (file, location) = recorder.notes.withLock { ($0.file, $0.location) }
        #expect(file == content)
        #expect(!FileManager.default.fileExists(atPath: try #require(location).path))
    }
}

@Suite(.timeLimit(.minutes(5))) struct WebSocketTaskTests {
    @Test func tooLongMessageFailsTheWebSocket() async throws {
        let server = try MockServer { _ in .webSocket(MockWebSocket()) }
        let session = URLSession(configuration: .ephemeral)
        let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/socket")))
        task.resume()
        task.maximumMessageSize = 10
        try await task.send(.string("longer than ten bytes"))
        let error = await #expect(throws: (any Error).self) { try await task.receive() }
        let known = error.map { $0 as NSError }
        #expect(known?.domain == NSPOSIXErrorDomain && known?.code == Int(EMSGSIZE))
        session.invalidateAndCancel()
    }

    @Test func refusedHandshakeKeepsTheResponse() async throws {
        let server = try MockServer { _ in .status(403) }
        let url = try #require(URL(string: "ws://127.0.0.1:\(server.port)/"))
        let (_, task) = await ended { $0.webSocketTask(with: url) }
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
        #expect((task.error as? URLError)?.code == .badServerResponse)
    }
}

/// What a delegate hears of a task, which has ended.
private func ended(
    _ answers: SessionRecorder.Answers = SessionRecorder.Answers(), _ make: (URLSession) -> URLSessionTask
) async -> (SessionRecorder, URLSessionTask) {
    let recorder = SessionRecorder(answers)
    let session = URLSession(recorder)
    defer { session.invalidateAndCancel() }
    let task = make(session)
    task.resume()
    await recorder.ended()
    return (recorder, task)
}
