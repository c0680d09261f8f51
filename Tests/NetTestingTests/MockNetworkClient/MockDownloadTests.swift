import NetTesting
import NetTransfer
import Testing

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
