#if canImport(Darwin)
    public import NetCore

    extension BackgroundTransfers {
        /// A transfer that the system runs. It continues if this value is released.
        public struct Transfer<Value: Sendable>: Sendable, Identifiable {
            /// The identity in ``BackgroundTransfers/updates``, the same after each launch. It distinguishes two transfers of one URL.
            public let id: UUID
            public let url: URL
            /// The newest progress, for one reader. It ends with the transfer.
            public let progress: AsyncStream<TransferProgress>
            /// Cancels, pauses and resumes the transfer. Its value is the response with its value or its error, also after a cancellation: the file
            /// of a download, or the body of the response to an upload. ``NetworkFailure/resumeData`` continues a failed download.
            public let task: TransferTask<NetworkResponse<Value>>

            let systemTask: URLSessionTask
        }

        /// When the system may begin a transfer, and how much it may expect. The sizes help it to choose the time and the network.
        public struct Schedule: Hashable, Sendable {
            /// The earliest time, or nil for now. The system may begin later.
            public var earliestBeginDate: Date?
            /// The most bytes of the request, with its headers. Nil if it is unknown.
            public var countOfBytesClientExpectsToSend: Int64?
            /// The most bytes of the response, with its headers. Nil if it is unknown.
            public var countOfBytesClientExpectsToReceive: Int64?

            public init(
                earliestBeginDate: Date? = nil, countOfBytesClientExpectsToSend: Int64? = nil,
                countOfBytesClientExpectsToReceive: Int64? = nil
            ) {
                self.earliestBeginDate = earliestBeginDate
                self.countOfBytesClientExpectsToSend = countOfBytesClientExpectsToSend
                self.countOfBytesClientExpectsToReceive = countOfBytesClientExpectsToReceive
            }

            func apply(to task: URLSessionTask) {
                task.earliestBeginDate = earliestBeginDate
                if let count = countOfBytesClientExpectsToSend { task.countOfBytesClientExpectsToSend = count }
                if let count = countOfBytesClientExpectsToReceive { task.countOfBytesClientExpectsToReceive = count }
            }
        }

        /// An event of a transfer.
        public enum Event: Sendable {
            /// More bytes have arrived or were sent.
            case progress(url: URL, TransferProgress)
            /// The downloaded file is at its destination.
            case finished(url: URL, file: URL)
            /// The server has accepted the upload.
            case uploaded(url: URL, NetworkResponse<Data>)
            /// The transfer failed. ``NetworkFailure/resumeData`` continues a download.
            case failed(url: URL, NetworkFailure)
        }

        /// An event, with the identity of its transfer.
        public struct Update: Sendable {
            /// The identity of the transfer: see ``Transfer/id``.
            public let id: UUID
            public let event: Event
        }
    }

    extension BackgroundTransfers.Transfer where Value == URL {
        /// Cancels the download so that it can be continued: see ``BackgroundTransfers/download(resumeData:to:schedule:)``.
        ///
        /// - Returns: the resume data, or nil if the download has ended or cannot be continued. The server has to send an `ETag` or a
        ///   `Last-Modified`.
        @discardableResult
        public func cancelByProducingResumeData() async -> Data? {
            guard let download = systemTask as? URLSessionDownloadTask else { return nil }
            return DownloadRecord.resumeData(of: download, await download.cancelByProducingResumeData())
        }
    }

    /// What the system keeps of a transfer, in the description of its task: these members, and for a download all of ``DownloadRecord``.
    struct BackgroundRecord: Codable {
        let id: UUID
        let url: URL

        var text: String { get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } }
    }

    extension BackgroundRecord {
        /// Reads the record of a task. A task without one gets an identity for this launch. Nil if it has no URL either.
        init?(of task: URLSessionTask) {
            let text = Data((task.taskDescription ?? "").utf8)
            if let record = try? JSONDecoder().decode(BackgroundRecord.self, from: text) {
                self = record
            } else if let url = task.originalRequest?.url {
                self.init(id: UUID(), url: url)
            } else {
                return nil
            }
        }
    }

    extension DownloadRecord {
        /// - Throws: ``DownloadError`` for the task of another program.
        init(of task: URLSessionTask) throws(DownloadError) {
            try self.init(data: Data((task.taskDescription ?? "").utf8))
        }

        /// Returns the data that continues a download of the system, or nil if there is none.
        static func resumeData(of task: URLSessionTask, _ systemData: Data?) -> Data? {
            guard let systemData, var record = try? DownloadRecord(of: task) else { return nil }
            record.systemData = systemData
            return try? record.data
        }

        /// Removes the system's resume data from the record, and returns it. Throws ``DownloadError/Code/invalidResumeData`` if there is none.
        mutating func takeSystemData() throws(DownloadError) -> Data {
            guard let data = systemData else {
                throw DownloadError(
                    .invalidResumeData, "The resume data is not of a background download. Use Downloader to continue.")
            }
            systemData = nil
            return data
        }
    }

    /// A transfer of the session, until its end.
    final class BackgroundTask<Value: Sendable>: Sendable {
        let transfer: BackgroundTransfers.Transfer<Value>
        let body = Locked(Data())
        private let reporter = ProgressReporter(clock: .system)
        private let outcome: AsyncStream<NetworkResponse<Value>>.Continuation

        init(_ record: BackgroundRecord, _ systemTask: URLSessionTask) {
            let (stream, outcome) = AsyncStream<NetworkResponse<Value>>.makeStream()
            self.outcome = outcome
            let pausing = TransferPausing(pause: { systemTask.suspend() }, resume: { systemTask.resume() })
            let task = TransferTask(pausing: pausing) {
                // The end comes from the system, also after a cancellation.
                let end = Task { () -> NetworkResponse<Value>? in
                    for await response in stream { return response }
                    return nil
                }
                let response = await withTaskCancellationHandler {
                    await end.value
                } onCancel: {
                    systemTask.cancel()
                }
                guard let response else { throw NetworkError.cancelled }
                return response
            }
            transfer = .init(
                id: record.id, url: record.url, progress: reporter.stream, task: task, systemTask: systemTask)
            reporter.begin(totalBytes: nil, at: 0)
        }

        func advance(to bytesCompleted: Int64, of totalBytes: Int64) -> TransferProgress {
            reporter.advance(to: bytesCompleted, of: totalBytes)
            return TransferProgress(bytesCompleted: bytesCompleted, totalBytes: totalBytes)
        }

        func end(_ response: NetworkResponse<Value>) {
            if response.isSuccess { reporter.finish() }
            reporter.end()
            outcome.yield(response)
            outcome.finish()
        }
    }
#endif
