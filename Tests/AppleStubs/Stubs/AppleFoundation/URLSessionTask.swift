import AppleLiberties

/// https://developer.apple.com/documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, NSCopying, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessiontask/state-swift.enum
    public enum State: Int, Sendable { case running, suspended, canceling, completed }

    public class var defaultPriority: Float { 0.5 }
    public class var lowPriority: Float { 0.25 }
    public class var highPriority: Float { 0.75 }

    /// What changes, behind `condition`.
    struct Facts {
        var state = State.suspended
        /// Handed to a thread, or waiting for a connection.
        var isStarted = false
        var isCancelled = false
        var current: URLRequest?
        var response: URLResponse?
        var error: (any Error)?
        var description: String?
        var priority: Float = 0.5
        var delegate: (any URLSessionTaskDelegate)?
        var earliestBegin: Date?
        var expectsToSend = NSURLSessionTransferSizeUnknown
        var expectsToReceive = NSURLSessionTransferSizeUnknown
        var received: Int64 = 0
        var sent: Int64 = 0
        var toSend: Int64 = 0
        /// Whether the thread that reads the body has more, after it had none.
        var hasMoreToSend = false
        /// Wakes whoever works on the task.
        var wake: (() -> Void)?
        /// Of a background transfer whose app was launched anew: who works for this task, and for whom this one works.
        var worker: URLSessionTask?
        var successor: URLSessionTask?
    }

    let session: URLSession
    let condition = NSCondition()
    private var facts = Facts()
    let body: UploadSource
    let sink: TaskSink
    public let taskIdentifier: Int
    public let originalRequest: URLRequest?

    init(_ session: URLSession, identifier: Int, request: URLRequest?, body: UploadSource, sink: TaskSink) {
        self.session = session
        taskIdentifier = identifier
        originalRequest = request
        self.body = body
        self.sink = sink
        super.init()
        facts.current = request
        facts.toSend = body.length ?? (body.isStream ? NSURLSessionTransferSizeUnknown : 0)
    }

    func sync<Result>(_ body: (inout Facts) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&facts)
    }

    /// For a thread that holds ``condition``.
    var isCancelledWithLock: Bool { facts.isCancelled }

    /// Waits until there is an answer, which is looked for whenever something has changed.
    func wait<Result>(_ answer: (inout Facts) -> Result?) -> Result {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer = answer(&facts) { return answer }
            condition.wait()
        }
    }

    // MARK: What is told

    open var currentRequest: URLRequest? { sync(\.current) }
    open var response: URLResponse? { sync(\.response) }
    open var state: State { sync(\.state) }
    open var error: (any Error)? { sync(\.error) }
    open var countOfBytesReceived: Int64 { sync(\.received) }

    // MARK: What can be set

    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
    open var delegate: (any URLSessionTaskDelegate)? {
        get { sync(\.delegate) }
        set { sync { $0.delegate = newValue } }
    }
    open var taskDescription: String? {
        get { sync(\.description) }
        set {
            sync { $0.description = newValue }
            session.background?.keep(description: newValue, of: self)
        }
    }
    open var priority: Float {
        get { sync(\.priority) }
        set { sync { $0.priority = newValue } }
    }
    open var earliestBeginDate: Date? {
        get { sync(\.earliestBegin) }
        set { sync { $0.earliestBegin = newValue } }
    }
    open var countOfBytesClientExpectsToSend: Int64 {
        get { sync(\.expectsToSend) }
        set { sync { $0.expectsToSend = newValue } }
    }
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { sync(\.expectsToReceive) }
        set { sync { $0.expectsToReceive = newValue } }
    }

    // MARK: Control

    open func resume() {
        if let worker = sync(\.worker) {
            sync { $0.state = .running }
            return worker.resume()
        }
        let (wake, starts): ((() -> Void)?, Bool) = sync { facts in
            guard facts.state == .suspended else { return (nil, false) }
            facts.state = .running
            condition.broadcast()
            defer { facts.isStarted = true }
            return (facts.wake, !facts.isStarted)
        }
        wake?()
        if starts { session.start(self) }
    }

    open func suspend() {
        if let worker = sync(\.worker) {
            sync { $0.state = .suspended }
            return worker.suspend()
        }
        sync { facts in if facts.state == .running { facts.state = .suspended } }
    }

    open func cancel() {
        if let worker = sync(\.worker) {
            sync { $0.state = .canceling }
            return worker.cancel()
        }
        let (wake, starts): ((() -> Void)?, Bool) = sync { facts in
            guard facts.state != .completed, !facts.isCancelled else { return (nil, false) }
            facts.isCancelled = true
            facts.state = .canceling
            condition.broadcast()
            defer { facts.isStarted = true }
            return (facts.wake, !facts.isStarted)
        }
        wake?()
        if starts { session.start(self) } else { session.stopWaiting(self) }
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: What the kinds of tasks do differently

    /// The head has come. False ends the task.
    func receive(_ response: URLResponse) -> Bool { true }

    /// A part of the body has come.
    func receive(_ data: Data) {}

    /// The last moment before the task is told to have ended; what it throws is the task's error.
    func prepareCompletion() throws {}

    /// Tells those who wait for the end, on the delegate's queue.
    func tellCompletion(_ error: (any Error)?) {
        session.tellTask(self) { $0.urlSession(self.session, task: self, didCompleteWithError: error) }
    }

    /// Whom the outside world knows, of a background transfer.
    var face: URLSessionTask { sync(\.successor)?.face ?? self }

    /// Tells what a background transfer has brought, before its end.
    func deliver(_ ended: BackgroundTransfers.Ended, from worker: URLSessionTask) {}
}

/// https://developer.apple.com/documentation/foundation/nsurlsessiontransfersizeunknown
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// https://developer.apple.com/documentation/foundation/urlsessiondatatask
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {
    private var collected = Data()
    private var isTooLarge = false

    override func receive(_ response: URLResponse) -> Bool {
        if case .bytes(let buffer) = sink { buffer.begin(response) }
        // NSURLSession.h: "This method will not be called for background upload tasks".
        guard case .delegate = sink, session.background == nil else { return true }
        return session.askDisposition(of: response, for: self) == .allow
    }

    override func receive(_ data: Data) {
        switch sink {
        case .data: collected.append(data)
        case .bytes(let buffer):
            keepForCache(data)
            buffer.append(data)
        case .file: break
        case .delegate where session.background != nil:
            // The system's process keeps it until the end.
            collected.append(data)
        case .delegate:
            keepForCache(data)
            tell(data)
        }
    }

    /// In pieces of any size.
    private func tell(_ data: Data) {
        var rest = data[...]
        let piece = max(1, data.count / Liberties.pick("URLSession.pieces", [1, 1, 2, 5]))
        while !rest.isEmpty {
            let next = rest.prefix(rest.count < 2 * piece ? rest.count : piece)
            rest = rest.dropFirst(next.count)
            session.tellData(self) { $0.urlSession(self.session, dataTask: self, didReceive: Data(next)) }
        }
    }

    override func deliver(_ ended: BackgroundTransfers.Ended, from worker: URLSessionTask) {
        tell((worker as? URLSessionDataTask)?.collected ?? Data())
    }

    /// As Apple says, what fills more than 5 % of the cache is not put there.
    private func keepForCache(_ data: Data) {
        guard let cache = session.settings.urlCache, !isTooLarge else { return }
        collected.append(data)
        guard collected.count > max(cache.memoryCapacity, cache.diskCapacity) / 20 else { return }
        (collected, isTooLarge) = (Data(), true)
    }

    override func prepareCompletion() throws { if !isTooLarge { session.offerToCache(collected, of: self) } }

    override func tellCompletion(_ error: (any Error)?) {
        switch sink {
        case .data(let handler):
            let data = error == nil ? collected : nil
            session.onDelegateQueue { handler(data, error == nil ? self.response : nil, error) }
        case .bytes(let buffer): buffer.finish(error)
        case .delegate where session.background != nil: tellBackgroundCompletion(.init(file: nil, error: error))
        case .file, .delegate: super.tellCompletion(error)
        }
    }
}

/// https://developer.apple.com/documentation/foundation/urlsessionuploadtask
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
