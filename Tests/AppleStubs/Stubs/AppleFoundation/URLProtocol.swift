/// https://developer.apple.com/documentation/foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}

/// https://developer.apple.com/documentation/foundation/urlprotocol
open class URLProtocol: NSObject {
    public let request: URLRequest
    public let cachedResponse: CachedURLResponse?
    public let client: (any URLProtocolClient)?
    open internal(set) var task: URLSessionTask?

    public required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        self.request = request
        self.cachedResponse = cachedResponse
        self.client = client
    }

    public convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.init(
            request: task.currentRequest ?? URLRequest(url: URL(fileURLWithPath: "/")), cachedResponse: cachedResponse,
            client: client)
        self.task = task
    }

    // MARK: For subclasses

    open class func canInit(with request: URLRequest) -> Bool {
        fatalError("A subclass of URLProtocol has to implement canInit(with:)")
    }

    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    open class func canonicalRequest(for request: URLRequest) -> URLRequest {
        fatalError("A subclass of URLProtocol has to implement canonicalRequest(for:)")
    }

    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    open func startLoading() { fatalError("A subclass of URLProtocol has to implement startLoading()") }

    open func stopLoading() { fatalError("A subclass of URLProtocol has to implement stopLoading()") }

    // MARK: Properties of requests

    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        FoundationNetworking.URLProtocol.property(forKey: key, in: request)
    }

    open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
        FoundationNetworking.URLProtocol.setProperty(value, forKey: key, in: request)
    }

    open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
        FoundationNetworking.URLProtocol.removeProperty(forKey: key, in: request)
    }

    // MARK: Registration

    private static let registered = Registered()

    private final class Registered: @unchecked Sendable {
        private let lock = NSLock()
        private var classes: [AnyClass] = []

        var all: [AnyClass] { lock.withLock { classes } }

        func add(_ type: AnyClass) { lock.withLock { classes.insert(type, at: 0) } }

        func remove(_ type: AnyClass) { lock.withLock { classes.removeAll { $0 == type } } }
    }

    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard protocolClass is URLProtocol.Type else { return false }
        registered.add(protocolClass)
        return true
    }

    open class func unregisterClass(_ protocolClass: AnyClass) { registered.remove(protocolClass) }

    /// Those of a session's tasks: registered ones serve the shared session only.
    static func type(for task: URLSessionTask) -> URLProtocol.Type? {
        let classes =
            (task.session.settings.protocolClasses ?? []) + (task.session === URLSession.shared ? registered.all : [])
        return classes.lazy.compactMap { $0 as? URLProtocol.Type }.first { $0.canInit(with: task) }
    }
}
