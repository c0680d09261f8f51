import AppleFoundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadTaskTests {
    private let content = MockResponse.generatedBytes(count: 300_000)

    @Test func theFileIsGoneAfterwards() async throws {
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

    @Test func theAsyncFormLeavesTheFile() async throws {
        let server = try MockServer { [content] _ in .data(content) }
        let (file, _) = try await URLSession(configuration: .ephemeral).download(from: server.url)
        #expect(try Data(contentsOf: file) == content)
        try FileManager.default.removeItem(at: file)
    }

    @Test func itIsResumed() async throws {
        let server = try MockServer { [content] request in
            guard let range = request.headers["Range"], let offset = Int(range.dropFirst("bytes=".count).dropLast())
            else { return .data(content).header("ETag", "\"1\"").throttled(bytes: 1000, every: 3600) }
            return .data(content.dropFirst(offset), status: 206)
                .header("Content-Range", "bytes \(offset)-\(content.count - 1)/\(content.count)")
        }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let task = session.downloadTask(with: server.url)
        task.resume()
        await recorder.heard("written")
        let data = try #require(await task.cancelByProducingResumeData())
        await recorder.ended()
        let error = recorder.notes.withLock(\.error) as? URLError
        #expect(error?.code == .cancelled && error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data)
        session.downloadTask(withResumeData: data).resume()
        await recorder.ended(2)
        #expect(recorder.calls.contains { $0.hasPrefix("resumed at") && $0.hasSuffix("of 300000") })
        #expect(server.requests.last?.headers["If-Range"] == "\"1\"")
        #expect(recorder.notes.withLock(\.file) == content)
        session.invalidateAndCancel()
    }

    @Test func aBackgroundSessionRelaunches() async throws {
        let gate = Locked(false)
        let server = try MockServer { [content] _ in
            while !gate.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            return .data(content)
        }
        let identifier = UUID().uuidString
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        let before = SessionRecorder()
        do {
            let session = URLSession(configuration: configuration, delegate: before, delegateQueue: nil)
            let task = session.downloadTask(with: server.url("/report"))
            task.taskDescription = "the report"
            task.resume()
        }
        while server.requests.isEmpty { await Task.yield() }
        BackgroundTransferDaemon.shared.endApp(identifier)
        gate.withLock { $0 = true }
        await BackgroundTransferDaemon.shared.waitUntilIdle(identifier)
        #expect(before.calls == [])
        #expect(BackgroundTransferDaemon.shared.count(identifier) == 1)

        let after = SessionRecorder()
        let session = URLSession(configuration: configuration, delegate: after, delegateQueue: nil)
        await after.heard("events")
        #expect(after.calls == ["file", "complete", "events"])
        #expect(after.notes.withLock(\.descriptions) == ["the report"])
        #expect(after.notes.withLock(\.file) == content)
        #expect(await session.allTasks.isEmpty)
        session.invalidateAndCancel()
    }

    @Test func aRelaunchedSessionHearsTheRest() async throws {
        let gate = Locked(false)
        let server = try MockServer { [content] _ in
            while !gate.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            return .data(content)
        }
        let identifier = UUID().uuidString
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        do {
            let session = URLSession(configuration: configuration, delegate: SessionRecorder(), delegateQueue: nil)
            session.downloadTask(with: server.url("/report")).resume()
        }
        while server.requests.isEmpty { await Task.yield() }
        BackgroundTransferDaemon.shared.endApp(identifier)
        let after = SessionRecorder()
        let session = URLSession(configuration: configuration, delegate: after, delegateQueue: nil)
        let tasks = await session.allTasks
        #expect(tasks.map(\.state) == [.running])
        #expect(tasks.first?.originalRequest?.url == server.url("/report"))
        gate.withLock { $0 = true }
        await after.ended()
        #expect(after.calls.contains("written") && after.calls.contains("file"))
        #expect(after.notes.withLock(\.file) == content)
        session.invalidateAndCancel()
    }
}
