/// Lets a `URLProtocol` do what a task asks for.
final class ProtocolLoad {
    enum Event {
        case response(URLResponse)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case finished
        case failed(any Error)
    }

    private let task: URLSessionTask
    private var request: URLRequest
    private var redirects = 0

    init(_ task: URLSessionTask) {
        self.task = task
        request = task.originalRequest ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    func run(_ type: URLProtocol.Type) throws {
        try showBody()
        while let following = try attempt(type) {
            request = following
            task.sync { $0.current = following }
            redirects += 1
            guard redirects <= 20 else { throw LoadErrors.make(.httpTooManyRedirects, task) }
        }
    }

    /// A protocol sees every body as a stream.
    private func showBody() throws {
        switch task.body {
        case .none: return
        case .data(let data): request.httpBodyStream = InputStream(data: data)
        case .file(let url): request.httpBodyStream = InputStream(url: url)
        case .stream(let stream?): request.httpBodyStream = stream
        case .stream(nil):
            let answer: InputStream?? = task.session.ask(task, (any URLSessionTaskDelegate).self) {
                [task] delegate, reply in
                delegate.urlSession(task.session, task: task) { reply($0) }
            }
            request.httpBodyStream = answer ?? nil
        }
    }

    /// Gives what is to be loaded next.
    private func attempt(_ type: URLProtocol.Type) throws -> URLRequest? {
        let mailbox = ProtocolMailbox(task)
        var shown = type.canonicalRequest(for: request)
        // Of a configuration's fields too.
        for (name, value) in task.session.settings.httpAdditionalHeaders ?? [:] {
            guard let name = name as? String, let value = value as? String,
                shown.value(forHTTPHeaderField: name) == nil
            else { continue }
            shown.setValue(value, forHTTPHeaderField: name)
        }
        let loader = type.init(request: shown, cachedResponse: nil, client: mailbox)
        loader.task = task
        loader.startLoading()
        defer { loader.stopLoading() }
        var isOver = false
        while let event = mailbox.next() {
            switch event {
            case .response(let response):
                task.sync { facts in
                    facts.response = response
                    facts.toReceive = response.expectedContentLength
                }
                guard task.receive(response) else { throw Verdict(error: task.cancellation) }
            case .data(let data):
                task.sync { $0.received += Int64(data.count) }
                task.receive(data)
            case .redirect(let following, let response):
                if let wanted = ask(following, response) { return wanted }
                if task.sync(\.isCancelled) { throw task.cancellation }
                task.sync { $0.response = response }
                isOver = !task.receive(response)
            case .finished: return nil
            case .failed(let error): throw error
            }
            if isOver { return nil }
        }
        throw task.cancellation
    }

    /// Nil if it is not to be followed.
    private func ask(_ following: URLRequest, _ response: URLResponse) -> URLRequest? {
        guard let response = response as? HTTPURLResponse else { return following }
        let answer: URLRequest?? = task.session.ask(task, (any URLSessionTaskDelegate).self) { [task] delegate, reply in
            delegate.urlSession(
                task.session, task: task, willPerformHTTPRedirection: response, newRequest: following,
                completionHandler: { reply($0) })
        }
        guard !task.sync(\.isCancelled) else { return nil }
        return answer ?? following
    }
}

/// What a protocol says, from any thread, for the task's thread.
private final class ProtocolMailbox: NSObject, URLProtocolClient, @unchecked Sendable {
    private let task: URLSessionTask
    private var events: [ProtocolLoad.Event] = []

    init(_ task: URLSessionTask) { self.task = task }

    private func put(_ event: ProtocolLoad.Event) {
        task.sync { _ in
            events.append(event)
            task.condition.broadcast()
        }
    }

    /// Nil when the task was cancelled. A suspended task hears nothing.
    func next() -> ProtocolLoad.Event? {
        task.wait { [self] facts in
            if facts.isCancelled { return .some(nil) }
            return facts.state == .suspended || events.isEmpty ? nil : .some(events.removeFirst())
        }
    }

    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        put(.redirect(request, redirectResponse))
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) { put(.response(response)) }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { put(.data(data)) }
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { put(.finished) }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { put(.failed(error)) }
}
