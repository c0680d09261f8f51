internal import NetCore

/// The configuration file of ``NginxServer``.
struct NginxConfiguration: Sendable {
    static let portCount = 5
    static let documentRoot = "root"
    static let socketName = "http.sock"

    let identity: TestIdentity
    let clientAuthority: TestCertificate
    let tlsVersions: Set<NginxServer.TLSVersion>
    /// Whether OpenSSL's own level of security counts.
    var isStrict = true

    /// Writes the files that nginx needs into the directory, and starts it.
    func start(in directory: TemporaryDirectory, ports: [UInt16]) throws -> BackgroundProcess {
        let root = directory.url.appendingPathComponent(Self.documentRoot)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        try Data(repeating: UInt8(ascii: "s"), count: 200).write(to: root.appendingPathComponent("small"))
        let bytes = (0..<64 * 1024).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try Data(bytes).write(to: root.appendingPathComponent("64k"))
        let file = directory.file("nginx.conf")
        try Data(text(directory.url.path, ports).utf8).write(to: file)
        // Without -e, nginx first opens the log that was compiled into it, which only root may write.
        return try BackgroundProcess(
            "nginx", ["-p", directory.url.path, "-e", directory.file("error.log").path, "-c", file.path])
    }

    // One process, not a master and a worker: so that nothing outlives the one that we can kill.
    private func text(_ directory: String, _ ports: [UInt16]) -> String {
        """
        daemon off;
        master_process off;
        pid "\(directory)/nginx.pid";
        error_log "\(directory)/error.log" info;
        events { worker_connections 4096; }
        http {
            log_format lab '$request_method $request_uri $server_protocol $status $body_bytes_sent $scheme '
                           '$connection $connection_requests';
            access_log "\(directory)/access.log" lab;
            client_body_temp_path "\(directory)/body";
            proxy_temp_path "\(directory)/proxy";
            fastcgi_temp_path "\(directory)/fastcgi";
            uwsgi_temp_path "\(directory)/uwsgi";
            scgi_temp_path "\(directory)/scgi";
            default_type application/octet-stream;
            root "\(directory)/\(Self.documentRoot)";
            keepalive_requests 1000000000;
            keepalive_timeout 600s;
            client_max_body_size 0;
            sendfile on;
            absolute_redirect off;
            \(ciphers)
            ssl_certificate "\(identity.certificate.url.path)";
            ssl_certificate_key "\(identity.keyURL.path)";
            ssl_protocols \(tlsVersions.map(\.rawValue).sorted().joined(separator: " "));
        \(server(Self.listen(ports[0]) + "listen \"unix:\(directory)/\(Self.socketName)\";"))
        \(server(Self.listen(ports[1], "ssl")))
        \(server(Self.listen(ports[2], "ssl http2")))
        \(server(Self.listen(ports[3], "ssl") + clientCertificates))
        \(server(Self.listen(ports[4], "http2")))
        }

        """
    }

    /// Debian's OpenSSL refuses TLS 1.1 unless told not to be strict.
    private var ciphers: String {
        isStrict && !tlsVersions.contains(.v1_1) ? "" : "ssl_ciphers DEFAULT:@SECLEVEL=0;"
    }

    private var clientCertificates: String {
        "ssl_client_certificate \"\(clientAuthority.url.path)\"; ssl_verify_client on;"
    }

    private static func listen(_ port: UInt16, _ parameters: String = "") -> String {
        let addresses = LoopbackSocket.hasIPv6 ? ["127.0.0.1", "[::1]"] : ["127.0.0.1"]
        return addresses.map { "listen \($0):\(port) \(parameters); " }.joined()
    }

    private func server(_ lines: String) -> String {
        """
        server {
            server_name localhost;
            \(lines)
            location /upload/ { dav_methods PUT; create_full_put_path on; }
            location = /echo { default_type text/plain; return 200 "\(Self.echo)"; }
        }
        """
    }

    /// What tests ask for, by nginx's variables.
    private static let echo = [
        ("via", "http_via"), ("method", "request_method"), ("protocol", "server_protocol"), ("scheme", "scheme"),
        ("tls-version", "ssl_protocol"), ("tls-session-reused", "ssl_session_reused"),
        ("client-verification", "ssl_client_verify"), ("client-subject", "ssl_client_s_dn"),
        ("client-address", "remote_addr"),
    ].map { "\($0): $\($1)\\n" }.joined()
}
