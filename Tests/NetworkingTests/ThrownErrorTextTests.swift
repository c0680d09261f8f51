import NetTesting
import Networking
import TestLab
import Testing

private let english = Locale(identifier: "en")

/// What `print(error)` and `localizedDescription` give of what the facade throws, for real failures: host, phase and reason.
@Suite struct ThrownErrorTextTests {
    private let server: MockServer

    init() throws { server = try MockServer() }

    /// What is thrown for a request, and that nothing of the path or query is in its texts.
    private func thrown(
        _ url: URL, timeout: TimeInterval? = nil, proxy: TransportConfiguration.Proxy = .none
    ) async throws -> NetworkError {
        var configuration = TransportConfiguration()
        configuration.proxy = proxy
        let networking = Networking(configuration: configuration, connectionMonitor: nil)
        let secret = try #require(URL(string: url.appendingPathComponent("s3cr3t").absoluteString + "?token=s3cr3t"))
        do throws(NetworkError) {
            let user: User = try await networking.request(RequestConfig(url: secret, timeout: timeout))
            throw .unsupported("Got \(user)")
        } catch {
            #expect(!"\(error) \(error.localizedDescription)".contains("s3cr3t"))
            #expect(error.localizedDescription != "An unknown network error occurred.")
            await networking.shutdown()
            return error
        }
    }

    private func check(
        _ error: NetworkError, _ description: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect("\(error)".hasPrefix(description), sourceLocation: sourceLocation)
        #expect(error.localizedDescription(in: english) == text, sourceLocation: sourceLocation)
    }

    @Test func unknownHost() async throws {
        let error = try await thrown(try #require(URL(string: "http://nonexistent.invalid")))
        check(
            error, "name_not_resolved while resolving: ",
            "The address of the server nonexistent.invalid could not be looked up. "
                + "The address of the server could not be found.")
        #expect("\(error)".hasSuffix("(nonexistent.invalid)"))
    }

    @Test func refusedConnection() async throws {
        let port = try freePort()
        let error = try await thrown(try #require(URL(string: "http://127.0.0.1:\(port)")))
        #expect(error == .networkUnavailable)
        check(
            error, "network_unavailable: connection_refused while connecting: ",
            "A connection to the server 127.0.0.1:\(port) could not be opened. The server refused the connection.")
        #expect("\(error)".hasSuffix("(127.0.0.1:\(port))"))
    }

    @Test func lostConnections() async throws {
        server.enqueue(.fault(.close(.beforeResponse)), .fault(.reset(.beforeResponse)))
        let host = "127.0.0.1:\(server.port)"
        check(
            try await thrown(server.url), "network_unavailable: connection_lost while waiting: ",
            "The request was sent to the server \(host), but no response arrived. "
                + "The connection to the server was lost.")
        check(
            try await thrown(server.url), "network_unavailable: connection_reset while waiting: ",
            "The request was sent to the server \(host), but no response arrived. The server reset the connection.")
    }

    @Test func timeouts() async throws {
        server.enqueue(.fault(.stall(.beforeResponse)))
        let error = try await thrown(server.url, timeout: 0.3)
        #expect(error == .timeout)
        check(
            error, "timeout: idle_timeout while waiting: ",
            "The request timed out. The request was sent to the server 127.0.0.1:\(server.port), but no response arrived. "
                + "No data was sent or received for too long.")
    }

    @Test(.requires(.nginx)) func untrustedCertificate() async throws {
        let nginx = try await NginxServer(certificate: .otherCA)
        let port = try #require(nginx.httpsURL.port)
        check(
            try await thrown(nginx.httpsURL), "certificate_untrusted while securing: ",
            "A secure connection to the server localhost:\(port) could not be negotiated. "
                + "The certificate of the server is not trusted.")
    }

    @Test func tlsToAPortForHTTP() async throws {
        let error = try await thrown(try #require(URL(string: "https://127.0.0.1:\(server.port)")))
        check(
            error, "tls_handshake_failed while securing: ",
            "A secure connection to the server 127.0.0.1:\(server.port) could not be negotiated. "
                + "The address begins with https, but the server speaks http.")
        #expect("\(error)".contains("The server does not speak TLS on this port."))
    }

    /// nginx notices, and answers in plain http.
    @Test(.requires(.nginx)) func httpToAPortForTLSOfNginx() async throws {
        let nginx = try await NginxServer()
        let port = try #require(nginx.httpsURL.port)
        let error = try await thrown(try #require(URL(string: "http://localhost:\(port)")))
        #expect(error.statusCode == 400)
        check(
            error, "request_failed: status 400. The server expects TLS on this port.",
            "Server responded with code 400. The address begins with http, but the server expects https.")
    }

    /// Most servers answer with an alert of TLS.
    @Test func httpToAPortForTLS() async throws {
        server.enqueue(.raw(Data([0x15, 3, 1, 0, 2, 2, 70])))
        check(
            try await thrown(server.url), "malformed_status_line while ",
            "The beginning of the response from the server 127.0.0.1:\(server.port) could not be received. "
                + "The address begins with http, but the server expects https.")
    }

    @Test func unreachableProxy() async throws {
        let proxy = TransportConfiguration.Proxy.http(host: "127.0.0.1", port: Int(try freePort()))
        check(
            try await thrown(try #require(URL(string: "http://a.example")), proxy: proxy),
            "proxy_failed while connecting: ",
            "A connection to the server a.example could not be opened. "
                + "The proxy server could not be reached or refused the connection.")
    }

    /// The broken rule is named by the thrown error, and by the failure of the response.
    @Test func invalidRequests() async throws {
        let url = try #require(URL(string: "http://a.example/"))
        let config = RequestConfig(url: url, headers: ["X-Name": "s3cr3t\r\nX-B: 2"])
        let networking = Networking(connectionMonitor: nil)
        let response: NetworkResponse<User> = await networking.request(config)
        let error = try #require(response.error)
        let (text, reason) = (error.localizedDescription(in: english), "The header 'X-Name' cannot be sent")
        #expect(error == .invalidRequest)
        #expect(error.description.hasPrefix("invalid_request: \(reason): its name must be a token"))
        #expect(text.hasPrefix("The request could not be built. \(reason)"))
        #expect(response.failure?.underlyingError is RequestBuildingError)
        #expect(response.failure?.localizedDescription(in: english) == text)
        #expect(response.failure?.description.contains(reason) == true)
        for (text, reason) in [
            ("htps://a.example", "The URL has the scheme 'htps'. Use https or http."),
            ("https:/a", "The URL has no host."), ("a.example/x", "The URL has no scheme. Begin it with https://"),
        ] {
            let request = URLRequest(url: try #require(URL(string: text)))
            let failure = try await failure { try await NetworkClient().data(for: request) }
            #expect(failure == .invalidURL() && failure.description.contains(reason), "\(failure)")
        }

        var request = URLRequest(url: url)
        request.httpMethod = "G T"
        let failure = try await failure { try await NetworkClient().data(for: request) }
        #expect(failure.underlyingError is RequestBuildingError)
        #expect(failure.cause.description.contains("The method 'G T' is not a token"))
    }

    /// The failure names method and URL. `NetworkError` alone, which the throwing style has, knows neither.
    @Test func statuses() async throws {
        server.enqueue(.status(404), .status(404))
        let (url, networking) = (server.url("/users/7?token=s3cr3t"), Networking(transport: .platform))
        let response: NetworkResponse<User> = await networking.request(RequestConfig(url: url))
        let text = "request_failed, GET http://127.0.0.1:\(server.port)/users/7?token=[REDACTED], status 404"
        #expect(response.failure?.description == text && response.description.contains(text))
        #expect(response.error?.description == "request_failed: status 404")
        let print = Transcript()
        networking.request(RequestConfig(url: url)) { (response: NetworkResponse<User>) in print(response.failure) }
        #expect(try await print.line() == text)
    }

    @Test func decodingErrors() async throws {
        server.enqueue(.json(text: #"{"id": "s3cr3t"}"#), .text("<html>s3cr3t").header("Content-Type", "text/html"))
        check(
            try await thrown(server.url), "decoding_error: expected Int at id, found string",
            "The response could not be decoded. At id, Int was expected, but string was found.")
        check(
            try await thrown(server.url), "decoding_error: malformed data at the top level; the response is text/html",
            "The response could not be decoded. The data is malformed. The response is text/html, not JSON.")
    }
}
