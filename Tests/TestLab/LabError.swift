internal import NetCore

/// An error of the test tools themselves, such as a missing program or a server that did not start.
///
/// It is not a fault of the code under test, so the text says how to fix it.
package struct LabError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The error that the last system call left in `errno`.
    static func system(_ call: String, _ code: Int32 = errno) -> LabError {
        LabError("\(call): \(String(cString: strerror(code)))")
    }
}
