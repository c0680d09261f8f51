import NetTransfer

/// What the user typed.
package struct Arguments: Sendable {
    package static let usage = """
        usage: download URL [FILE or FOLDER] [options]

          --sha256 HEX       what the file has to be
          --connections N    fetch parts of it on up to 16 connections at once
          --state FOLDER     where unfinished downloads are noted (the folder for data of applications, unless given)

        Ctrl-C stops it. The same command goes on where it stopped, also after a crash or a restart of the machine.
        """

    /// What was wrong with it.
    package struct Invalid: Error, CustomStringConvertible {
        package let description: String
    }

    let url: URL
    let destination: Downloader.Destination
    let options: Downloader.Options
    let registry: DownloadRegistry

    /// - Parameter words: without the name of the program.
    package init(_ words: [String]) throws(Invalid) {
        var places: [String] = []
        var options = Downloader.Options()
        var registry = DownloadRegistry.standard
        var words = words[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("--") else {
                places.append(word)
                continue
            }
            guard let value = words.popFirst() else { throw Invalid(description: "\(word) needs a value.") }
            switch word {
            case "--sha256":
                do { options.checksum = try .sha256(value) } catch { throw Invalid(description: error.message) }
            case "--connections":
                guard let number = Int(value), (1...16).contains(number) else {
                    throw Invalid(description: "--connections takes a number from 1 to 16.")
                }
                options.connections = number
            case "--state":
                registry = DownloadRegistry(folder: URL(fileURLWithPath: value, isDirectory: true))
            default:
                throw Invalid(description: "There is no option \(word).")
            }
        }
        guard (1...2).contains(places.count), let url = URL(string: places[0]) else {
            throw Invalid(description: "A URL is needed, and at most one place for the file.")
        }
        self.url = url
        destination = Downloader.Destination(URL(fileURLWithPath: places.count > 1 ? places[1] : "."))
        self.options = options
        self.registry = registry
    }
}
