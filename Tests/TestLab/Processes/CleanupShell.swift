internal import NetCore

/// A shell that waits until this process ends, even by a crash, and then kills its children and removes its temporary directories.
///
/// `PR_SET_PDEATHSIG` would not do, since it signals when the *thread* that started the child ends, and threads of Swift tasks end at
/// any time. `atexit` does not run when a test crashes.
final class CleanupShell: Sendable {
    static let shared = CleanupShell()

    /// This end of a socket whose other end the shell reads. The kernel closes it when this process ends.
    private let line = Locked<Int32?>(nil)

    func adopt(process: pid_t) throws { try write("+p \(process)") }
    func release(process: pid_t) { tellIfListening("-p \(process)") }
    func adopt(directory: String) throws { try write("+d \(directory)") }
    func release(directory: String) { tellIfListening("-d \(directory)") }

    private func write(_ message: String) throws {
        try line.withLock { line in
            let socket = try line ?? Self.start()
            line = socket
            guard Self.send(message, to: socket) else { throw LabError.system("The cleanup shell is gone: send") }
        }
    }

    /// Releases a process or directory, if the shell was started.
    private func tellIfListening(_ message: String) {
        line.withLock { line in if let line { _ = Self.send(message, to: line) } }
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
        // The shell itself is never waited for, since it outlives this process.
        _ = try Spawn.spawn(
            "/bin/sh", ["-c", script], environment: ProcessInfo.processInfo.environment,
            input: pair[1], output: null, error: null)
        return pair[0]
    }

    /// It ignores signals, since Ctrl-C reaches it, too.
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
