import NetTransfer
import TestLab
import Testing

/// A server in a process of its own, which keeps uploads in files and a log of the requests: `tuspyserver` on uvicorn, or a model of the
/// IETF's draft, written from its text.
///
/// It can be told to stop reading at some byte, so that there is time to be killed in.
final class UploadServer: Sendable {
    struct Line: Hashable {
        let method, path: String
        /// `Upload-Offset` of the request.
        let offset: Int64?
    }

    let url: URL
    private let directory: TemporaryDirectory
    private let process: BackgroundProcess

    init(_ kind: ResumableUpload.WireProtocol) async throws {
        directory = try TemporaryDirectory()
        let program = directory.file("server.py")
        try Data((kind == .tus ? PythonPrograms.tus : PythonPrograms.ietf).utf8).write(to: program)
        let process = try BackgroundProcess(Tool.pythonPackages.path(), ["-u", program.path, directory.url.path])
        let port = try await waitUntil("the server listens") { () -> Int? in
            if let termination = process.termination { throw LabError("\(termination): \(process.output)") }
            let words = process.output.split(whereSeparator: \.isWhitespace)
            return words.firstIndex(of: "listening").flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil }
        }
        self.process = process
        url = try #require(URL(string: "http://127.0.0.1:\(port)/files"))
    }

    var log: [Line] {
        lines.compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.count == 3 ? Line(method: words[0], path: words[1], offset: Int64(words[2])) : nil
        }
    }

    private var gate: URL { directory.file("gate") }

    /// Reads no more of an upload of which it has so many bytes.
    func hold(at count: Int64) throws { try Data("\(count)".utf8).write(to: gate, options: .atomic) }

    /// Goes on, and waits until it has come to the end of all requests. tuspyserver (4.4.3) tells an old offset while it still reads a
    /// request whose client is gone, and then stands still for half a minute when the next one comes.
    func release() async throws {
        try FileManager.default.removeItem(at: gate)
        try await waitUntil("the server has seen the end of all requests") {
            let lines = lines
            return lines.count { $0 == "END" } * 2 == lines.count ? () : nil
        }
    }

    private var lines: [Substring] {
        let data = FileManager.default.contents(atPath: directory.file("log").path) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    func file(of upload: URL) -> URL { directory.file("store").appendingPathComponent(upload.lastPathComponent) }

    func stored(_ upload: URL) -> Int64 {
        var status = stat()
        return stat(file(of: upload).path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
