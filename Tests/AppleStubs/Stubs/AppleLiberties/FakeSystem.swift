import Foundation

/// Harness only: which of Apple's systems the stand-ins play, for the scope of a test.
///
/// ```swift
/// await FakeSystem.$current.withValue(.watchOS) { … }
/// ```
public struct FakeSystem: Sendable {
    /// Whether sockets, WebSockets and path monitors work. What does not, is as TN3135 says: monitors stay unsatisfied, connections wait
    /// with ENETDOWN.
    public var allowsLowLevelNetworking = true

    public static let watchOS = FakeSystem(allowsLowLevelNetworking: false)

    @TaskLocal public static var current = FakeSystem()
}
