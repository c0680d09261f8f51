/// A call to the system that failed.
package struct SystemError: Error, Hashable, CustomStringConvertible, LocalizedError {
    package let operation: String
    package let path: String?
    package let code: Int32

    /// Takes the code from `errno`, so make it at once.
    package init(_ operation: String, _ path: String? = nil) {
        self.init(operation, path, code: errno)
    }

    package init(_ operation: String, _ path: String? = nil, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var description: String {
        "\(operation)\(path.map { " \($0)" } ?? "") failed: \(String(cString: strerror(code))) (\(code))"
    }
    package var errorDescription: String? { description }
}
