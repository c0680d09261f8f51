internal import NetCore

/// What went wrong with the laboratory itself: a tool that is missing, a server that did not start.
///
/// Never the fault of the code under test, and so its text says what to do about it.
package struct LabError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The error that the last system call left in `errno`.
    static func system(_ call: String, _ code: Int32 = errno) -> LabError {
        LabError("\(call): \(String(cString: strerror(code)))")
    }
}
