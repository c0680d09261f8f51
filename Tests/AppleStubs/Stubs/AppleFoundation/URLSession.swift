/// https://developer.apple.com/documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling = 1
        case cancelAuthenticationChallenge = 2
        case rejectProtectionSpace = 3
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/responsedisposition
    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        case becomeDownload = 2
        case becomeStream = 3
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/delayedrequestdisposition
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest = 1
        case cancel = 2
    }

    private static let sharedSession = URLSession(configuration: .default, delegate: nil, delegateQueue: nil)

    /// https://developer.apple.com/documentation/foundation/urlsession/shared
    open class var shared: URLSession { sharedSession }

    /// Harness only: how many sessions hold a delegate because nobody has invalidated them. Apple's documentation calls each a leak.
    public static var countOfSessionsHoldingDelegates: Int { SessionState.holders.count }

    let settings: URLSessionConfiguration
    let state: SessionState
    /// https://developer.apple.com/documentation/foundation/urlsession/delegatequeue
    public let delegateQueue: OperationQueue
    /// https://developer.apple.com/documentation/foundation/urlsession/sessiondescription
    open var sessionDescription: String?

    /// https://developer.apple.com/documentation/foundation/urlsession/init(configuration:)
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)
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
        if delegate != nil { SessionState.holders.add(self) }
        background?.attach(self)
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/delegate
    open var delegate: (any URLSessionDelegate)? { state.delegate }

    /// https://developer.apple.com/documentation/foundation/urlsession/configuration
    open var configuration: URLSessionConfiguration { settings.snapshot }

    /// The transfers that outlive the process; nil if this is no background session.
    var background: BackgroundTransfers? {
        settings.identifier.map { BackgroundTransferDaemon.shared.transfers(of: $0) }
    }

    // MARK: The end

    /// https://developer.apple.com/documentation/foundation/urlsession/finishtasksandinvalidate()
    open func finishTasksAndInvalidate() {
        guard self !== Self.sharedSession else { return }
        if state.finish() { tellInvalid() }
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/invalidateandcancel()
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
            SessionState.holders.remove(self)
        }
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/reset(completionhandler:)
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        settings.httpCookieStorage?.removeCookies(since: .distantPast)
        settings.urlCache?.removeAllCachedResponses()
        flush(completionHandler: completionHandler)
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/flush(completionhandler:)
    open func flush(completionHandler: @escaping @Sendable () -> Void) {
        state.dropIdleConnections()
        onDelegateQueue(completionHandler)
    }

    // MARK: Its tasks

    /// https://developer.apple.com/documentation/foundation/urlsession/gettaskswithcompletionhandler(_:)
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        let tasks = state.tasks
        onDelegateQueue {
            completionHandler(
                tasks.filter { !($0 is URLSessionUploadTask) }.compactMap { $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/getalltasks(completionhandler:)
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let tasks = state.tasks
        onDelegateQueue { completionHandler(tasks) }
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/alltasks
    open var allTasks: [URLSessionTask] {
        get async { state.tasks }
    }

    /// https://developer.apple.com/documentation/foundation/urlsession/tasks
    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }
}
