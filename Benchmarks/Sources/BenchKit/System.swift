import Foundation

/// What the system says about this process.
package enum System {
    /// Seconds on a clock that only goes forward.
    package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Processor seconds, in user and system mode, of all threads of this process.
    package static func cpuSeconds() -> Double { cpuSeconds(of: __rusage_who_t(RUSAGE_SELF.rawValue)) }

    /// Processor seconds of all child processes that have ended.
    package static func cpuSecondsOfChildren() -> Double { cpuSeconds(of: __rusage_who_t(RUSAGE_CHILDREN.rawValue)) }

    private static func cpuSeconds(of who: __rusage_who_t) -> Double {
        var usage = rusage()
        getrusage(who, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The most memory that a process had resident since its `exec`, in bytes. (`ru_maxrss` would count the parent's too.)
    package static func peakBytes(of process: String = "self") -> Int? {
        status("VmHWM:", of: process).map { $0 * 1024 }
    }

    /// The memory of this process that is resident now.
    package static func residentBytes() -> Int { (status("VmRSS:", of: "self") ?? 0) * 1024 }

    package static func threads() -> Int { status("Threads:", of: "self") ?? 0 }

    /// The number of open files and sockets.
    package static func descriptors() -> Int {
        // One is that of the listing.
        max(0, ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1) - 1)
    }

    private static func status(_ field: String, of process: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first
    }

    /// Writes all bytes to a file.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard written > 0 else { throw Failure("write: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(written)
        }
    }
}
