import BenchKit
import Foundation

/// An nginx with one worker and one large file, in a temporary folder that goes with it. What lies in `files` under `coded/NAME` is sent
/// with that `Content-Encoding`.
struct FileServer {
    let folder: URL
    let address: String
    private let process = Process()

    init(size: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-download-\(getpid())")
        let files = folder.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let file = files.appendingPathComponent("large").path
        guard FileManager.default.createFile(atPath: file, contents: nil), truncate(file, off_t(size)) == 0 else {
            throw Failure("truncate: \(String(cString: strerror(errno)))")
        }
        let port = try FreePort.find()
        address = "http://127.0.0.1:\(port)/large"
        let configuration = """
            \(getuid() == 0 ? "user root;" : "")
            daemon off; master_process off; pid nginx.pid; error_log error.log;
            events { worker_connections 64; }
            http {
                access_log off; sendfile on; default_type application/octet-stream;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                server {
                    listen 127.0.0.1:\(port); root files;
                    location ~ ^/coded/([a-z]+)$ { add_header Content-Encoding $1; }
                }
            }
            """
        let path = folder.appendingPathComponent("nginx.conf").path
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["PATH=/usr/sbin:/usr/bin:/bin", "nginx", "-p", folder.path, "-e", "error.log", "-c", path]
        try process.run()
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: folder.appendingPathComponent("nginx.pid").path)
        {
            guard process.isRunning else {
                throw Failure("nginx did not start; Scripts/install-test-tools installs it")
            }
            usleep(10_000)
        }
    }

    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
