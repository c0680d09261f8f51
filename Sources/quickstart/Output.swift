import Networking

/// The destination of a body: a descriptor of this process, a device, a named pipe or a file.
///
/// It writes through: what exists is never replaced by another file, and no file appears beside it.
struct Output {
    let descriptor: Int32
    private let name: String

    static let standard = Output(descriptor: STDOUT_FILENO, name: "standard output")
    static let standardError = Output(descriptor: STDERR_FILENO, name: "standard error")

    private init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a path, as a shell does for `>`. Opening a named pipe waits for its reader.
    init(_ path: String) throws(CommandError) {
        if let descriptor = Self.descriptor(named: path) {
            self.init(descriptor: descriptor, name: path == "-" ? Self.standard.name : path)
        } else {
            self.init(descriptor: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666), name: path)
            guard descriptor >= 0 else { throw failure() }
        }
    }

    /// Whether bytes can only be written into what a path names: it is not a regular file, and not a folder.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        guard descriptor(named: path) == nil else { return true }
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Whether a path means standard output.
    static func isStandard(_ path: String) -> Bool { descriptor(named: path) == STDOUT_FILENO }

    /// Returns the descriptor of this process that a path means. To open such a path would truncate a file behind it.
    private static func descriptor(named path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
        return folder.flatMap { Int32(path.dropFirst($0.count)) }
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// - Throws: ``CommandError`` with ``ExitCode/writeError``, for a closed pipe too.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    // Another process has made a shared terminal or pipe non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    throw failure()
                }
            }
        }
    }

    func write(_ text: String) throws { try write(Data(text.utf8)) }

    /// Closes a file. Some file systems report only here that the bytes were not written.
    func close() throws(CommandError) {
        guard descriptor > STDERR_FILENO else { return }
        if systemClose(descriptor) != 0, errno != EINTR { throw failure() }
    }

    private func failure() -> CommandError {
        CommandError(.writeError, "\(name) cannot be written: \(String(cString: strerror(errno))).")
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// Writes a line to standard error. If that is closed, the line is lost.
func note(_ text: String) {
    try? Output.standardError.write(text + "\n")
}

/// Indents JSON as it arrives, byte by byte: numbers, the order of keys and what is not JSON stay as they are.
struct JSONIndenter {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether a list or an object has just begun.
    private var hasBegun = false
    /// Whether the last line has ended.
    private(set) var isAtLineStart = true

    mutating func indent(_ chunk: Data) -> Data {
        var text = Data()
        for byte in chunk {
            if isInString {
                text.append(byte)
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                append(byte, to: &text)
            }
        }
        if let last = text.last { isAtLineStart = last == UInt8(ascii: "\n") }
        return text
    }

    private mutating func append(_ byte: UInt8, to text: inout Data) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            // Between two documents it is all that separates them.
            if depth == 0 { text.append(byte) }
            return
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            if !hasBegun { startLine(in: &text) }
            hasBegun = false
            text.append(byte)
            return
        default: break
        }
        if hasBegun { startLine(in: &text) }
        hasBegun = false
        text.append(byte)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            hasBegun = true
        case UInt8(ascii: ","): startLine(in: &text)
        case UInt8(ascii: ":"): text.append(UInt8(ascii: " "))
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }

    /// Depth is limited, so that a million brackets do not take a terabyte of spaces.
    private func startLine(in text: inout Data) {
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(depth, 64)))
    }
}
