/// https://developer.apple.com/documentation/foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:wasredirectedto:redirectresponse:)
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:cachedresponseisvalid:)
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:didreceive:cachestoragepolicy:)
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:didload:)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocoldidfinishloading(_:)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:didfailwitherror:)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:didreceive:)
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
    /// https://developer.apple.com/documentation/foundation/urlprotocolclient/urlprotocol(_:didcancel:)
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}

/// https://developer.apple.com/documentation/foundation/urlprotocol
open class URLProtocol: NSObject {
    /// https://developer.apple.com/documentation/foundation/urlprotocol/request
    public let request: URLRequest
    /// https://developer.apple.com/documentation/foundation/urlprotocol/cachedresponse
    public let cachedResponse: CachedURLResponse?
    /// https://developer.apple.com/documentation/foundation/urlprotocol/client
    public let client: (any URLProtocolClient)?
    /// https://developer.apple.com/documentation/foundation/urlprotocol/task
    open internal(set) var task: URLSessionTask?

    /// https://developer.apple.com/documentation/foundation/urlprotocol/init(request:cachedresponse:client:)
    public required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.request = request
        self.cachedResponse = cachedResponse
        self.client = client
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/init(task:cachedresponse:client:)
    public convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.init(
            request: task.currentRequest ?? URLRequest(url: URL(fileURLWithPath: "/")), cachedResponse: cachedResponse,
            client: client)
        self.task = task
    }

    // MARK: For subclasses

    /// https://developer.apple.com/documentation/foundation/urlprotocol/caninit(with:)-6etfr
    open class func canInit(with request: URLRequest) -> Bool {
        fatalError("A subclass of URLProtocol has to implement canInit(with:)")
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/caninit(with:)-7vjvz
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/canonicalrequest(for:)
    open class func canonicalRequest(for request: URLRequest) -> URLRequest {
        fatalError("A subclass of URLProtocol has to implement canonicalRequest(for:)")
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/requestiscacheequivalent(_:to:)
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/startloading()
    open func startLoading() {
        fatalError("A subclass of URLProtocol has to implement startLoading()")
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/stoploading()
    open func stopLoading() {
        fatalError("A subclass of URLProtocol has to implement stopLoading()")
    }

    // MARK: Properties of requests

    /// https://developer.apple.com/documentation/foundation/urlprotocol/property(forkey:in:)
    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        FoundationNetworking.URLProtocol.property(forKey: key, in: request)
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/setproperty(_:forkey:in:)
    open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
        FoundationNetworking.URLProtocol.setProperty(value, forKey: key, in: request)
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/removeproperty(forkey:in:)
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

    /// https://developer.apple.com/documentation/foundation/urlprotocol/registerclass(_:)
    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard protocolClass is URLProtocol.Type else { return false }
        registered.add(protocolClass)
        return true
    }

    /// https://developer.apple.com/documentation/foundation/urlprotocol/unregisterclass(_:)
    open class func unregisterClass(_ protocolClass: AnyClass) {
        registered.remove(protocolClass)
    }

    /// Those of a session's tasks: registered ones serve the shared session only.
    static func type(for task: URLSessionTask) -> URLProtocol.Type? {
        let classes =
            (task.session.settings.protocolClasses ?? []) + (task.session === URLSession.shared ? registered.all : [])
        return classes.lazy.compactMap { $0 as? URLProtocol.Type }.first { $0.canInit(with: task) }
    }
}
