/// What the running program is called.
package enum CurrentProcess {
    /// The name of the process; `app` if the system does not say it, as Linux without `/proc`.
    package static let name: String = {
        let name = ProcessInfo.processInfo.processName
        return name.isEmpty ? "app" : name
    }()

    // Not on Linux, where a program is not a bundle, and Foundation traps without `/proc`.
    #if canImport(Darwin)
        /// The identifier of the app's bundle, or ``name``.
        package static let identifier = Bundle.main.bundleIdentifier ?? name
        /// The version of the app, or nil.
        package static let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    #else
        package static let identifier = name
        package static let version: String? = nil
    #endif
}
