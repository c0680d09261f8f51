import AppleFoundation
import NetCore

/// A delegate that writes down what it hears, and answers as it is told.
final class SessionRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    struct Notes {
        var calls: [String] = []
        var data = Data()
        var sent: Int64 = 0
        var file = Data()
        var location: URL?
        var transactions: [URLSessionTaskTransactionMetrics] = []
        var error: (any Error)?
    }

    struct Answers: Sendable {
        var challenge: @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) =
            { _ in (.performDefaultHandling, nil) }
        var stream: @Sendable () -> InputStream? = { nil }
    }

    let notes = Locked(Notes())
    let answers: Answers

    init(_ answers: Answers = Answers()) { self.answers = answers }
    var calls: [String] { notes.withLock(\.calls) }

    private func note(_ call: String) {
        notes.withLock { notes in
            // Data may come in any number of parts.
            if call != "data" || notes.calls.last != call { notes.calls.append(call) }
        }
    }

    /// Returns when a task has ended.
    func ended() async { await heard("complete") }

    /// Returns when that was called.
    func heard(_ call: String) async { while !calls.contains(call), !Task.isCancelled { await Task.yield() } }
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        note("challenge \(space.authenticationMethod.dropFirst("NSURLAuthenticationMethod".count)) \(space.host)")
        let answer = answers.challenge(challenge)
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note("stream")
        completionHandler(answers.stream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { notes.withLock { $0.sent += bytesSent } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        notes.withLock { $0.transactions = metrics.transactionMetrics }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        notes.withLock { $0.error = error }
        note("complete")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data")
        notes.withLock { $0.data += data }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        note("file")
        notes.withLock { notes in
            notes.location = location
            notes.file = (try? Data(contentsOf: location)) ?? Data()
        }
    }
}

extension URLSession {
    convenience init(_ recorder: SessionRecorder) {
        self.init(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    }
}
