import Networking

/// The destination of a body: standard output, a device, a named pipe or a file. It writes through: no file appears beside it.
struct Output {
    private let handle: FileHandle
    private let name: String

    static let standard = Output(handle: .standardOutput, name: "standard output")
    static let standardError = Output(handle: .standardError, name: "standard error")

    private init(handle: FileHandle, name: String) {
        self.handle = handle
        self.name = name
    }

    /// Opens a path, as a shell does for `>`. Opening a named pipe waits for its reader. The mode of a new file follows the umask.
    init(_ path: String) throws(CommandError) {
        switch path {
        // To open these would truncate a file that standard output is redirected to.
        case "-", "/dev/stdout": self = .standard
        case "/dev/stderr": self = .standardError
        default:
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            self.init(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false), name: path)
            guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        }
    }

    var isTerminal: Bool { isatty(handle.fileDescriptor) == 1 }

    /// - Throws: status 23, for a closed pipe too.
    func write(_ data: Data) throws(CommandError) {
        do { try handle.write(contentsOf: data) } catch { throw failure(error.localizedDescription) }
    }

    func write(_ text: String) throws(CommandError) { try write(Data(text.utf8)) }

    /// Closes a file. Some file systems report only here that the bytes were not written.
    func close() throws(CommandError) {
        guard handle.fileDescriptor > STDERR_FILENO else { return }
        do { try handle.close() } catch { throw failure(error.localizedDescription) }
    }

    private func failure(_ reason: String) -> CommandError { CommandError(23, "\(name) cannot be written: \(reason)") }
}

/// Writes a line to standard error. If that is closed, the line is lost.
func note(_ text: String) { try? Output.standardError.write(text + "\n") }
