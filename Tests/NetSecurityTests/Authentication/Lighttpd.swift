import NetCore
import TestLab

/// lighttpd with the user ada, whose password is `pass, "word"`, on a loopback port.
struct Lighttpd: Sendable {
    let url: URL
    private let process: BackgroundProcess
    private let folder: TemporaryDirectory

    static let password = "pass, \"word\""

    init() async throws {
        let folder = try TemporaryDirectory()
        try Data("ada:\(Self.password)\n".utf8).write(to: folder.file("users"))
        for place in ["md5", "sha256", "both", "basic"] {
            let directory = folder.url.appendingPathComponent(place)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(place.utf8).write(to: directory.appendingPathComponent("a b.txt"))
        }
        var failure: any Error = LabError("lighttpd was not tried")
        // The port may be taken by the time it is used.
        for _ in 0..<5 {
            do {
                let port = try freePort()
                try Data(Self.configuration(folder.url.path, port).utf8).write(to: folder.file("lighttpd.conf"))
                let process = try BackgroundProcess("lighttpd", ["-D", "-f", folder.file("lighttpd.conf").path])
                try await waitUntil("lighttpd listens") { () -> Void? in
                    if let end = process.termination { throw LabError("lighttpd: \(end) \(process.output)") }
                    return process.output.contains("server started") ? () : nil
                }
                guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LabError("no URL") }
                (self.url, self.process) = (url, process)
                self.folder = folder
                return
            } catch let error as LabError { failure = error }
        }
        throw failure
    }

    private static func configuration(_ root: String, _ port: UInt16) -> String {
        func place(_ name: String, _ method: String, _ algorithm: String) -> String {
            #""/\#(name)/" => ("method" => "\#(method)", "realm" => "The \#(name)", "require" => "valid-user"\#(algorithm))"#
        }
        return """
            server.modules = ("mod_auth", "mod_authn_file")
            server.document-root = "\(root)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            mimetype.assign = ("" => "text/plain")
            auth.backend = "plain"
            auth.backend.plain.userfile = "\(root)/users"
            auth.require = (
                \(place("md5", "digest", #", "algorithm" => "MD5""#)),
                \(place("sha256", "digest", #", "algorithm" => "SHA-256""#)),
                \(place("both", "digest", #", "algorithm" => "MD5|SHA-256""#)),
                \(place("basic", "basic", ""))
            )
            """
    }
}
