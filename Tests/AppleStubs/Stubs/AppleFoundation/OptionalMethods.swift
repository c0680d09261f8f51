// In Apple's SDKs the methods of a delegate are optional, and are called as `delegate.urlSession?(session, task: task, …)`. Without
// Objective-C that does not compile. So a property of the same base name is what `?` unwraps, and its value can be called with the labels
// of each method that returns nothing and needs no answer. For a method with a completion handler, ask the stand-in's engine.

/// The optional methods of a ``URLSessionTaskDelegate``.
public struct OptionalTaskMethods {
    let delegate: any URLSessionTaskDelegate

    public func callAsFunction(_ session: URLSession, didCreateTask task: URLSessionTask) {
        delegate.urlSession(session, didCreateTask: task)
    }

    public func callAsFunction(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        delegate.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    public func callAsFunction(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        delegate.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    public func callAsFunction(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { delegate.urlSession(session, task: task, didFinishCollecting: metrics) }

    public func callAsFunction(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        delegate.urlSession(session, task: task, didCompleteWithError: error)
    }
}

/// The optional methods of a ``URLSessionDataDelegate``.
public struct OptionalDataMethods {
    let delegate: any URLSessionDataDelegate

    public func callAsFunction(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        delegate.urlSession(session, dataTask: dataTask, didReceive: data)
    }
}

extension URLSessionTaskDelegate { public var urlSession: OptionalTaskMethods? { OptionalTaskMethods(delegate: self) } }

extension URLSessionDataDelegate { public var urlSession: OptionalDataMethods? { OptionalDataMethods(delegate: self) } }
