public import Dispatch
import Foundation

/// Harness only: what the stand-ins do where Apple's documentation promises nothing.
///
/// Each place that has a choice names it and asks here. Without `APPLE_STUBS_SEED` in the environment it gets the first choice, which is the
/// kind one; with a seed, one at random. The choices of a place depend on the seed, the place and how often it was asked before: not on
/// what other threads ask meanwhile. `Scripts/test-apple --seeds` runs the tests under many seeds.
public enum Liberties {
    /// The seed of this run; nil for none.
    public static let seed: UInt64? = ProcessInfo.processInfo.environment["APPLE_STUBS_SEED"].flatMap { UInt64($0) }

    private static let lock = NSLock()
    private nonisolated(unsafe) static var counts: [String: UInt64] = [:]

    /// How often the place has asked before.
    private static func count(_ place: String) -> UInt64 {
        lock.withLock {
            defer { counts[place, default: 0] += 1 }
            return counts[place, default: 0]
        }
    }

    /// One of the choices: the first without a seed.
    public static func pick<Choice>(_ place: String, _ choices: [Choice]) -> Choice {
        guard let seed else { return choices[0] }
        let number = mixed(seed &+ mixed(hash(place) &+ count(place)))
        return choices[Int(number % UInt64(choices.count))]
    }

    /// True once in so many times; never without a seed.
    public static func takes(_ place: String, oncePer times: Int) -> Bool {
        pick(place, [false] + (1..<times).map { $0 == 1 })
    }

    /// How late something comes, in milliseconds: 0 without a seed.
    public static func delay(_ place: String) -> Int { pick(place, [0, 0, 0, 1, 3, 7]) }

    /// Holds up the thread that asks, sometimes and for less than a millisecond.
    public static func dawdle(_ place: String) {
        let pause = pick(place, [0, 0, 0, 0, 0, 0, 50, 400])
        if pause > 0 { usleep(UInt32(pause)) }
    }

    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }

    /// SplitMix64.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Where a callback comes whose queue is not documented.
public enum CallbackQueue: CaseIterable, Sendable {
    case main
    case background
    /// A serial one of the system's own, as those of XPC are.
    case system

    public var queue: DispatchQueue {
        switch self {
        case .main: .main
        case .background: .global()
        case .system: Self.systemQueue
        }
    }

    private static let systemQueue = DispatchQueue(label: "com.apple.NSXPCConnection.user.endpoint")
}

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
