extension URLSession {
    // MARK: Making them

    /// - Parameter make: gets the number of the new task.
    func add<Task: URLSessionTask>(_ make: (Int) -> Task) -> Task {
        // Apple throws an exception of Objective-C, which nobody can catch in Swift.
        guard let number = state.nextNumber() else { fatalError("Task created in a session that has been invalidated") }
        let task = make(number)
        state.add(task)
        if let delegate = delegate as? any URLSessionTaskDelegate {
            onDelegateQueue { _ = Unimplemented.isAnswered { delegate.urlSession(self, didCreateTask: task) } }
        }
        return task
    }

    func makeDataTask(_ request: URLRequest, sink: TaskSink) -> URLSessionDataTask {
        add { URLSessionDataTask(self, identifier: $0, request: request, body: UploadSource(of: request), sink: sink) }
    }

    func makeUploadTask(_ request: URLRequest, _ body: UploadSource, sink: TaskSink) -> URLSessionUploadTask {
        requireBackgroundForm(sink, body: body)
        let task = add { URLSessionUploadTask(self, identifier: $0, request: request, body: body, sink: sink) }
        background?.add(task)
        return task
    }

    func makeDownloadTask(_ request: URLRequest, resuming: ResumeData? = nil, sink: TaskSink) -> URLSessionDownloadTask
    {
        requireBackgroundForm(sink)
        let task = add {
            URLSessionDownloadTask(self, identifier: $0, request: request, resuming: resuming, sink: sink)
        }
        background?.add(task)
        return task
    }

    // MARK: Data

    public func dataTask(with request: URLRequest) -> URLSessionDataTask { makeDataTask(request, sink: .delegate) }
    public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    public func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { makeDataTask(request, sink: .data(completionHandler)) }

    // MARK: Uploads

    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), sink: .delegate)
    }

    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), sink: .delegate)
    }

    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .stream(nil), sink: .delegate)
    }

    // MARK: Downloads

    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, sink: .delegate)
    }

    public func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        let resumed = ResumeData(resumeData)
        requireBackgroundForm(resumed)
        // Apple's task fails as soon as it is resumed if the data is none of its own.
        let request = resumed.flatMap { URL(string: $0.url) }.map { URLRequest(url: $0) }
        return makeDownloadTask(
            request ?? URLRequest(url: URL(fileURLWithPath: "/dev/null/invalid-resume-data")), resuming: resumed,
            sink: .delegate)
    }

    // MARK: WebSockets

    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask { webSocketTask(with: URLRequest(url: url)) }

    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        add { URLSessionWebSocketTask(self, identifier: $0, request: request, body: .none, sink: .delegate) }
    }
}
