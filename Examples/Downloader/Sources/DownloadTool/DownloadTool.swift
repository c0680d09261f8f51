import NetTransfer

/// Downloads a file, and goes on with what an earlier run has left.
package struct DownloadTool: Sendable {
    /// How a run ended.
    package enum Outcome: Sendable {
        /// The file is there, whole.
        case finished(URL)
        /// The user stopped it. What has arrived is kept.
        case stopped
        case failed(NetworkError)

        /// As shells have it: 130 is what Ctrl-C gives.
        package var exitStatus: Int32 {
            switch self {
            case .finished: 0
            case .stopped: 130
            case .failed: 1
            }
        }
    }

    private let arguments: Arguments
    private let client: NetworkClient

    package init(_ arguments: Arguments, client: NetworkClient = NetworkClient(retryPolicy: .connectionFailures)) {
        self.arguments = arguments
        self.client = client
    }

    /// Runs to the end, or until the first interrupt.
    ///
    /// - Parameters:
    ///   - interrupts: an element for each Ctrl-C.
    ///   - screen: shows what is going on.
    package func run(interrupts: AsyncStream<Void>, screen: Screen) async -> Outcome {
        var screen = screen
        let downloader = Downloader(client: client, registry: arguments.registry)
        let left = unfinished(downloader)
        if let left { screen.note("Going on at byte \(left.bytesCompleted).") }
        let (progress, task) = start(downloader, goingOnWith: left)
        let interruption = Task {
            for await _ in interrupts {
                // Nil if the download had ended by then.
                return await downloader.pauseDownload(task: task) != nil
            }
            return false
        }
        for await update in progress { screen.show(update) }
        let result = await result(of: task)
        interruption.cancel()
        let outcome: Outcome
        switch result {
        case .success(let file): outcome = .finished(file)
        case .failure(let error): outcome = await interruption.value ? .stopped : .failed(error)
        }
        screen.end(outcome, left: unfinished(downloader))
        return outcome
    }

    private func start(
        _ downloader: Downloader, goingOnWith left: DownloadRegistry.Entry?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>) {
        if let left {
            downloader.download(.resumeData(left.resumeData), to: nil, options: arguments.options)
        } else {
            downloader.download(.url(arguments.url), to: arguments.destination, options: arguments.options)
        }
    }

    /// What an earlier run of the same command has left.
    private func unfinished(_ downloader: Downloader) -> DownloadRegistry.Entry? {
        downloader.unfinishedDownloads().first {
            $0.url == arguments.url && $0.destination == arguments.destination
        }
    }

    private func result(of task: TransferTask<NetworkResponse<URL>>) async -> Result<URL, NetworkError> {
        do {
            return try await task.value.result
        } catch {
            return .failure(error.cause)
        }
    }
}
