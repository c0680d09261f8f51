// In Apple's SDKs the methods of a delegate are optional, and are called as `delegate.urlSession?(session, task: task, …)`. Without
// Objective-C that does not compile. So a property of the same base name is what `?` unwraps: the delegate, which can be called with the labels
// of each method that returns nothing and needs no answer. For a method with a completion handler, ask the stand-in's engine.
extension URLSessionTaskDelegate {
    public var urlSession: (any URLSessionTaskDelegate)? { self }

    public func callAsFunction(_ session: URLSession, didCreateTask task: URLSessionTask) {
        urlSession(session, didCreateTask: task)
    }

    public func callAsFunction(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        urlSession(session, taskIsWaitingForConnectivity: task)
    }

    public func callAsFunction(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    public func callAsFunction(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { urlSession(session, task: task, didFinishCollecting: metrics) }

    public func callAsFunction(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        urlSession(session, task: task, didCompleteWithError: error)
    }
}

extension URLSessionDataDelegate {
    public var urlSession: (any URLSessionDataDelegate)? { self }

    public func callAsFunction(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        urlSession(session, dataTask: dataTask, didReceive: data)
    }
}
