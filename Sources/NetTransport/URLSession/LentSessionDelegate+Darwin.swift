#if canImport(Security)
    /// The delegate of tasks in a caller's session that has a delegate of its own.
    ///
    /// Messages that it implements do not reach the session's delegate. So it does not implement challenges, which the session's delegate
    /// or the system answers, and it passes on what it hears. It decides about redirects, bodies and the URL cache itself.
    final class LentSessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private let exchanges: SessionDelegate

        init(_ exchanges: SessionDelegate) { self.exchanges = exchanges }

        private func owner(of session: URLSession) -> (any URLSessionTaskDelegate)? {
            session.delegate as? any URLSessionTaskDelegate
        }

        // MARK: Heard by both

        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            exchanges.urlSession(session, taskIsWaitingForConnectivity: task)
            owner(of: session)?.urlSession?(session, taskIsWaitingForConnectivity: task)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchanges.urlSession(session, dataTask: dataTask, didReceive: data)
            (session.delegate as? any URLSessionDataDelegate)?.urlSession?(
                session, dataTask: dataTask, didReceive: data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            exchanges.urlSession(
                session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
            owner(of: session)?.urlSession?(
                session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            exchanges.urlSession(session, task: task, didFinishCollecting: metrics)
            owner(of: session)?.urlSession?(session, task: task, didFinishCollecting: metrics)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchanges.urlSession(session, task: task, didCompleteWithError: error.map { Self.explain($0, of: task) })
            owner(of: session)?.urlSession?(session, task: task, didCompleteWithError: error)
        }

        /// Explains a cancellation: an exchange that is stopped ends before its task, so the owner of the session cancelled this one.
        private static func explain(_ error: any Error, of task: URLSessionTask) -> any Error {
            guard (error as? URLError)?.code == .cancelled else { return error }
            let url = task.originalRequest?.url
            guard task.response == nil, url?.scheme?.asciiLowercased == "https" else {
                return TransportError(
                    .shutDown, phase: .waiting, message: "The owner of the URLSession cancelled the task.", url: url)
            }
            return TransportError(
                .certificateUntrusted, phase: .securing,
                message: "The delegate of the URLSession refused the server, or its owner cancelled the task.", url: url
            )
        }

        // MARK: Decided here

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            exchanges.urlSession(
                session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            exchanges.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: completionHandler)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) { exchanges.urlSession(session, task: task, needNewBodyStream: completionHandler) }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) { completionHandler(nil) }
    }
#endif
