/// https://developer.apple.com/documentation/foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
}

/// https://developer.apple.com/documentation/foundation/urlprotocol
open class URLProtocol: NSObject {
    public let request: URLRequest
    public let cachedResponse: CachedURLResponse?
    public let client: (any URLProtocolClient)?
    open internal(set) var task: URLSessionTask?

    public required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        (self.request, self.cachedResponse, self.client) = (request, cachedResponse, client)
    }

    // MARK: For subclasses

    open class func canInit(with request: URLRequest) -> Bool {
        fatalError("A subclass of URLProtocol has to implement canInit(with:)")
    }

    open class func canonicalRequest(for request: URLRequest) -> URLRequest {
        fatalError("A subclass of URLProtocol has to implement canonicalRequest(for:)")
    }

    open func startLoading() { fatalError("A subclass of URLProtocol has to implement startLoading()") }
    open func stopLoading() { fatalError("A subclass of URLProtocol has to implement stopLoading()") }

    /// The one of a session's classes that takes the task.
    static func type(for task: URLSessionTask) -> URLProtocol.Type? {
        guard let request = task.currentRequest else { return nil }
        return (task.session.settings.protocolClasses ?? []).lazy.compactMap { $0 as? URLProtocol.Type }
            .first { $0.canInit(with: request) }
    }
}
