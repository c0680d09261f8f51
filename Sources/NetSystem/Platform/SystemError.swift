/// A failed system call.
package struct SystemError: Error, Hashable, CustomStringConvertible, LocalizedError {
    package let operation: String
    package let path: String?
    package let code: Int32

    /// - Parameter code: by default `errno`, so call it immediately.
    package init(_ operation: String, _ path: String? = nil, code: Int32 = errno) {
        (self.operation, self.path, self.code) = (operation, path, code)
    }

    package var description: String {
        "\(operation)\(path.map { " \($0)" } ?? "") failed: \(String(cString: strerror(code))) (\(code))"
    }
    package var errorDescription: String? { description }
}
