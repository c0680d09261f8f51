public import Foundation
public import HTTPTypes
public import NetClient
public import NetCore

extension NetworkClient {
    /// Sends a request and returns the response when its head arrives, whatever its status. The body is a stream.
    ///
    /// ```swift
    /// var request = HTTPRequest(url: url)
    /// request.headerFields[.accept] = "application/json"
    /// let (response, body) = try await client.send(request)
    /// ```
    ///
    /// - Parameters:
    ///   - body: the body; nil for none.
    ///   - context: the context of the call; nil for a new one.
    /// - Throws: a failure. ``HTTPTypesError`` is its `underlyingError` if the request or the response cannot be converted. No status is an
    ///   error.
    public func send(
        _ request: HTTPRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> (response: HTTPResponse, body: HTTPBody) {
        let request = try urlRequest(request)
        let response = try await send(request, body: body, context: context)
        return (try httpResponse(response, to: request), response.body)
    }

    /// Sends a request and returns the bytes of an accepted response: by default, one with a status from 200 to 299.
    ///
    /// - Parameters:
    ///   - body: the body; nil for none.
    ///   - context: the context of the call; nil for a new one.
    /// - Throws: a failure; `NetworkError.requestFailed(statusCode:data:)` for another status, and as ``send(_:body:context:)``.
    public func data(
        for request: HTTPRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> (data: Data, response: HTTPResponse) {
        let request = try urlRequest(request)
        let (data, response) = try await data(for: request, body: body, context: context)
        return (data, try httpResponse(response, to: request))
    }

    private func urlRequest(_ request: HTTPRequest) throws(NetworkFailure) -> URLRequest {
        do {
            return try URLRequest(request)
        } catch {
            throw NetworkFailure(cause: .invalidRequest(error), timestamp: clock.now)
        }
    }

    private func httpResponse(
        _ response: TransportResponse, to request: URLRequest
    ) throws(NetworkFailure) -> HTTPResponse {
        do {
            return try HTTPResponse(response)
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }
}
