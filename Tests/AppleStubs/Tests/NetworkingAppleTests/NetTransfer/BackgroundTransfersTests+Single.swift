import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// Single transfers: uploads, the list, cancellation, resume data and schedules.
extension BackgroundTransfersTests {
    private func post(_ url: URL, _ method: String = "POST") -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        return request
    }

    /// A server that answers with what was sent, when the gate is open.
    private func echo(_ gate: Locked<Bool> = Locked(true), asked: Locked<Int> = Locked(0)) throws -> MockServer {
        try MockServer.gated(gate, asked: asked) { request in
            .data(request.body, status: 201).header("ETag", "\"1\"")
        }
    }

    /// A server that sends the rest of the content if it is asked for it, and its start otherwise.
    private func ranges(_ start: @escaping @Sendable (MockResponse) -> MockResponse) throws -> MockServer {
        try MockServer { [content] request in
            guard let range = request.headers["Range"], let offset = Int(range.dropFirst("bytes=".count).dropLast())
            else { return start(.data(content).header("ETag", "\"1\"")) }
            return .data(content.dropFirst(offset), status: 206)
                .header("Content-Range", "bytes \(offset)-\(content.count - 1)/\(content.count)")
        }
    }

    // MARK: Uploads

    @Test func fileIsUploaded() async throws {
        let server = try echo()
        try content.write(to: folder.file("photo.jpg"))
        let transfers = BackgroundTransfers(identifier: identifier)
        let upload = try transfers.upload(post(server.url("/photos"), "PUT"), fromFile: folder.file("photo.jpg"))
        let response = try await upload.task.value
        #expect(response.statusCode == 201 && response.headers["ETag"] == "\"1\"" && response.value == content)
        let request = try #require(server.requests.first)
        #expect(request.method == .put && request.headers["Content-Type"] == "image/jpeg" && request.body == content)
        let update = try #require(await transfers.nextEnd())
        guard case .uploaded(let url, let told) = update.event else {
            Issue.record("The event is \(update.event).")
            return
        }
        #expect(update.id == upload.id && url == server.url("/photos") && told.value == content)
        let last = await upload.progress.last
        #expect(last?.isComplete == true && last?.bytesCompleted == Int64(content.count))
    }

    @Test func uploadContinuesAfterTheAppEnds() async throws {
        let (gate, asked) = (Locked(false), Locked(0))
        let server = try echo(gate, asked: asked)
        try content.write(to: folder.file("a.bin"))
        let id = try BackgroundTransfers(identifier: identifier)
            .upload(post(server.url("/a")), fromFile: folder.file("a.bin")).id
        while asked.withLock({ $0 }) == 0 { await Task.yield() }
        BackgroundTransferDaemon.shared.endProcess(identifier)
        gate.withLock { $0 = true }
        await BackgroundTransferDaemon.shared.waitUntilIdle(identifier)
        let update = try #require(await BackgroundTransfers(identifier: identifier).nextEnd())
        guard case .uploaded(_, let response) = update.event else {
            Issue.record("The event is \(update.event).")
            return
        }
        #expect(update.id == id && response.statusCode == 201 && response.data == content)
    }

    @Test func errorStatusOfAnUploadHasItsBody() async throws {
        let server = try MockServer { _ in .text("Too large.", status: 413) }
        try content.write(to: folder.file("a.bin"))
        let transfers = BackgroundTransfers(identifier: identifier)
        let response = try await transfers.upload(post(server.url), fromFile: folder.file("a.bin")).task.value
        #expect(response.error == .requestFailed(statusCode: 413, data: Data("Too large.".utf8)))
        #expect(response.failure?.response?.bodyPreview == "Too large." && response.failure?.resumeData == nil)
    }

    @Test func unsupportedUploadIsRefused() throws {
        let transfers = BackgroundTransfers(identifier: identifier)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let ftp = try #require(URL(string: "ftp://example.com/a"))
        try content.write(to: folder.file("a.bin"))
        #expect(throws: NetworkError.invalidURL) { try transfers.upload(post(ftp), fromFile: folder.file("a.bin")) }
        #expect(throws: NetworkError.invalidRequest) {
            try transfers.upload(URLRequest(url: url), fromFile: folder.file("a.bin"))
        }
        for missing in [folder.file("missing"), folder.url, url] {
            #expect(throws: NetworkError.uploadFailed(nil)) { try transfers.upload(post(url), fromFile: missing) }
        }
    }

    @Test func responseOverTheLimitFails() async throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let delegate = BackgroundDelegate(.of(identifier), bodyLimit: 3)
        let url = try #require(URL(string: "https://example.com/a"))
        let task = session.uploadTask(with: post(url), from: Data())
        let transfer = try #require(delegate.transfer(of: task, \.uploads))
        for text in ["ab", "cd", "ef"] { delegate.urlSession(session, dataTask: task, didReceive: Data(text.utf8)) }
        delegate.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
        #expect(try await transfer.task.value.error == .responseTooLarge(limit: 3))
        #expect(task.state != .suspended)
    }

    // MARK: The list

    @Test func runningTransfersAreListedAfterALaunch() async throws {
        let (gate, asked) = (Locked(false), Locked(0))
        let server = try echo(gate, asked: asked)
        try content.write(to: folder.file("a.bin"))
        let first = BackgroundTransfers(identifier: identifier)
        let kept = try first.download(URLRequest(url: server.url("/kept")), to: .file(folder.file("kept")))
        let cancelled = try first.download(
            URLRequest(url: server.url("/cancelled")), to: .file(folder.file("cancelled")))
        let upload = try first.upload(post(server.url("/upload")), fromFile: folder.file("a.bin"))
        #expect(Set(await first.running.downloads.map(\.id)) == [kept.id, cancelled.id])
        #expect(await first.running.uploads.map(\.task).first === upload.task)
        while asked.withLock({ $0 }) < 3 { await Task.yield() }
        BackgroundTransferDaemon.shared.endProcess(identifier)

        let relaunched = BackgroundTransfers(identifier: identifier)
        let (downloads, uploads) = await relaunched.running
        #expect(
            Dictionary(uniqueKeysWithValues: downloads.map { ($0.id, $0.url) })
                == [kept.id: kept.url, cancelled.id: cancelled.url])
        #expect(uploads.map(\.id) == [upload.id] && uploads.map(\.url) == [upload.url])
        let other = try #require(downloads.first { $0.id == cancelled.id })
        other.task.cancel()
        #expect(try await other.task.value.error == .cancelled)
        gate.withLock { $0 = true }
        #expect(try await uploads.first?.task.value.value == content)
        #expect(try await downloads.first { $0.id == kept.id }?.task.value.value == folder.file("kept"))
        #expect(await relaunched.running.downloads.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.file("cancelled").path))
    }

    @Test func pausedTransferWaits() async throws {
        let server = try echo()
        try content.write(to: folder.file("a.bin"))
        let transfers = BackgroundTransfers(identifier: identifier)
        let upload = try transfers.upload(post(server.url), fromFile: folder.file("a.bin"))
        try upload.task.pause()
        #expect(upload.systemTask.state != .running)
        try upload.task.resume()
        #expect(try await upload.task.value.isSuccess)
    }

    // MARK: Resume data

    @Test func cancelledDownloadResumes() async throws {
        let server = try ranges { $0.throttled(bytes: 1000, every: 3600) }
        let transfers = BackgroundTransfers(identifier: identifier)
        let download = try transfers.download(URLRequest(url: server.url("/a")), to: .file(folder.file("a")))
        for await progress in download.progress where progress.bytesCompleted > 0 { break }
        let data = try #require(await download.cancelByProducingResumeData())
        let response = try await download.task.value
        #expect(response.error == .cancelled && response.failure?.resumeData == data)
        #expect(await download.cancelByProducingResumeData() == nil)

        BackgroundTransferDaemon.shared.endProcess(identifier)
        let relaunched = BackgroundTransfers(identifier: identifier)
        let rest = try relaunched.download(resumeData: data, to: .file(folder.file("b")))
        #expect(rest.id == download.id && rest.url == download.url)
        #expect(try await rest.task.value.value == folder.file("b"))
        #expect(server.requests.last?.headers["If-Range"] == "\"1\"")
        #expect(try Data(contentsOf: folder.file("b")) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["b"])
    }

    @Test func failedDownloadResumes() async throws {
        let server = try ranges { $0.fault(.truncatedBody) }
        let transfers = BackgroundTransfers(identifier: identifier)
        let failed = try await transfers.download(URLRequest(url: server.url("/a")), to: .file(folder.file("a"))).task
            .value
        let failure = try #require(failed.failure)
        #expect(failure.transportError?.code == .truncatedBody && failure.systemError is URLError)
        guard case .failed(_, let told)? = await transfers.nextEnd()?.event else {
            Issue.record("The failure was not told.")
            return
        }
        #expect(told.resumeData == failure.resumeData)
        let systemData = (failure as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        #expect(systemData != nil && systemData != told.resumeData)
        let rest = try transfers.download(resumeData: try #require(told.resumeData))
        #expect(try await rest.task.value.value == folder.file("a"))
        #expect(try Data(contentsOf: folder.file("a")) == content && server.requests.count == 2)
    }

    @Test func foreignResumeDataIsRefused() throws {
        let transfers = BackgroundTransfers(identifier: identifier)
        let url = try #require(URL(string: "https://example.com/a"))
        let record = DownloadRecord(
            url: url, destination: .temporary, folder: folder.url, options: Downloader.Options())
        for data in [Data(), Data("garbage".utf8), try record.data] {
            let error = #expect(throws: NetworkError.self) { try transfers.download(resumeData: data) }
            #expect((error?.embeddedError as? DownloadError)?.code == .invalidResumeData)
        }
    }

    // MARK: Schedules

    @Test func scheduleIsPassedToTheSystem() async throws {
        let server = try echo()
        try content.write(to: folder.file("a.bin"))
        let transfers = BackgroundTransfers(
            identifier: identifier, isDiscretionary: true, sharedContainerIdentifier: "group.com.example")
        let later = try transfers.download(
            URLRequest(url: server.url("/later")), to: .file(folder.file("later")),
            schedule: .init(
                earliestBeginDate: .distantFuture, countOfBytesClientExpectsToSend: 200,
                countOfBytesClientExpectsToReceive: 300_000))
        let now = try transfers.upload(post(server.url("/now")), fromFile: folder.file("a.bin"))
        #expect(try await now.task.value.isSuccess)
        #expect(server.requests.map(\.path) == ["/now"])
        let task = later.systemTask
        #expect(task.countOfBytesClientExpectsToSend == 200 && task.countOfBytesClientExpectsToReceive == 300_000)
        #expect(now.systemTask.countOfBytesClientExpectsToSend == NSURLSessionTransferSizeUnknown)
        let configuration = BackgroundSession.of(identifier).session.configuration
        #expect(configuration.isDiscretionary && configuration.sharedContainerIdentifier == "group.com.example")
        await transfers.cancelAll()
        #expect(try await later.task.value.error == .cancelled)
    }
}
