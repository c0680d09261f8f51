import NetCore
import Testing

@testable import TestLab

/// Every check goes through the `curl` command, so that nothing of ours can be wrong on both sides.
@Suite(.requires(.nginx, .tinyproxy, .curl)) struct ProxyServerTests {
    /// Runs curl through the proxy, which writes what came and then the status of the response and of the CONNECT.
    private func curl(_ url: String, through proxy: ProxyServer, _ options: String...) async throws -> ProcessResult {
        let ca = try await TestCertificates.shared.ca.url.path
        // "*" would be the default where the environment has NO_PROXY.
        return try await ProcessRunner.run(
            "curl",
            [
                "--silent", "--show-error", "--noproxy", "", "--proxy", "\(proxy.url)", "--cacert", ca,
                "--write-out", "%{http_code} %{http_connect}",
            ] + options + [url])
    }

    @Test func forwardsPlainHTTP() async throws {
        let server = try await NginxServer()
        let proxy = try await ProxyServer()
        let response = try await curl("\(server.httpURL)/echo", through: proxy)
        #expect(response.text.hasSuffix("200 000"), "\(response.errorText)")
        #expect(NginxServer.echoed(response.output)["via"]?.contains("tinyproxy") == true)
        #expect(proxy.requests == ["GET \(server.httpURL)/echo HTTP/1.1"])
    }

    @Test func tunnels() async throws {
        let server = try await NginxServer()
        let proxy = try await ProxyServer()
        let response = try await curl("\(server.http2URL)/echo", through: proxy)
        #expect(response.text.hasSuffix("200 200"), "\(response.errorText)")
        let fields = NginxServer.echoed(response.output)
        #expect((fields["protocol"], fields["via"]?.isEmpty) == ("HTTP/2.0", true))
        let port = try #require(server.http2URL.port)
        #expect(proxy.requests == ["CONNECT localhost:\(port) HTTP/1.1"])
    }

    @Test func asksForCredentials() async throws {
        let server = try await NginxServer()
        let proxy = try await ProxyServer(credentials: .init(user: "me", password: "secret"))
        for url in ["\(server.httpURL)/small", "\(server.httpsURL)/small"] {
            #expect(try await curl(url, through: proxy).text.contains("407"))
            #expect(try await curl(url, through: proxy, "--proxy-user", "me:wrong").text.contains("401"))
            let allowed = try await curl(url, through: proxy, "--proxy-user", "me:secret")
            #expect(allowed.text.hasPrefix("ssss") && allowed.text.contains("200"), "\(allowed.errorText)")
        }
        #expect(proxy.requests.count == 6)
    }

    @Test func triesAnotherPortIfOneIsTaken() async throws {
        let taken = try TakenPort()
        var attempts = 0
        let proxy = try await ProxyServer(credentials: nil) {
            attempts += 1
            return attempts == 1 ? taken.port : try freePort()
        }
        #expect(attempts > 1 && proxy.url.port != Int(taken.port))
    }

    @Test func endsOnDemand() async throws {
        let proxy = try await ProxyServer()
        proxy.stop()
        proxy.stop()
        // 7: could not connect.
        #expect(try await curl("http://localhost/", through: proxy).termination == .exited(7))
    }
}

/// A port of 127.0.0.1 on which somebody listens.
final class TakenPort: Sendable {
    let port: UInt16
    private let descriptor: Int32
    init() throws {
        (descriptor, port) = try LoopbackSocket.bind(port: 0, family: .v4)
        listen(descriptor, 1)
    }
    deinit { close(descriptor) }
}
