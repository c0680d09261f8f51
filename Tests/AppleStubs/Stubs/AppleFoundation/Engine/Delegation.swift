import AppleLiberties
internal import CAppleNetwork

/// Calls of delegates, on the session's queue.
extension URLSession {
    /// Does not wait.
    func onDelegateQueue(_ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body
        delegateQueue.addOperation { body() }
    }

    /// For the threads of tasks.
    func onDelegateQueueAndWait(_ body: @escaping () -> Void) {
        let done = DispatchSemaphore(value: 0)
        onDelegateQueue {
            Liberties.dawdle("URLSession.delegate")
            body()
            done.signal()
        }
        done.wait()
    }

    /// The task's own delegate goes first.
    private func delegates(of task: URLSessionTask) -> [any URLSessionDelegate] {
        guard !state.isDetached else { return [] }
        return [task.delegate as (any URLSessionDelegate)?, delegate].compactMap { $0 }
    }

    /// Tells the first delegate that has the method, and waits until it has heard.
    func tell<Delegate>(_ task: URLSessionTask, _ type: Delegate.Type, _ call: @escaping (Delegate) -> Void) {
        let candidates = delegates(of: task).compactMap { $0 as? Delegate }
        guard !candidates.isEmpty else { return }
        onDelegateQueueAndWait {
            for candidate in candidates where Unimplemented.isAnswered({ call(candidate) }) { return }
        }
    }

    func tellTask(_ task: URLSessionTask, _ call: @escaping (any URLSessionTaskDelegate) -> Void) {
        tell(task, (any URLSessionTaskDelegate).self, call)
    }

    func tellData(_ task: URLSessionTask, _ call: @escaping (any URLSessionDataDelegate) -> Void) {
        tell(task, (any URLSessionDataDelegate).self, call)
    }

    /// Asks the first delegate that has the method, and waits for its answer: nil if there is no such method, or if the task was cancelled
    /// meanwhile.
    func ask<Delegate, Answer>(
        _ task: URLSessionTask, _ type: Delegate.Type,
        _ call: @escaping (Delegate, @escaping @Sendable (Answer) -> Void) -> Void
    ) -> Answer? {
        let candidates = delegates(of: task).compactMap { $0 as? Delegate }
        guard !candidates.isEmpty else { return nil }
        let reply = Reply<Answer>(task)
        onDelegateQueueAndWait {
            for candidate in candidates where Unimplemented.isAnswered({ call(candidate, { reply.give($0) }) }) {
                return
            }
            reply.give(nil)
        }
        return reply.wait()
    }

    func askStream(for task: URLSessionTask) -> InputStream? {
        let answer: InputStream?? = ask(task, (any URLSessionTaskDelegate).self) {
            $0.urlSession(self, task: task, needNewBodyStream: $1)
        }
        return answer ?? nil
    }

    func askDisposition(of response: URLResponse, for task: URLSessionDataTask) -> ResponseDisposition {
        let answer: ResponseDisposition? = ask(task, (any URLSessionDataDelegate).self) {
            $0.urlSession(self, dataTask: task, didReceive: response, completionHandler: $1)
        }
        guard answer != .becomeDownload, answer != .becomeStream else {
            fatalError("AppleStubs: a data task cannot become another one here")
        }
        return answer ?? .allow
    }

    /// https://developer.apple.com/documentation/foundation/urlsessiondatadelegate/urlsession(_:datatask:willcacheresponse:completionhandler:)
    ///
    /// What a delegate lets pass is stored. Nothing is ever answered from the cache: that is left out here.
    func offerToCache(_ data: Data, of task: URLSessionDataTask) {
        guard let cache = settings.urlCache, let request = task.currentRequest, request.httpMethod == "GET",
            let response = task.response as? HTTPURLResponse, response.statusCode == 200,
            response.value(forHTTPHeaderField: "Cache-Control")?.contains("no-store") != true
        else { return }
        let proposed = CachedURLResponse(response: response, data: data)
        let reply = Reply<CachedURLResponse?>(task)
        nonisolated(unsafe) var isAsked = false
        tellData(task) {
            isAsked = true
            $0.urlSession(self, dataTask: task, willCacheResponse: proposed) { reply.give($0) }
            if an_is_unimplemented() { reply.give(.some(proposed)) }
        }
        guard let allowed = isAsked ? reply.wait() : .some(proposed), let allowed else { return }
        cache.storeCachedResponse(allowed, for: request)
    }
}

/// An answer that a delegate gives when it likes.
final class Reply<Answer>: @unchecked Sendable {
    private let task: URLSessionTask
    private var answer: Answer?
    private var isGiven = false

    init(_ task: URLSessionTask) { self.task = task }

    func give(_ answer: Answer?) {
        task.sync { _ in
            if !isGiven { (self.answer, isGiven) = (answer, true) }
            task.condition.broadcast()
        }
    }

    /// Nil when the task is cancelled first.
    func wait() -> Answer? { task.wait { facts in isGiven || facts.isCancelled ? .some(answer) : nil } }
}
