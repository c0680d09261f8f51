/// The folder for records that outlive the process, such as those of unfinished transfers.
package enum RecordsFolder {
    /// Whether only *Caches* is writable. On tvOS it is an app's only writable folder, and the system may empty it while the app does not run.
    package static var isLimitedToCaches: Bool {
        #if os(tvOS)
            true
        #else
            false
        #endif
    }

    /// Returns the user's folder for application data: *Application Support* on Apple's systems, *Caches* on tvOS, `~/.local/share` on Linux.
    package static func url(isLimitedToCaches: Bool = isLimitedToCaches) -> URL {
        FileManager.default
            .urls(for: isLimitedToCaches ? .cachesDirectory : .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }
}
