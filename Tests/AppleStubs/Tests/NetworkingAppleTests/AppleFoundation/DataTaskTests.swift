import AppleFoundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct DataTaskTests {
    @Test func dataOfAURL() async throws {
        let server = try MockServer { _ in .text("hello") }
        let (data, response) = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func aDelegateHearsInOrder() async throws {
        let server = try MockServer { _ in .data(MockResponse.generatedBytes(count: 100_000)) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        session.dataTask(with: server.url).resume()
        await recorder.ended()
        session.finishTasksAndInvalidate()
        await recorder.heard("invalid")
        #expect(recorder.calls == ["response 200", "data", "complete", "invalid"])
        #expect(recorder.notes.withLock(\.data) == MockResponse.generatedBytes(count: 100_000))
        #expect(session.delegate == nil)
    }

    @Test func connectionsAreUsedAgain() async throws {
        let server = try MockServer { _ in .text("ok") }
        let session = URLSession(configuration: .ephemeral)
        for _ in 0..<3 { _ = try await session.data(from: server.url) }
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test func gzipIsDecoded() async throws {
        let server = try MockServer { _ in .gzippedZeros(count: 100_000).header("Content-Encoding", "gzip") }
        let (data, _) = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect(data == Data(count: 100_000))
        #expect(server.requests.first?.headers["Accept-Encoding"] == "gzip, deflate")
    }

    @Test func redirectsAreFollowedByDefault() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/there"), .text("arrived"))
        var request = URLRequest(url: server.url("/here"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "arrived")
        #expect(response.url?.path == "/there")
        #expect(server.requests.map(\.method) == [.post, .get])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["secret", nil])
    }

    @Test func arefusedRedirectIsTheResponse() async throws {
        let server = try MockServer { _ in .redirect(to: "/there", status: 307) }
        var answers = SessionRecorder.Answers()
        answers.redirect = { _ in nil }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        session.dataTask(with: server.url).resume()
        await recorder.ended()
        #expect(recorder.calls.starts(with: ["redirect 307 GET", "response 307"]))
        #expect(server.requests.count == 1)
        session.invalidateAndCancel()
    }

    @Test func withoutALoginThe401IsTheResponse() async throws {
        let server = try MockServer { _ in .status(401, headers: ["WWW-Authenticate": "Basic realm=\"here\""]) }
        let (_, response) = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(server.requests.count == 1)
    }

    @Test func aDelegateLogsIn() async throws {
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

    @Test func cookiesAreKeptAndSent() async throws {
        let server = try MockServer { _ in .text("ok").addingHeader("Set-Cookie", "a=1; Max-Age=60; Path=/") }
        let session = URLSession(configuration: .ephemeral)
        for _ in 0..<2 { _ = try await session.data(from: server.url) }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
        // Each ephemeral configuration has a store of its own.
        _ = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect(server.requests.last?.headers["Cookie"] == nil)
    }

    @Test func cancellingEndsItAtOnce() async throws {
        let server = try MockServer { _ in .text("late").delayed(by: 3600) }
        let session = URLSession(configuration: .ephemeral)
        let waiting = Task { try await session.data(from: server.url) }
        while server.requests.isEmpty { await Task.yield() }
        waiting.cancel()
        let error = await #expect(throws: URLError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
    }

    @Test func whatIsRefusedSaysWhy() async throws {
        let server = try MockServer()
        let url = server.url
        await server.stop()
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).data(from: url)
        }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.userInfo["_kCFStreamErrorDomainKey"] as? Int == 1)
        #expect(error?.userInfo["_kCFStreamErrorCodeKey"] as? Int == Int(ECONNREFUSED))
    }

    @Test func aSuspendedTaskReadsNothing() async throws {
        let size = 64 << 20
        let server = try MockServer { _ in .bytes(count: Int64(size)) }
        var answers = SessionRecorder.Answers()
        let first = Locked(true)
        answers.chunk = { task in
            let isFirst = first.withLock { first in
                defer { first = false }
                return first
            }
            if isFirst { task.suspend() }
        }
        let recorder = SessionRecorder(answers)
        let session = URLSession(recorder)
        let task = session.dataTask(with: server.url)
        task.resume()
        await recorder.heard("data")
        // Whatever the sockets hold has come by now, if it comes at all.
        try await Task.sleep(nanoseconds: 200_000_000)
        #expect(task.state == .suspended)
        #expect(recorder.notes.withLock(\.data.count) <= 1 << 17)
        task.resume()
        await recorder.ended()
        #expect(recorder.notes.withLock(\.data.count) == size)
        session.invalidateAndCancel()
    }

    @Test func metricsTellOfTheConnection() async throws {
        let server = try MockServer { _ in .text("ok") }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        for count in 1...2 {
            recorder.notes.withLock { $0.transactions = [] }
            session.dataTask(with: server.url).resume()
            await recorder.ended(count)
            // They may come after the end.
            while recorder.notes.withLock(\.transactions).isEmpty, !Task.isCancelled { await Task.yield() }
            let last = try #require(recorder.notes.withLock(\.transactions).last)
            #expect(last.isReusedConnection == (count == 2))
            #expect(last.networkProtocolName == "http/1.1")
            #expect(last.remotePort == server.port)
            #expect(last.countOfResponseBodyBytesReceived == 2)
            #expect(last.responseStartDate != nil)
        }
        session.invalidateAndCancel()
    }

    @Test func bytesComeOneByOne() async throws {
        let server = try MockServer { _ in .chunked(["ab", "c"]) }
        let (bytes, response) = try await URLSession(configuration: .ephemeral).bytes(from: server.url)
        var all: [UInt8] = []
        for try await byte in bytes { all.append(byte) }
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(all == Array("abc".utf8))
    }

    @Test func aTaskDelegateGoesFirst() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (own, general) = (SessionRecorder(), SessionRecorder())
        let session = URLSession(general)
        let task = session.dataTask(with: server.url)
        task.delegate = own
        task.resume()
        await own.ended()
        #expect(own.calls == ["response 200", "data", "complete"])
        #expect(general.calls == [])
        session.invalidateAndCancel()
    }

    @Test func aSessionHoldsItsDelegateUntilItIsInvalidated() async throws {
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
}
