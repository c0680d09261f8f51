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
