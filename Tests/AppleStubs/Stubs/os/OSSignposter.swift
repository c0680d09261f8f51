import Foundation

/// https://developer.apple.com/documentation/os/ossignpostid
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public struct OSSignpostID: Hashable, Sendable {
    let number: UInt64
}

/// https://developer.apple.com/documentation/os/ossignpostintervalstate
@available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID

    init(_ id: OSSignpostID) { self.id = id }
}

/// https://developer.apple.com/documentation/os/ossignposter
@available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
public struct OSSignposter: Sendable {
    private let subsystem: String
    private let category: String

    public init(subsystem: String, category: String) { (self.subsystem, self.category) = (subsystem, category) }
    public var isEnabled: Bool { true }
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(number: FakeSignposts.next()) }

    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: OSLogMessage
    ) -> OSSignpostIntervalState {
        FakeSignposts.append(.init(.begin, subsystem, category, "\(name)", id.number, message))
        return OSSignpostIntervalState(id)
    }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: OSLogMessage) {
        FakeSignposts.append(.init(.end, subsystem, category, "\(name)", state.id.number, message))
    }

    public func emitEvent(_ name: StaticString, id: OSSignpostID, _ message: OSLogMessage) {
        FakeSignposts.append(.init(.event, subsystem, category, "\(name)", id.number, message))
    }
}

/// What was signposted, for tests to read.
public enum FakeSignposts {
    public enum Kind: Sendable { case begin, end, event }

    public struct Entry: Sendable {
        public let kind: Kind
        public let subsystem: String
        public let category: String
        public let name: String
        public let id: UInt64
        /// As Instruments shows it: private data hidden.
        public let shown: String

        init(
            _ kind: Kind, _ subsystem: String, _ category: String, _ name: String, _ id: UInt64, _ message: OSLogMessage
        ) {
            (self.kind, self.subsystem, self.category, self.name, self.id) = (kind, subsystem, category, name, id)
            shown = message.interpolation.shown
        }
    }

    private static let lock = NSLock()
    private nonisolated(unsafe) static var all: [Entry] = []
    private nonisolated(unsafe) static var last: UInt64 = 0

    public static func entries(of subsystem: String) -> [Entry] {
        lock.withLock { all }.filter { $0.subsystem == subsystem }
    }

    static func append(_ entry: Entry) { lock.withLock { all.append(entry) } }

    static func next() -> UInt64 {
        lock.withLock {
            last += 1
            return last
        }
    }
}

/// https://developer.apple.com/documentation/os/oslog
@available(macOS 10.12, iOS 10.0, watchOS 3.0, tvOS 10.0, *)
public final class OSLog: Sendable {
    /// https://developer.apple.com/documentation/os/oslog/category
    public struct Category: Sendable {
        let name: String
        public static let pointsOfInterest = Category(name: "PointsOfInterest")
    }

    public static let disabled = OSLog(subsystem: "", category: "", isEnabled: false)
    let subsystem: String
    let category: String
    private let isEnabled: Bool

    private init(subsystem: String, category: String, isEnabled: Bool) {
        (self.subsystem, self.category, self.isEnabled) = (subsystem, category, isEnabled)
    }

    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isEnabled: true)
    }

    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.name)
    }

    public var signpostsEnabled: Bool { isEnabled }
}

extension Logger {
    @available(macOS 11.0, iOS 14.0, watchOS 7.0, tvOS 14.0, *)
    public init(_ log: OSLog) { self.init(subsystem: log.subsystem, category: log.category) }
}

/// https://developer.apple.com/documentation/os/ossignposttype
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let event = OSSignpostType(rawValue: 0)
    public static let begin = OSSignpostType(rawValue: 1)
    public static let end = OSSignpostType(rawValue: 2)
}

@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
extension OSSignpostID {
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    public static let invalid = OSSignpostID(.max)

    public init(_ value: UInt64) { self.init(number: value) }
    public init(log: OSLog) { self.init(number: FakeSignposts.next()) }
    public var rawValue: UInt64 { number }
}

/// https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:)
/// and, with a format,
/// https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:_:_:)
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString = "", _ arguments: any CVarArg...
) {
    guard log.signpostsEnabled else { return }
    let kind: FakeSignposts.Kind = type == .begin ? .begin : type == .end ? .end : .event
    FakeSignposts.append(
        .init(kind, log.subsystem, log.category, "\(name)", signpostID.number, OSLogMessage(stringLiteral: "\(format)"))
    )
}
