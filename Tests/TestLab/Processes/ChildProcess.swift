internal import NetCore

/// A child of this process, from its start to the moment it is reaped.
///
/// Not Foundation's `Process`: that one needs a thread and a socket pair for each child, which a test that counts
/// descriptors and threads would see.
final class ChildProcess: Sendable {
    let identifier: pid_t
    private let ended = Locked<Termination?>(nil)

    /// Starts a program in a process group of its own, with the descriptors given and no other.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, output: Int32,
        error: Int32
    ) throws {
        identifier = try Spawn.spawn(
            executable, arguments, environment: environment, input: input, output: output, error: error)
        do {
            try CleanupShell.shared.adopt(process: identifier)
        } catch {
            end(within: 0)
            throw error
        }
    }

    /// How it ended, or nil while it runs. Reaps it when it has.
    func poll() -> Termination? {
        ended.withLock { ended in
            if let ended { return ended }
            // Look before reaping: afterwards the number may belong to another process, which must not be killed.
            var information = siginfo_t()
            guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
                information.processIdentifier != 0
            else { return nil }
            // What the program left behind in its group.
            kill(-identifier, SIGKILL)
            CleanupShell.shared.release(process: identifier)
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            ended = Termination(waitStatus: status)
            return ended
        }
    }

    /// Sends a signal to it and all that it started, unless it has ended.
    func send(_ signal: Int32) { ended.withLock { ended in if ended == nil { kill(-identifier, signal) } } }

    /// Asks it to end, kills it if it does not within that time, and returns when it has ended.
    @discardableResult
    func end(within grace: TimeInterval) -> Termination {
        send(SIGTERM)
        let deadline = SystemClock().uptime + grace
        var isKilled = false
        while true {
            if let termination = poll() { return termination }
            if !isKilled, SystemClock().uptime >= deadline {
                send(SIGKILL)
                isKilled = true
            }
            usleep(1000)
        }
    }
}

/// How a program ended.
package enum Termination: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xFF) : .signalled(signal)
    }
}

extension siginfo_t {
    fileprivate var processIdentifier: pid_t {
        #if os(Linux)
            _sifields._kill.si_pid
        #else
            si_pid
        #endif
    }
}

/// A file without a name that takes what a program writes.
///
/// A pipe would need a thread that empties it, and would stay open for as long as any grandchild holds it.
final class CaptureFile: Sendable {
    let descriptor: Int32

    init(containing data: Data = Data()) throws {
        var template = Array(
            FileManager.default.temporaryDirectory.appendingPathComponent("lab-XXXXXX").path.utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw LabError.system("mkstemp") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(&template)
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// What stands in it now. Does not move the place at which the program writes, which it shares with us.
    var contents: Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(data.count))
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}
