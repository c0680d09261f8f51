import NetTransfer

/// Uploads a file, or resumes an upload, and prints the progress until a crash test kills it.
///
///     upload-worker PROTOCOL FILE URL RECORDS CHUNK
@main
enum UploadWorker {
    static func main() async {
        let arguments = Array(CommandLine.arguments[1...])
        guard arguments.count == 5, let kind = ResumableUpload.WireProtocol(rawValue: arguments[0]),
            let url = URL(string: arguments[2])
        else {
            say("usage: see UploadWorker.swift")
            exit(2)
        }
        var options = ResumableUpload.Options()
        options.records = ResumableUpload.Records(directory: URL(fileURLWithPath: arguments[3]))
        options.chunkSize = Int64(arguments[4])
        options.delay = .fixed(0.1)
        let (progress, task) = NetworkClient().resumableUpload(
            file: URL(fileURLWithPath: arguments[1]), to: url, protocol: kind, options: options)
        for await update in progress { say("at \(update.bytesCompleted) of \(update.totalBytes ?? -1)") }
        do {
            say("done \(try await task.value.byteCount)")
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }

    /// One line on standard output, in one call: nothing of it is lost in a buffer.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
