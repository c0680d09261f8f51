internal import NetCore

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
