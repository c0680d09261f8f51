/// Hears of all tasks of a session and tells the exchange that each belongs to.
///
/// It knows neither transport nor session: the session holds its delegate until it is invalidated.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let security: SecurityAdapter
    private let table = Locked<[Int: Exchange]>([:])

    init(security: SecurityAdapter) {
        self.security = security
    }

    var exchanges: [Exchange] { table.withLock { Array($0.values) } }

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        table.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(for task: URLSessionTask) -> Exchange? {
        table.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(for: dataTask)?.didReceive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(for: dataTask)?.didReceive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(for: task) else {
            if !URLSessionPlatform.abortsOnLateRedirectAnswer { completionHandler(nil) }
            return
        }
        exchange.refuseRedirect(completionHandler)
    }

    // Server trust and client certificates come here as well, since there is no `urlSession(_:didReceive:…)`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = security.answer(to: challenge, exchange: exchange(for: task))
        completionHandler(answer.disposition, answer.credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(exchange(for: task)?.makeBodyStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(for: task)?.didSend(bytesSent)
    }

    #if canImport(Security)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            exchange(for: task)?.didCollect(metrics)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            completionHandler(nil)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        table.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.didComplete(error, response: task.response)
    }
}
