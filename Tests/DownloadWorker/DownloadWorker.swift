import Foundation
import NetCore
import NetTransfer

/// Downloads a file, or goes on with what a killed process has left: `download-worker URL FILE REGISTRY [CONNECTIONS]`.
@main
enum DownloadWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let url = URL(string: arguments[1]) else { exit(2) }
        var options = DownloadOptions()
        options.connections = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
        let registry = DownloadRegistry(folder: URL(fileURLWithPath: arguments[3], isDirectory: true))
        let downloader = Downloader(client: NetworkClient(), registry: registry)
        let response: NetworkResponse<URL>
        if let left = downloader.unfinishedDownloads().first {
            print("resumes at \(left.bytesCompleted)")
            response = await downloader.resumeDownload(with: left.resumeData, options: options)
        } else {
            print("begins")
            response = await downloader.download(
                from: url, destinationURL: URL(fileURLWithPath: arguments[2]), options: options)
        }
        print(response.failure.map { "failed: \($0)" } ?? "done")
        exit(response.isSuccess ? 0 : 1)
    }
}
