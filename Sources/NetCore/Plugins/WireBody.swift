/// A response's body as it came over the network, before its `Content-Encoding` was decoded: see ``TransportResponse/wire``.
public struct WireBody: Sendable {
    /// `Content-Encoding` as it was received, several fields joined by commas (RFC 9110, section 8.4).
    public let contentEncoding: String
    /// `Content-Length` as it was received: the number of bytes before decoding. Nil if there was none.
    public let contentLength: Int64?
    private let surplus = Locked(false)

    /// What was received.
    public init(contentEncoding: String, contentLength: Int64? = nil) {
        self.contentEncoding = contentEncoding
        self.contentLength = contentLength
    }

    /// Whether bytes came after the end of the coded body. They are dropped, and such a response is not stored. Known once the
    /// body has been read to its end.
    public var hasSurplus: Bool { surplus.withLock { $0 } }

    package func noteSurplus() {
        surplus.withLock { $0 = true }
    }
}

extension TransportResponse {
    /// Notes that the body is given decoded: `Content-Encoding` and `Content-Length` leave the header, since they describe what came
    /// over the network, and go to ``wire``.
    @discardableResult
    package mutating func noteDecoded() -> WireBody {
        let codings = headers.values(for: "Content-Encoding").joined(separator: ", ")
        let body = WireBody(contentEncoding: codings, contentLength: headers["Content-Length"].flatMap { Int64($0) })
        headers.remove(name: "Content-Encoding")
        headers.remove(name: "Content-Length")
        wire = body
        return body
    }
}
