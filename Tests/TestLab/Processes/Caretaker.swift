internal import NetCore

/// Cleans up when this process ends, however it does: a small shell that waits for that, kills the children that are left
/// and removes the temporary directories that are left.
///
/// Not `PR_SET_PDEATHSIG`: that signal comes when the *thread* that started the child ends, and the threads that run Swift
/// tasks come and go. Not `atexit`: nothing runs it when a test crashes.
final class Caretaker: Sendable {
    static let shared = Caretaker()

    /// Our end of a socket of which the shell reads the other end: the kernel closes it when this process ends.
    private let line = Locked<Int32?>(nil)

    func adopt(process: pid_t) throws { try tell("+p \(process)") }
    func release(process: pid_t) { tellIfListening("-p \(process)") }
    func adopt(directory: String) throws { try tell("+d \(directory)") }
    func release(directory: String) { tellIfListening("-d \(directory)") }

    private func tell(_ message: String) throws {
        try line.withLock { line in
            let socket = try line ?? Self.start()
            line = socket
            guard Self.send(message, to: socket) else { throw LabError.system("The caretaker is gone: send") }
        }
    }

    /// For what has ended already: if nobody hears it, nobody will kill it either.
    private func tellIfListening(_ message: String) {
        line.withLock { line in
            if let line { _ = Self.send(message, to: line) }
        }
    }

    private static func send(_ message: String, to socket: Int32) -> Bool {
        let bytes = Array((message + "\n").utf8)
        return bytes.withUnsafeBytes { systemSend(socket, $0.baseAddress, $0.count, SocketConstant.sendFlags) }
            == bytes.count
    }

    private static func start() throws -> Int32 {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, SocketConstant.stream, 0, &pair) == 0 else { throw LabError.system("socketpair") }
        defer { close(pair[1]) }
        #if os(macOS)
            var yes: Int32 = 1
            setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #endif
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { throw LabError.system("open /dev/null") }
        defer { close(null) }
        // The caretaker itself is never waited for: it outlives this process.
        _ = try Spawn.spawn(
            "/bin/sh", ["-c", script], environment: ProcessInfo.processInfo.environment,
            input: pair[1], output: null, error: null)
        return pair[0]
    }

    /// Deaf to signals, since Ctrl-C is when it is needed.
    private static let script = #"""
        trap '' INT TERM HUP QUIT
        exec awk -v q="'" '
            function quoted(text) { gsub(q, q "\\" q q, text); return q text q }
            { what = substr($0, 4) }
            /^[+]p/ { processes[what] = 1 }
            /^-p/ { delete processes[what] }
            /^[+]d/ { directories[what] = 1 }
            /^-d/ { delete directories[what] }
            END {
                for (each in processes) system("kill -s KILL -- -" each)
                for (each in directories) system("rm -rf -- " quoted(each))
            }'
        """#
}

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}
