/// How much a message matters.
public enum LogLevel: Int, Comparable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// For whoever is looking for a fault.
    case debug
    /// What happens in the normal course.
    case info
    /// Normal, and worth keeping.
    case notice
    /// Something to look at: a client error, a retry.
    case warning
    /// Something failed.
    case error
    /// A fault of the program itself.
    case fault

    /// The more it matters the greater.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The name of the case: `info`.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .fault: "fault"
        }
    }
}

/// Who may read a message (seed 000).
public enum LogPrivacy: Hashable, Sendable, CaseIterable {
    /// Everybody: paths, status codes, sizes.
    case `public`
    /// The user and whoever debugs the program: identifiers, e-mail addresses.
    case `private`
    /// Nobody without need: tokens, card numbers. As private, and treated as credentials where the platform knows a
    /// difference.
    case sensitive
    /// As the platform decides. Where it has no opinion, as private.
    case auto
}
