/// A server of streams, with a thread for each connection. It counts the bytes that it could send.
enum StreamServer {
    static func start() async throws -> PythonServer { try await PythonServer(program) }

    /// `/events` gives two events for each connection, numbered on from `Last-Event-ID`, in pieces that cut CRLF and UTF-8, and 204 behind
    /// the sixth. `/lines` gives 400 MB of lines of 64 bytes. `/state` tells how many bytes of these it could send.
    private static let program = #"""
        import http.server, json, socket, threading, time
        state = {"sent": 0}
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def head(self, status, type, *fields):
                self.send_response(status)
                self.send_header("Content-Type", type)
                for name, value in fields: self.send_header(name, value)
                self.end_headers()
            def do_GET(self):
                if self.path == "/events": self.events()
                elif self.path == "/lines": self.lines()
                else:
                    body = json.dumps(state).encode()
                    self.head(200, "application/json", ("Content-Length", str(len(body))))
                    self.wfile.write(body)
            def events(self):
                last = int(self.headers.get("Last-Event-ID", "0"))
                if last >= 6:
                    self.send_response(204)
                    self.end_headers()
                    return
                assert self.headers["Accept"] == "text/event-stream"
                self.head(200, "text/event-stream;charset=UTF-8", ("Transfer-Encoding", "chunked"))
                text = "\ufeff: hello\r\nretry: 10\r\n\r\n"
                for number in (last + 1, last + 2):
                    text += f"event: tick\r\nid: {number}\r\ndata: é{number}\r\ndata: 😀\r\n\r\n"
                for byte in text.encode():
                    self.wfile.write(b"1\r\n" + bytes([byte]) + b"\r\n")
                self.wfile.write(b"0\r\n\r\n")
            def lines(self):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                count = 400 << 20
                self.head(200, "text/plain", ("Content-Length", str(count)))
                block = (b"x" * 63 + b"\n") * 1024
                try:
                    for _ in range(count // len(block)):
                        self.wfile.write(block)
                        state["sent"] += len(block)
                except OSError: pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1])
        server.serve_forever()
        """#
}
