import NetTesting
import NetTransfer
import Testing

/// Seed 003, Testing with MockNetworkClient: transfers.
@Suite struct MockUploadTests {
    struct UploadResponse: Codable, Hashable, Sendable { let fileId: String, size: Int }

    struct UploadEndpoint: Endpoint {
        var name = "a"
        var path: String { "/upload" }
        var method: HTTPMethod { .post }
        typealias Response = UploadResponse
    }

    final class Backup: Sendable {
        private let client: any TransferClientProtocol
        init(client: any TransferClientProtocol) { self.client = client }
        func run() async throws -> (percent: [Double?], response: UploadResponse) {
            let (progress, task) = client.upload(.data(Data([1])), to: UploadEndpoint(name: "backup"))
            var percent: [Double?] = []
            for await state in progress { percent.append(state.fractionCompleted) }
            return (percent, try await task.value)
        }
    }

    let mockClient = MockNetworkClient()
    let answer = UploadResponse(fileId: "1", size: 1)
    let progressSequence = [
        TransferProgress(bytesCompleted: 500, totalBytes: 1000),
        TransferProgress(bytesCompleted: 1000, totalBytes: 1000, isComplete: true),
    ]

    @Test func stubsAnUploadWithProgress() async throws {
        await mockClient.stubUpload(UploadEndpoint.self, progressSequence: progressSequence) { endpoint in
            UploadResponse(fileId: "123-\(endpoint.name)", size: 1000)
        }
        let result = try await Backup(client: mockClient).run()
        #expect((result.percent, result.response) == ([0.5, 1], UploadResponse(fileId: "123-backup", size: 1000)))
        #expect(await mockClient.callCount(for: UploadEndpoint.self) == 1)
        #expect(await mockClient.calledEndpoints(of: UploadEndpoint.self).map(\.name) == ["backup"])
    }

    @Test func lateReaderGetsAllProgress() async throws {
        await mockClient.stubUpload(UploadEndpoint.self, progressSequence: progressSequence) { _ in answer }
        let (progress, task) = mockClient.upload(formData: MultipartFormData(), to: UploadEndpoint())
        _ = try await task.value
        #expect(await progress.reduce(into: []) { $0.append($1) } == progressSequence)
    }

    @Test func stubbedUploadFails() async throws {
        await mockClient.stubUpload(UploadEndpoint.self, progressSequence: [progressSequence[0]]) { _ in
            throw NetworkFailure.timeout()
        }
        let (progress, task) = mockClient.upload(.data(Data()), to: UploadEndpoint())
        await #expect(throws: NetworkFailure.timeout()) { try await task.value }
        #expect(await progress.reduce(into: []) { $0.append($1) } == [progressSequence[0]])
    }

    @Test func requestStubDoesNotAnswerAnUpload() async throws {
        await mockClient.stub(UploadEndpoint.self) { _ in answer }
        let (progress, task) = mockClient.upload(.data(Data()), to: UploadEndpoint())
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(failure?.description.contains("stubUpload") == true)
        #expect(await progress.reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test func delaysAreThoseOfTheClock() async throws {
        let clock = TestClock(autoAdvance: true)
        let mock = MockNetworkClient(clock: clock)
        await mock.stubUpload(UploadEndpoint.self, progressSequence: progressSequence, delay: 2) { _ in answer }
        _ = try await mock.upload(.data(Data()), to: UploadEndpoint()).task.value
        #expect(clock.sleeps == [2, 2, 2])
    }

    @Test func cancellingEndsIt() async throws {
        let mock = MockNetworkClient(clock: TestClock())
        await mock.stubUpload(UploadEndpoint.self, delay: 1000) { _ in answer }
        let (progress, task) = mock.upload(.data(Data()), to: UploadEndpoint())
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
        #expect(await progress.reduce(0) { count, _ in count + 1 } == 0)
    }
}

/// Seed 003, Testing with MockNetworkClient: downloads.
@Suite struct MockDownloadTests {
    private struct DownloadEndpoint: Endpoint {
        var path: String { "/file" }
    }

    private let mockClient = MockNetworkClient()
    private let progressSequence = [
        TransferProgress(bytesCompleted: 5000, totalBytes: 10000),
        TransferProgress(bytesCompleted: 10000, totalBytes: 10000, isComplete: true),
    ]
    private let place = URL(fileURLWithPath: "/tmp/test.zip")

    private func run(_ client: any TransferClientProtocol) async throws -> (progress: [TransferProgress], file: URL) {
        let (progress, task) = client.download(from: DownloadEndpoint(), to: nil)
        return (await progress.reduce(into: []) { $0.append($1) }, try await task.value)
    }

    @Test func stubsADownloadWithProgress() async throws {
        await mockClient.stubDownload(DownloadEndpoint.self, progressSequence: progressSequence, destinationURL: place)
        let result = try await run(mockClient)
        #expect(result.progress == progressSequence && result.file == place)
        #expect(await mockClient.callCount(for: DownloadEndpoint.self) == 1)
    }

    @Test func stubbedDownloadFails() async throws {
        await mockClient.stubDownloadError(DownloadEndpoint.self, error: .notFound())
        await #expect(throws: NetworkFailure.notFound()) { try await run(mockClient) }
    }

    @Test func unstubbedDownloadIsAnError() async throws {
        await mockClient.stub(DownloadEndpoint.self) { _ in EmptyResponse() }
        let failure = await #expect(throws: NetworkFailure.self) { try await run(mockClient) }
        #expect(failure.map { "\($0)".contains("stubDownload") } == true)
    }
}
