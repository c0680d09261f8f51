public import Foundation
public import HTTPTypes
public import NetCore

extension HTTPResponse {
    /// Creates a response with the status and the fields of a `TransportResponse`: in order, with every `Set-Cookie`. The reason phrase is
    /// empty, since the SDK does not keep it.
    ///
    /// - Throws: ``HTTPTypesError/invalidStatus(_:)`` and ``HTTPTypesError/tooManyFields(count:)``, because HTTPTypes traps for them.
    public init(_ response: TransportResponse) throws(HTTPTypesError) {
        guard (0...999).contains(response.status) else { throw .invalidStatus(response.status) }
        self.init(status: Status(code: response.status), headerFields: try HTTPFields(response.headers))
    }
}

extension TransportResponse {
    /// Creates a response with the status and the fields of an `HTTPResponse`. For interceptors and transports.
    ///
    /// - Parameters:
    ///   - url: the URL that answered.
    ///   - body: the body, which an `HTTPResponse` does not have.
    ///   - trailers: the fields after the body; nil if there were none.
    public init(
        _ response: HTTPResponse, url: URL?, version: HTTPVersion = .http1_1, body: HTTPBody = .empty,
        trailers: HTTPFields? = nil
    ) {
        self.init(
            status: response.status.code, headers: HTTPHeaders(response.headerFields), url: url, version: version,
            body: body, trailers: trailers.map { HTTPHeaders($0) })
    }
}
