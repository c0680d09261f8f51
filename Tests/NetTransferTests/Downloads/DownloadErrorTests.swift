import NetTransfer
import Testing

@Suite struct DownloadErrorTests {
    @Test func errorCodesBridgeToNSError() {
        let kinds: [DownloadError.Code] = [
            .diskFull, .cannotWrite, .destinationExists, .digestMismatch, .contradictoryResponse, .contentCoding,
            .invalidResumeData, .inUse, .registry, .invalidChecksum,
        ]
        #expect(kinds.count == DownloadError.Code.allCases.count)
        let bridged = kinds.map { DownloadError($0, "Free some space.") as NSError }
        #expect(bridged.map(\.code) == Array(1...kinds.count))
        #expect(bridged.allSatisfy { $0.domain == "NetTransfer.DownloadError" })
        #expect(bridged.allSatisfy { $0.localizedDescription == "Free some space." })
    }

    @Test func downloadErrorIsTheUnderlyingError() throws {
        let error = NetworkError.downloadFailed(DownloadError(.inUse, "Wait."))
        let beneath = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "NetTransfer.DownloadError" && beneath.code == 8)
    }
}
