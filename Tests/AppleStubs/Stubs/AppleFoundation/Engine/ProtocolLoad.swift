/// Lets a `URLProtocol` do what a task asks for, and gathers what that says, from any thread, for the task's thread.
final class ProtocolLoad: NSObject, URLProtocolClient, @unchecked Sendable {
    private enum Event {
        case response(URLResponse)
        case data(Data)
        case finished
        case failed(any Error)
    }

    private let task: URLSessionTask
    private var request: URLRequest
    private var events: [Event] = []

    init(_ task: URLSessionTask) {
        self.task = task
        request = task.originalRequest ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    /// A protocol sees every body as a stream.
    private func showBody() {
        switch task.body {
        case .none: return
        case .data(let data): request.httpBodyStream = InputStream(data: data)
        case .file(let url): request.httpBodyStream = InputStream(url: url)
        case .stream(let stream?): request.httpBodyStream = stream
        case .stream(nil): request.httpBodyStream = task.session.askStream(for: task)
        }
    }

    func run(_ type: URLProtocol.Type) throws {
        showBody()
        var shown = type.canonicalRequest(for: request)
        // Of a configuration's fields too.
        for (name, value) in task.session.settings.httpAdditionalHeaders ?? [:] {
            guard let name = name as? String, let value = value as? String, shown.value(forHTTPHeaderField: name) == nil
            else { continue }
            shown.setValue(value, forHTTPHeaderField: name)
        }
        let loader = type.init(request: shown, cachedResponse: nil, client: self)
        loader.task = task
        loader.startLoading()
        defer { loader.stopLoading() }
        while let event = next() {
            switch event {
            case .response(let response):
                task.sync { $0.response = response }
                guard task.receive(response) else { throw Verdict(error: task.cancellation) }
            case .data(let data):
                task.sync { $0.received += Int64(data.count) }
                task.receive(data)
            case .finished: return
            case .failed(let error): throw error
            }
        }
        throw task.cancellation
    }

    private func put(_ event: Event) {
        task.sync { _ in
            events.append(event)
            task.condition.broadcast()
        }
    }

    /// Nil when the task was cancelled. A suspended task hears nothing.
    private func next() -> Event? {
        task.wait { [self] facts in
            if facts.isCancelled { return .some(nil) }
            return facts.state == .suspended || events.isEmpty ? nil : .some(events.removeFirst())
        }
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) { put(.response(response)) }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { put(.data(data)) }
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { put(.finished) }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { put(.failed(error)) }
}
