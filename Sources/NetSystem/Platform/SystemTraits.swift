/// The capabilities that differ between Apple's systems. Tests override them: `SystemTraits.$current.withValue(.watchOS) { … }`.
package struct SystemTraits: Sendable {
    /// Whether an app may use sockets, WebSockets and path monitors. watchOS blocks them, except for audio streaming and calls: BSD sockets
    /// never work there, and `NWPathMonitor` stays `unsatisfied` while `URLSession` works (Apple's technical note TN3135).
    package var allowsLowLevelNetworking = true
    /// Whether the sign-in sheet supports https callbacks. `#available` also checks the version of the system.
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

    /// Returns the message for a feature that needs low-level networking, or nil if that is allowed.
    ///
    /// - Parameters:
    ///   - feature: the subject of the message, such as `A WebSocket`.
    ///   - advice: a sentence with the alternative.
    package static func refusalOfSockets(for feature: String, _ advice: String) -> String? {
        guard !current.allowsLowLevelNetworking else { return nil }
        return "\(feature) needs low-level networking, which watchOS blocks (Apple's technical note TN3135). \(advice)"
    }
}
