import NetCore

/// A connection monitor that says what a test wants.
struct Monitor: ConnectionMonitoring {
    private let answer: @Sendable () -> Bool

    init(_ answer: @escaping @Sendable () -> Bool) {
        self.answer = answer
    }

    var isReachable: Bool { answer() }

    static let offline = Monitor { false }
}
