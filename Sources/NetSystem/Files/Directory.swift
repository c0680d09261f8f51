/// Folders and names in them, by the system's own calls: Foundation's cost several times as much for each file.
package enum Directory {
    /// Makes a folder that only this user can open (0700), and those above it. One that is there stays as it is.
    package static func make(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
            throw SystemError("mkdir", path)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir", path) }
    }

    /// Calls a closure with each name in a folder, as bytes: most are looked at and left. A folder that is not there has none.
    package static func forEachName(in path: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        while let entry = readdir(folder) {
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
            let length = strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            // "." and "..": no file of ours begins with a dot.
            if name[0] != UInt8(ascii: ".") { body(UnsafeBufferPointer(start: name, count: length)) }
        }
    }

    /// What stands there itself; nil for nothing. A symbolic link is not followed.
    package static func status(of path: String) -> FileStatus? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileStatus(status) : nil
    }

    /// What is found there when symbolic links are followed; nil for nothing.
    package static func kind(behind path: String) -> FileKind? {
        var status = stat()
        return stat(path, &status) == 0 ? FileStatus(status).kind : nil
    }

    /// What a symbolic link says.
    package static func link(at path: String) throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw SystemError("readlink", path) }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The folder of a path: `.` for a name alone.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Puts a file in place of another one, or where none was: others see the one or the other, never something between.
    package static func move(_ path: String, to destination: String) throws(SystemError) {
        guard rename(path, destination) == 0 else { throw SystemError("rename", destination) }
    }

    /// Whether it was there and is gone.
    @discardableResult
    package static func remove(_ path: String) -> Bool {
        unlink(path) == 0
    }

    /// Makes sure that the names in a folder survive a power failure. Not every file system can; that is no failure.
    package static func sync(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// What the file system knows of a file.
package struct FileStatus: Sendable {
    package let size: Int64
    package let modified: Date
    package let kind: FileKind
    /// Whether it is still to be found under some name.
    package let hasName: Bool
    /// Names the file itself, whatever path leads to it.
    package let inode: UInt64

    package init(_ status: stat) {
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Date(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
        hasName = status.st_nlink > 0
        kind = FileKind(status.st_mode)
        inode = UInt64(status.st_ino)
    }

    package var isRegular: Bool { kind == .regular }
}

/// What stands under a name in a folder.
package enum FileKind: String, Sendable {
    case regular = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case device = "a device"
    case pipe = "a named pipe"
    case socket = "a socket"
    case other = "no file"

    fileprivate init(_ mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        case S_IFCHR, S_IFBLK: self = .device
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .other
        }
    }
}
