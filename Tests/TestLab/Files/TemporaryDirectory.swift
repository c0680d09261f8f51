package import NetCore

/// A new directory that only this user can read (0700). It goes, with all that is in it, when its owner lets go of it, or
/// when this process ends, even if that crashes.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        let parent = FileManager.default.temporaryDirectory
        var template = Array(parent.appendingPathComponent("networking-XXXXXX").path.utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw LabError.system("mkdtemp") }
        url = URL(fileURLWithPath: path, isDirectory: true)
        try CleanupShell.shared.adopt(directory: path)
    }

    deinit {
        // Should this fail, the cleanup shell tries again at the end.
        if (try? FileManager.default.removeItem(at: url)) != nil { CleanupShell.shared.release(directory: url.path) }
    }

    /// The URL of a file in it, which need not be there.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
}

/// One of each kind of file that is not a regular file, in a folder of a test. They are made here: a test never touches the system's own.
package struct SpecialFiles: Sendable {
    package let pipe: URL
    package let socket: URL
    package let folder: URL
    /// A character device, the same as `/dev/null`. Nil unless this process may make one.
    package let device: URL?

    package init(in directory: TemporaryDirectory) throws {
        pipe = directory.file("pipe")
        socket = directory.file("socket")
        folder = directory.file("folder")
        guard mkfifo(pipe.path, 0o644) == 0 else { throw LabError.system("mkfifo") }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let descriptor = Foundation.socket(AF_UNIX, SocketConstant.stream, 0)
        guard descriptor >= 0 else { throw LabError.system("socket") }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: directory.file("socket").path.utf8.prefix(bytes.count - 1))
        }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound else { throw LabError.system("bind") }
        let null = directory.file("device")
        #if os(Linux)
            // 1, 3: <linux/major.h> and drivers/char/mem.c.
            device = mknod(null.path, S_IFCHR | 0o666, dev_t(1 << 8 | 3)) == 0 ? null : nil
        #else
            device = nil
        #endif
    }

    package var all: [URL] { [pipe, socket, folder] + [device].compactMap { $0 } }

    /// Whether all are what they were.
    package func areUnchanged() -> Bool {
        Directory.status(of: pipe.path)?.kind == .pipe && Directory.status(of: socket.path)?.kind == .socket
            && Directory.status(of: folder.path)?.kind == .folder
            && device.map { Directory.status(of: $0.path)?.kind == .device } ?? true
    }
}
