import Foundation

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
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) { os_signpost(type, dso: dso, log: log, name: name, signpostID: signpostID, "") }

/// https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:_:_:)
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {
    guard log.signpostsEnabled else { return }
    let kind: FakeSignposts.Kind = type == .begin ? .begin : type == .end ? .end : .event
    FakeSignposts.append(
        .init(kind, log.subsystem, log.category, "\(name)", signpostID.number, OSLogMessage(stringLiteral: "\(format)"))
    )
}
