package import NetCore

extension CookieStore {
    /// A store for an `HTTPCookieStorage`, which stays in step with it.
    ///
    /// - Parameter epochFile: The file that keeps the epochs, without cookies; nil to keep them in memory.
    package convenience init(system storage: HTTPCookieStorage, epochFile: URL?, clock: any NetworkClock = .system) {
        self.init(file: epochFile, publicSuffixFile: nil, clock: clock, system: SystemCookies(storage))
    }

    #if canImport(Darwin)
        static func makeShared() -> CookieStore {
            CookieStore(system: .shared, epochFile: epochFile)
        }

        /// In a folder that is cleared together with the caches that depend on it.
        private static var epochFile: URL? {
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
                .appendingPathComponent(
                    Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName, isDirectory: true
                )
                .appendingPathComponent("networking-cookie-epochs", isDirectory: false)
        }
    #else
        static func makeShared() -> CookieStore { CookieStore() }
    #endif
}
