public import NetCore

/// A page that shows recorded traffic as a waterfall: what was under way when, and what each exchange spent its time on.
///
/// The page is one file of HTML that needs nothing else: no script, no font, no address of anywhere. It shows what is in the archive and
/// nothing more; secrets were left out when that was recorded.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: url)
/// try Waterfall(archive).write(to: folder.appendingPathComponent("traffic.html"))
/// ```
public struct Waterfall: Sendable {
    /// The page.
    public let html: String

    /// A page.
    ///
    /// - Parameters:
    ///   - archive: what is shown; from this SDK or from any other program.
    ///   - title: stands on top.
    public init(_ archive: HTTPArchive, title: String = "Network traffic") {
        html = WaterfallPage(archive.log, title: title).html
    }

    /// Writes a file that only this user can read (0600), whole or not at all, in place of an older one. The file behind a symbolic
    /// link is replaced, and the link stays. A device, a named pipe, a socket and a folder are refused.
    ///
    /// - Throws: ``LogFileError``.
    public func write(to url: URL) throws {
        try PrivateFile.replace(url, with: Data(html.utf8))
    }
}
