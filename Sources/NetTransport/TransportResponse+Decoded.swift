import NetCore

extension TransportResponse {
    /// Marks the body as decoded: moves `Content-Encoding` and `Content-Length`, which describe the coded body, from the header to ``wire``.
    @discardableResult
    mutating func markDecoded() -> TransportResponse.WireBody {
        let codings = headers.values(for: "Content-Encoding").joined(separator: ", ")
        let body = TransportResponse.WireBody(
            contentEncoding: codings, contentLength: headers["Content-Length"].flatMap { Int64($0) })
        headers.remove(name: "Content-Encoding")
        headers.remove(name: "Content-Length")
        wire = body
        return body
    }
}
