import NetSystem
import Testing

@Suite struct RecordsFolderTests {
    @Test func isThatOfTheUsersData() {
        let all = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        #expect(RecordsFolder.url(isLimitedToCaches: false) == all.first)
    }

    /// On tvOS an app can write to *Caches* only.
    @Test func isInCachesOnTVs() {
        let all = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
        #expect(RecordsFolder.url(isLimitedToCaches: true) == all.first)
    }

    @Test func thisSystemIsNoTV() {
        #if os(tvOS)
            #expect(RecordsFolder.isLimitedToCaches)
        #else
            #expect(!RecordsFolder.isLimitedToCaches)
        #endif
    }
}
