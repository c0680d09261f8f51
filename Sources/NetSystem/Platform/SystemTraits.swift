/// What the system lets an app do, where Apple's systems differ: the one place that asks which of them this is.
///
/// Tests set it for a scope: `SystemTraits.$current.withValue(.watchOS) { … }`.
package struct SystemTraits: Sendable {
    /// Whether an app may use sockets, WebSockets and path monitors. watchOS keeps apps from them, outside of audio streaming and calls:
    /// sockets of the C library never work there, and `NWPathMonitor` stays `unsatisfied` while `URLSession` reaches every server (Apple's
    /// technical note TN3135).
    package var allowsLowLevelNetworking = true
    /// Whether the sign-in sheet can come back to an https URL. The compiler's `#available` says no as well where the system is too old.
    package var hasHTTPSCallbacks = true

    package init() {}

    package static let watchOS: SystemTraits = {
        var traits = SystemTraits()
        traits.allowsLowLevelNetworking = false
        return traits
    }()

    @TaskLocal package static var current: SystemTraits = {
        #if os(watchOS)
            .watchOS
        #else
            SystemTraits()
        #endif
    }()

    /// What to tell the caller of something that needs low-level networking, or nil where that is allowed.
    ///
    /// - Parameters:
    ///   - feature: the subject of the message, such as `A WebSocket`.
    ///   - advice: a sentence that says what to use in its place.
    package static func refusalOfSockets(for feature: String, _ advice: String) -> String? {
        guard !current.allowsLowLevelNetworking else { return nil }
        return "\(feature) needs low-level networking, which watchOS blocks (Apple's technical note TN3135). \(advice)"
    }
}
