import NetCore

/// The choice between `h2` and `http/1.1` in the TLS handshake (RFC 7301).
enum ALPN {
    /// A server of HTTP/1.1 alone answers no offer.
    static func install(_ versions: MockHTTPVersions, on context: OpenSSL.Object, _ openSSL: OpenSSL) {
        switch versions {
        case .http1Only: break
        case .automatic:
            openSSL.SSL_CTX_set_alpn_select_cb(
                context, { ALPN.select(["h2", "http/1.1"], $1, $2, from: $3, count: $4, context: $5) }, nil)
        case .http2Only:
            openSSL.SSL_CTX_set_alpn_select_cb(
                context, { ALPN.select(["h2"], $1, $2, from: $3, count: $4, context: $5) }, nil)
        }
    }

    static func chosen(on session: OpenSSL.Object, _ openSSL: OpenSSL) -> String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        openSSL.SSL_get0_alpn_selected(session, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Chooses the first of ours that the client offers; ends the handshake if it offers none.
    private static func select(
        _ names: [String], _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?, from offered: UnsafePointer<UInt8>?, count: UInt32,
        context: OpenSSL.Object?
    ) -> Int32 {
        let (accepts, refuses): (Int32, Int32) = (0, 2)
        guard let offered, let chosen, let length else { return refuses }
        let bytes = UnsafeBufferPointer(start: offered, count: Int(count))
        for name in names {
            var position = 0
            while position < bytes.count {
                let size = Int(bytes[position])
                guard size < bytes.count - position else { return refuses }
                if bytes[(position + 1)...].prefix(size).elementsEqual(name.utf8) {
                    // OpenSSL copies it out of the client's list.
                    chosen.pointee = offered + position + 1
                    length.pointee = bytes[position]
                    return accepts
                }
                position += 1 + size
            }
        }
        return refuses
    }
}
