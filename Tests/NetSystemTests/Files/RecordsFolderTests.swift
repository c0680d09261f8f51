import NetSystem
import Testing

@Suite struct RecordsFolderTests {
    /// On tvOS an app can write to *Caches* only.
    @Test func isThatOfTheUsersDataOrInCachesOnTVs() {
        func first(_ directory: FileManager.SearchPathDirectory) -> URL? {
            FileManager.default.urls(for: directory, in: .userDomainMask).first
        }
        #expect(RecordsFolder.url(isLimitedToCaches: false) == first(.applicationSupportDirectory))
        #expect(RecordsFolder.url(isLimitedToCaches: true) == first(.cachesDirectory))
    }

    @Test func thisSystemIsNoTV() {
        #if os(tvOS)
            #expect(RecordsFolder.isLimitedToCaches)
        #else
            #expect(!RecordsFolder.isLimitedToCaches)
        #endif
    }
}
