// Downloads (seed 000): `download`, `pauseDownload`, `resumeDownload`, `cancelDownload`, `cancelAllDownloads`, with a completion or `async`.
extension Networking: DownloaderProtocol {
    /// Starts a download: see ``DownloaderProtocol``.
    public func download(
        _ source: DownloadSource, to destination: DownloadDestination? = nil,
        options: DownloadOptions = DownloadOptions()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>) {
        downloader.download(source, to: destination, options: options)
    }

    /// Stops a download so that it can be resumed: see ``DownloaderProtocol/pauseDownload(task:)``.
    public func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data? {
        await downloader.pauseDownload(task: task)
    }

    /// Ends all downloads that were started here, and removes what has arrived of them.
    public func cancelAllDownloads() {
        downloader.cancelAllDownloads()
    }

    /// The downloads that were begun, here or in a process that has ended since, and can be resumed: see
    /// ``DownloadRegistry/unfinished()``.
    public func unfinishedDownloads() -> [UnfinishedDownload] {
        downloader.unfinishedDownloads()
    }
}
