/// https://developer.apple.com/documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/responsedisposition
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }

    /// https://developer.apple.com/documentation/foundation/urlsession/delayedrequestdisposition
    public enum DelayedRequestDisposition: Int, Sendable { case continueLoading, useNewRequest, cancel }

    private static let sharedSession = URLSession(configuration: .default, delegate: nil, delegateQueue: nil)

    open class var shared: URLSession { sharedSession }

    let settings: URLSessionConfiguration
    let state: SessionState
    public let delegateQueue: OperationQueue

    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        settings = configuration.snapshot
        // NSURLSession.h: "It is not safe to create another session with the same identifier until
        // URLSession:didBecomeInvalidWithError:". Apple's initializer then gives the first session again, whatever is asked for: with the
        // first delegate, and invalidated if that one was. An initializer of Swift cannot, so both share what makes a session.
        if let first = configuration.identifier.flatMap({ BackgroundTransferDaemon.shared.transfers(of: $0).current }) {
            state = first.state
            delegateQueue = first.delegateQueue
            super.init()
            return
        }
        state = SessionState(delegate, connectionsPerHost: configuration.httpMaximumConnectionsPerHost)
        if let queue {
            delegateQueue = queue
        } else {
            delegateQueue = OperationQueue()
            delegateQueue.name = "NSOperationQueue of URLSession"
            delegateQueue.maxConcurrentOperationCount = 1
        }
        super.init()
        if delegate != nil { state.hold(self) }
        background?.attach(self)
    }

    open var delegate: (any URLSessionDelegate)? { state.delegate }
    open var configuration: URLSessionConfiguration { settings.snapshot }

    /// The transfers that outlive the process; nil if this is no background session.
    var background: BackgroundTransfers? {
        settings.identifier.map { BackgroundTransferDaemon.shared.transfers(of: $0) }
    }

    // MARK: The end

    open func finishTasksAndInvalidate() {
        guard self !== Self.sharedSession else { return }
        if state.finish() { tellInvalid() }
    }

    open func invalidateAndCancel() {
        guard self !== Self.sharedSession else { return }
        let isIdle = state.finish()
        state.tasks.forEach { $0.cancel() }
        if isIdle { tellInvalid() }
    }

    /// Once no task is left and none can come.
    func tellInvalid() {
        let delegate = state.delegate
        onDelegateQueue {
            if let delegate {
                _ = Unimplemented.isAnswered { delegate.urlSession(self, didBecomeInvalidWithError: nil) }
            }
            self.state.forgetDelegate()
            self.background?.leave(self.state)
            self.state.hold(nil)
        }
    }

    // MARK: Its tasks

    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let tasks = state.tasks
        onDelegateQueue { completionHandler(tasks) }
    }

    open var allTasks: [URLSessionTask] { get async { state.tasks } }
}
