/// Where records outlive the process, such as those of unfinished transfers: one place decides it for all of them.
package enum RecordsFolder {
    /// Whether the system may write to *Caches* only. On tvOS an app's other folders cannot be written, and the system may empty *Caches* while
    /// the app does not run.
    package static var isLimitedToCaches: Bool {
        #if os(tvOS)
            true
        #else
            false
        #endif
    }

    /// The user's folder for the data of applications: *Application Support* on Apple's systems, *Caches* on tvOS, `~/.local/share` on Linux.
    package static func url(isLimitedToCaches: Bool = isLimitedToCaches) -> URL {
        FileManager.default
            .urls(for: isLimitedToCaches ? .cachesDirectory : .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }
}
