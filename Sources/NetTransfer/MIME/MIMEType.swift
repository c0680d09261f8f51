import NetCore

/// MIME types by file extension: what `Content-Type` says of a file that is uploaded.
///
/// A table of our own comes first, so that the same file has the same type on every platform. For what it lacks the system is asked:
/// Apple's uniform types, and `/etc/mime.types` elsewhere.
///
/// ```swift
/// let type = MIMEType.forFile(named: "photo.JPG")  // "image/jpeg"
/// ```
public enum MIMEType {
    /// `application/octet-stream`: bytes of no known kind.
    public static let octetStream = "application/octet-stream"

    /// The type of a file of that name; ``octetStream`` for an extension that nobody knows, or none. The content is not looked at.
    public static func forFile(named name: String) -> String {
        known(forFileNamed: name) ?? octetStream
    }

    /// The type of files with that extension, whatever its case; nil if nobody knows it.
    ///
    /// - Parameter fileExtension: without its dot: `"jpg"`.
    public static func forExtension(_ fileExtension: String) -> String? {
        let key = fileExtension.asciiLowercased
        return table[key] ?? systemType(forExtension: key)
    }

    static func known(forFileNamed name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let fileExtension = String(name[name.utf8.index(after: dot)...])
        return fileExtension.isEmpty ? nil : forExtension(fileExtension)
    }
}
