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
