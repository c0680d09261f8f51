/// http spoken to a port for https, or the other way round.
package enum SchemeMismatch: Hashable, Sendable {
    /// http was spoken to a port where the server expects TLS.
    case httpToTLS
    /// TLS was spoken to a port where the server answers in plain http.
    case tlsToHTTP

    /// What to do, for developers.
    var hint: String {
        switch self {
        case .httpToTLS: "The server expects TLS on this port. Use an https URL."
        case .tlsToHTTP: "The server does not speak TLS on this port. Use an http URL, or the port for https."
        }
    }

    /// What the words of a TLS library or of libcurl show. Words that are not known give nil.
    ///
    /// - Parameter isTLS: whether TLS was spoken.
    package init?(words: String, isTLS: Bool) {
        let known = isTLS ? Self.wordsForPlainReplies : Self.wordsForUnreadableReplies
        guard known.contains(where: words.contains) else { return nil }
        self = isTLS ? .tlsToHTTP : .httpToTLS
    }

    /// What a server says in the body of a 400 that it sends in plain http from a port for TLS.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - body: the whole body; only its first 2,048 bytes are read.
    package init?(status: Int, body: Data?) {
        guard status == 400, let body else { return nil }
        let text = String(decoding: body.prefix(2048), as: UTF8.self)
        guard Self.wordsOfServers.contains(where: text.contains) else { return nil }
        self = .httpToTLS
    }

    /// OpenSSL, LibreSSL and BoringSSL; GnuTLS. The first bytes of `HTTP/1.1 400` are read as a record of an unknown version or length.
    private static let wordsForPlainReplies = [
        "wrong version number", "packet length too long", "WRONG_VERSION_NUMBER", "unexpected TLS packet",
    ]
    /// libcurl, where the reply begins with an alert of TLS instead of a status line.
    private static let wordsForUnreadableReplies = ["Received HTTP/0.9"]
    /// nginx, Apache, Go's net/http, Tomcat.
    private static let wordsOfServers = [
        "The plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
        "Client sent an HTTP request to an HTTPS server", "This combination of host and port requires TLS",
    ]
}
