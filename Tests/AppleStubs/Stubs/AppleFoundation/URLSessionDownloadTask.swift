/// https://developer.apple.com/documentation/foundation/urlsessiondownloadtask
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    let resuming: ResumeData?
    /// Used by the thread of the task only.
    private var file: DownloadFile?
    private var fileError: (any Error)?
    private var producers: [@Sendable (Data?) -> Void] = []

    init(_ session: URLSession, identifier: Int, request: URLRequest?, resuming: ResumeData? = nil, sink: TaskSink) {
        self.resuming = resuming
        super.init(session, identifier: identifier, request: request, body: UploadSource(of: request), sink: sink)
    }

    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        let isOver = sync { facts in
            if facts.state == .completed { return true }
            producers.append(completionHandler)
            return false
        }
        if isOver { return session.onDelegateQueue { completionHandler(nil) } }
        cancel()
    }

    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }

    // MARK: Receiving

    override func receive(_ response: URLResponse) -> Bool {
        let face = face
        if face !== self { face.sync { $0.response = response } }
        do {
            let partial = resuming.map { URL(fileURLWithPath: $0.partial) }
            file = try DownloadFile(continuing: partial)
            if let resuming, let file {
                if (response as? HTTPURLResponse)?.statusCode == 206 {
                    let length = response.expectedContentLength
                    face.session.tell(face, (any URLSessionDownloadDelegate).self) {
                        $0.urlSession(
                            face.session, downloadTask: face, didResumeAtOffset: resuming.count,
                            expectedTotalBytes: length < 0 ? length : resuming.count + length)
                    }
                } else {
                    try file.startOver()
                }
            }
            return true
        } catch {
            fileError = error
            return false
        }
    }

    override func receive(_ data: Data) {
        guard let file, fileError == nil else { return }
        do {
            try file.append(data)
        } catch {
            fileError = error
            return cancel()
        }
        let (face, total, count) = (face, file.length, Int64(data.count))
        let expected = response?.expectedContentLength ?? NSURLSessionTransferSizeUnknown
        let all = expected < 0 ? expected : expected + total - countOfBytesReceived
        if face !== self { face.sync { $0.received = total } }
        guard case .delegate = sink else { return }
        face.session.tell(face, (any URLSessionDownloadDelegate).self) {
            $0.urlSession(
                face.session, downloadTask: face, didWriteData: count, totalBytesWritten: total,
                totalBytesExpectedToWrite: all)
        }
    }

    override func prepareCompletion() throws { if let fileError { throw Verdict(error: fileError) } }

    // MARK: The end

    override func tellCompletion(_ error: (any Error)?) {
        file?.close()
        tellBackgroundCompletion(.init(file: file, error: error))
    }

    override var face: URLSessionDownloadTask { super.face as? URLSessionDownloadTask ?? self }

    override func deliver(_ ended: BackgroundTransfers.Ended, from worker: URLSessionTask) {
        let (file, response) = (ended.file, response)
        let error = ended.error.map { handOutResumeData(of: file, $0) }
        switch sink {
        case .file(let handler) where error == nil:
            session.onDelegateQueueAndWait { handler(file?.url, response, file == nil ? URLError(.unknown) : nil) }
        case .file(let handler): session.onDelegateQueueAndWait { handler(nil, nil, error) }
        case .delegate, .data, .bytes:
            if error == nil, let url = file?.url {
                session.tell(self, (any URLSessionDownloadDelegate).self) {
                    $0.urlSession(self.session, downloadTask: self, didFinishDownloadingTo: url)
                }
                file?.remove()
            }
            session.tellTask(self) { $0.urlSession(self.session, task: self, didCompleteWithError: error) }
        }
        file?.remove()
    }

    /// Keeps what a failed download has, if it can be resumed, and tells those who have asked for that. Returns the error with the data.
    private func handOutResumeData(of file: DownloadFile?, _ failure: any Error) -> any Error {
        var error = failure
        let resume = ResumeData(file, request: originalRequest, response: response)
        if let resume, let data = resume.data, let known = error as? URLError {
            try? FileManager.default.moveItem(atPath: file?.url.path ?? "", toPath: resume.partial)
            error = URLError(
                known.code, userInfo: known.errorUserInfo.merging([NSURLSessionDownloadTaskResumeData: data]) { $1 })
            sync { $0.error = error }
        }
        let waiting = sync { _ in
            defer { producers = [] }
            return producers
        }
        session.onDelegateQueueAndWait { waiting.forEach { $0(resume?.data) } }
        return error
    }
}
