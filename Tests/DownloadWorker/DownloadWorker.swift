import NetTransfer

/// Downloads a file, or goes on with what a killed process has left: `download-worker URL FILE REGISTRY [CONNECTIONS]`.
@main
enum DownloadWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let url = URL(string: arguments[1]) else { exit(2) }
        var options = Downloader.Options()
        options.connections = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
        let registry = DownloadRegistry(folder: URL(fileURLWithPath: arguments[3], isDirectory: true))
        let downloader = Downloader(client: NetworkClient(), registry: registry)
        let left = downloader.unfinishedDownloads().first
        print(left.map { "resumes at \($0.bytesCompleted)" } ?? "begins")
        let response = try? await downloader.download(
            left.map { .resumeData($0.resumeData) } ?? .url(url),
            // Resume data has a destination of its own.
            to: left == nil ? .file(URL(fileURLWithPath: arguments[2])) : nil, options: options
        ).task.value
        print(response?.failure.map { "failed: \($0)" } ?? "done")
        exit(response?.isSuccess == true ? 0 : 1)
    }
}
