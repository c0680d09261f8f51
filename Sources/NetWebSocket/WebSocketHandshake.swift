import NetCore

/// The opening handshake (RFC 6455, section 4.1): makes the request, and checks the response.
package struct WebSocketHandshake: Sendable {
    let key: String
    let protocols: [String]
    let compression: WebSocket.Compression?

    private static let magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// - Throws: an error that describes the problem, for a subprotocol that is not a token, or is repeated, and for settings of
    ///   compression that are out of range.
    init(
        protocols: [String], compression: WebSocket.Compression? = nil, key: String? = nil
    ) throws(RequestBuildingError) {
        if let invalid = protocols.first(where: { !$0.isHTTPToken }) {
            throw RequestBuildingError(
                "The subprotocol '\(String(invalid.prefix(64)).onOneLine)' is not a token (RFC 6455, section 4.1).")
        }
        guard Set(protocols).count == protocols.count else {
            throw RequestBuildingError("A subprotocol is offered twice (RFC 6455, section 4.1).")
        }
        try compression?.validate()
        self.protocols = protocols
        self.compression = compression
        self.key = key ?? Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    }

    /// Returns the `Sec-WebSocket-Accept` for a key.
    package static func accept(for key: String) -> String {
        Data(SHA1.digest(Data((key + magic).utf8))).base64EncodedString()
    }

    /// Sets the header fields of the handshake, replacing fields of the same names.
    func prepare(_ request: inout URLRequest) {
        request.httpMethod = "GET"
        request.httpBody = nil
        request.httpBodyStream = nil
        var fields = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        fields.add(name: "Upgrade", value: "websocket")
        fields.add(name: "Connection", value: "Upgrade")
        fields.add(name: "Sec-WebSocket-Key", value: key)
        fields.add(name: "Sec-WebSocket-Version", value: "13")
        fields["Sec-WebSocket-Extensions"] = compression?.element(isOffer: true)
        fields["Sec-WebSocket-Protocol"] = protocols.isEmpty ? nil : protocols.joined(separator: ", ")
        request.allHTTPHeaderFields = fields.dictionary
    }

    /// Checks a response with status 101, except for compression.
    ///
    /// - Returns: the subprotocol that the server chose, or nil for none.
    func check(_ headers: HTTPHeaders) throws(WebSocketError) -> String? {
        guard headers.hasToken("websocket", in: "Upgrade"), headers.hasToken("upgrade", in: "Connection") else {
            throw WebSocketError(.invalidHandshake, message: "The server switched to something other than a WebSocket.")
        }
        guard headers.values(for: "Sec-WebSocket-Accept").map(\.withoutHTTPWhitespace) == [Self.accept(for: key)] else {
            throw WebSocketError(
                .invalidHandshake,
                message: "Sec-WebSocket-Accept does not match the key: this is not a WebSocket server.")
        }
        return try checkSubprotocol(headers)
    }

    /// Checks that the server chose only a subprotocol that was offered.
    func checkSubprotocol(_ headers: HTTPHeaders) throws(WebSocketError) -> String? {
        let chosen = headers.values(for: "Sec-WebSocket-Protocol").map(\.withoutHTTPWhitespace)
        guard let first = chosen.first else { return nil }
        guard chosen.count == 1, protocols.contains(first) else {
            throw WebSocketError(.notOffered, message: "The server chose a subprotocol that was not offered.")
        }
        return first
    }
}

extension HTTPHeaders {
    fileprivate func hasToken(_ token: String, in name: String) -> Bool {
        values(for: name).contains { value in
            value.split(separator: ",").contains { String($0).withoutHTTPWhitespace.equalsIgnoringASCIICase(token) }
        }
    }
}
