internal import CAppleNetwork

/// In Apple's SDKs the methods of a delegate are optional, and the session asks whether one is there. Here each has a default
/// implementation, which says that it was called; the session then does what Apple's does without the method.
enum Unimplemented {
    /// To be called by each default implementation.
    static func note() { an_set_unimplemented(true) }

    /// Calls a method of a delegate. False if the delegate has no such method.
    static func isAnswered(_ call: () -> Void) -> Bool {
        let outer = an_is_unimplemented()
        defer { an_set_unimplemented(outer) }
        an_set_unimplemented(false)
        call()
        return !an_is_unimplemented()
    }
}
