import Foundation

/// https://developer.apple.com/documentation/os/logger
@available(macOS 11.0, iOS 14.0, watchOS 7.0, tvOS 14.0, *)
public struct Logger: Sendable {
    private let subsystem: String
    private let category: String

    public init(subsystem: String, category: String) { (self.subsystem, self.category) = (subsystem, category) }

    public func log(level: OSLogType, _ message: OSLogMessage) {
        // The log keeps about 1 KiB of a message, without a word.
        let kept = String(decoding: message.interpolation.shown.utf8.prefix(1024), as: UTF8.self)
        FakeUnifiedLog.append(
            FakeUnifiedLog.Entry(
                subsystem: subsystem, category: category, level: level, shown: kept,
                privacies: message.interpolation.privacies))
    }
}

/// https://developer.apple.com/documentation/os/oslogtype
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let `default` = OSLogType(rawValue: 0)
    public static let info = OSLogType(rawValue: 1)
    public static let debug = OSLogType(rawValue: 2)
    public static let error = OSLogType(rawValue: 16)
    public static let fault = OSLogType(rawValue: 17)
}

/// https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Hashable, Sendable {
    private let name: String
    public static let `public` = OSLogPrivacy(name: "public")
    public static let `private` = OSLogPrivacy(name: "private")
    public static let sensitive = OSLogPrivacy(name: "sensitive")
    public static let auto = OSLogPrivacy(name: "auto")
}

/// https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let interpolation: OSLogInterpolation

    public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }

    public init(stringLiteral value: String) {
        var interpolation = OSLogInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.interpolation = interpolation
    }
}

/// https://developer.apple.com/documentation/os/osloginterpolation
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    /// The message as Console shows it to somebody without a profile for private data.
    var shown = ""
    var privacies: [OSLogPrivacy] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { shown += literal }

    /// A string is private unless it says otherwise.
    public mutating func appendInterpolation(_ argument: @autoclosure () -> String, privacy: OSLogPrivacy = .auto) {
        privacies.append(privacy)
        shown += privacy == .public ? argument() : "<private>"
    }
}

/// What was logged, for tests to read.
public enum FakeUnifiedLog {
    public struct Entry: Sendable {
        public let subsystem: String
        public let category: String
        public let level: OSLogType
        /// As Console shows it: private data hidden.
        public let shown: String
        public let privacies: [OSLogPrivacy]
    }

    private static let lock = NSLock()
    private nonisolated(unsafe) static var all: [Entry] = []

    public static func entries(of subsystem: String) -> [Entry] {
        lock.withLock { all }.filter { $0.subsystem == subsystem }
    }

    static func append(_ entry: Entry) { lock.withLock { all.append(entry) } }
}
