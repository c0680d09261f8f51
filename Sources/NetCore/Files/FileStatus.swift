/// What the file system knows of a file.
package struct FileStatus: Sendable {
    package let size: Int64
    package let modified: Date
    package let isRegular: Bool
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
        isRegular = status.st_mode & S_IFMT == S_IFREG
        inode = UInt64(status.st_ino)
    }
}
