/// Folders and their entries, by system calls, which take a fraction of Foundation's time per file.
package enum Directory {
    /// Creates a folder that only its owner can access (0700), with its parents. An existing folder is kept.
    package static func make(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
            throw SystemError("mkdir", path)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir", path) }
    }

    /// Calls a closure with each name in a folder, as bytes, because most names are skipped. A missing folder has none.
    ///
    /// - Parameters:
    ///   - parent: the open folder that a relative path begins at; the current one by default.
    ///   - isHidden: whether to return the names that start with a dot, or all others.
    package static func forEachName(
        in path: String, of parent: Int32 = AT_FDCWD, isHidden: Bool = false,
        _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        let descriptor = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard let folder = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
            let length = strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            if (name[0] == UInt8(ascii: ".")) == isHidden { body(UnsafeBufferPointer(start: name, count: length)) }
        }
    }

    /// Returns the status of a path without following a symbolic link, or nil if there is nothing.
    package static func status(of path: String) -> FileStatus? {
        var status = stat()
        return lstat(path, &status) == 0 ? FileStatus(status) : nil
    }

    /// Returns the kind of the file at a path, following symbolic links, or nil if there is nothing.
    package static func kind(behind path: String) -> FileKind? {
        var status = stat()
        return stat(path, &status) == 0 ? FileStatus(status).kind : nil
    }

    /// Returns the target of a symbolic link.
    package static func link(at path: String) throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw SystemError("readlink", path) }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the folder of a path, `.` for a name alone.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Moves a file, replacing an existing one atomically.
    package static func move(_ path: String, to destination: String) throws(SystemError) {
        guard rename(path, destination) == 0 else { throw SystemError("rename", destination) }
    }

    /// Moves a file to the place of another one in one step. Where the system can, it exchanges the two and removes the old one: some file
    /// systems write a file that replaces another by ``move(_:to:)`` to the medium first.
    package static func replace(_ destination: String, by path: String) throws(SystemError) {
        #if os(Linux)
            let current = AT_FDCWD
            if LinuxFiles.rename?(current, path, current, destination, LinuxFiles.exchanges) == 0 {
                remove(path)
                return
            }
        #endif
        try move(path, to: destination)
    }

    /// Removes a file, and returns whether it existed.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    /// Makes the names in a folder survive a power failure. Some file systems cannot, which is not an error.
    package static func sync(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// The metadata of a file.
package struct FileStatus: Sendable {
    package let size: Int64
    /// When the content was last changed, since 1970: exact, where ``modified`` rounds to some hundred nanoseconds.
    package let modification: (seconds: Int, nanoseconds: Int)
    package let kind: FileKind
    /// Whether the file still has a name.
    package let hasName: Bool
    /// Whether the file has more than one name.
    package let hasOtherNames: Bool
    /// Identifies the file itself, independent of its path.
    package let inode: UInt64

    package init(_ status: stat) {
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modification = (Int(time.tv_sec), Int(time.tv_nsec))
        hasName = status.st_nlink > 0
        hasOtherNames = status.st_nlink > 1
        kind = FileKind(status.st_mode)
        inode = UInt64(status.st_ino)
    }

    package var isRegular: Bool { kind == .regular }

    package var modified: Date {
        Date(timeIntervalSince1970: TimeInterval(modification.seconds) + TimeInterval(modification.nanoseconds) / 1e9)
    }
}

/// The kind of a file.
package enum FileKind: String, Sendable {
    case regular = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case device = "a device"
    case pipe = "a named pipe"
    case socket = "a socket"
    case other = "not a regular file"

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
