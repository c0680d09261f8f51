import NetCore
import TestLab
import Testing

/// A real server: the package `websockets` of PyPI, on a loopback port that the system chose. Its paths say what it does; it writes a
/// line for each thing that happens.
final class PythonWebSocketServer: Sendable {
    let port: UInt16
    private let isSecure: Bool
    private let process: BackgroundProcess

    /// - Parameters:
    ///   - identity: to speak TLS with; nil for none.
    ///   - clientAuthority: the issuer that the client's certificate needs, or nil to request none.
    init(identity: TestIdentity? = nil, clientAuthority: TestCertificate? = nil, port: UInt16 = 0) async throws {
        var arguments = ["-u", "-c", Self.program, String(port)]
        if let identity { arguments += [identity.certificate.url.path, identity.keyURL.path] }
        if let clientAuthority { arguments.append(clientAuthority.url.path) }
        let process = try BackgroundProcess(Tool.pythonPackages.path(), arguments)
        self.process = process
        self.port = try await waitUntil("the server listens") {
            if let termination = process.termination { throw LabError("It ended (\(termination)): \(process.output)") }
            let line = process.output.split(separator: "\n").first { $0.hasPrefix("port ") }
            return line.flatMap { UInt16($0.dropFirst(5)) }
        }
        isSecure = identity != nil
    }

    func url(_ path: String) throws -> URL {
        try #require(URL(string: "\(isSecure ? "wss" : "ws")://localhost:\(port)/\(path)"))
    }

    func stop() { process.stop(within: 0) }
    var log: [String] { process.output.split(separator: "\n").map(String.init) }
    var requests: [String] { log.filter { $0.hasPrefix("request ") }.map { String($0.dropFirst(8)) } }

    /// Waits for a line that begins so.
    @discardableResult func wait(for prefix: String, count: Int = 1) async throws -> String {
        try await waitUntil("the server says '\(prefix)'") {
            let found = log.filter { $0.hasPrefix(prefix) }
            return found.count >= count ? found.last : nil
        }
    }

    private static let program = #"""
        import asyncio, http, itertools, json, ssl, sys
        from urllib.parse import parse_qs, urlsplit
        from websockets.asyncio.server import serve
        from websockets.exceptions import ConnectionClosed
        from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
        def say(*words): print(*words, flush=True)
        async def echo(socket, query):
            async for message in socket: await socket.send(message)
        async def parts(items):
            for item in items: yield item
        async def split(socket, query):
            # Echoes in so many fragments.
            number = int(query["fragments"][0])
            async for message in socket:
                size = max(1, -(-len(message) // number))
                pieces = [message[start:start + size] for start in range(0, len(message), size)] or [message]
                await socket.send(parts(pieces))
        async def count(socket, query):
            # Says what it got, so that a test sees it as the server did.
            total = 0
            async for message in socket:
                total += 1
                say("message", type(message).__name__, len(message))
            say("count", total)
        async def close(socket, query):
            await socket.close(int(query.get("code", ["1000"])[0]), query.get("reason", [""])[0])
        async def fragments(socket, query):
            await socket.send(parts(["Hel", "lo, ", "", "w\u00f6rld"]))
            await socket.send(parts([b"\x00" * 70000, b"\x01" * 3]))
        async def flood(socket, query):
            size, number = int(query["size"][0]), int(query["number"][0])
            for index in range(number):
                await socket.send(b"%08d" % index + b"x" * (size - 8))
                if index % 4 == 3: say("sent", index + 1)
        async def ping(socket, query):
            for payload in [b"", b"x" * 125]:
                await (await socket.ping(payload))
                say("pong", len(payload))
            await socket.send("ponged")
        async def raw(socket, query):
            # Bytes as they are, past the library.
            socket.transport.write(bytes.fromhex(query["hex"][0]))
        async def drop(socket, query):
            await socket.recv()
            await socket.send("last")
            socket.transport.abort()
        async def deaf(socket, query):
            # Answers nothing any more: neither pings nor Close.
            await socket.send("deaf")
            socket.transport.pause_reading()
            await asyncio.sleep(3600)
        async def feed(socket, query):
            # Wants to be told a topic, sends two messages of it, and goes as the query says; the last time it stays.
            topic = await socket.recv()
            say("topic", topic)
            visit = next(visits)
            for index in range(2): await socket.send(f"{topic} {visit}.{index}")
            if visit >= int(query.get("stays", ["1000"])[0]): await echo(socket, query)
            elif "code" in query: await socket.close(int(query["code"][0]))
            else: socket.transport.close()
        visits, tries = itertools.count(1), itertools.count(1)
        going = asyncio.Event()
        async def stall(socket, query):
            # Does not read until a client opens /go.
            socket.transport.pause_reading()
            say("stalled")
            await going.wait()
            socket.transport.resume_reading()
            await count(socket, query)
        async def go(socket, query): going.set()
        async def headers(socket, query):
            fields = [[name.lower(), value] for name, value in socket.request.headers.raw_items()]
            await socket.send(json.dumps({"path": socket.request.path, "fields": fields}))
        class Deflate(ServerPerMessageDeflateFactory):
            # By the query of the last request; says how long each compressed message of the client begins.
            settings = {}
            def process_request_params(self, params, accepted):
                answer, extension = ServerPerMessageDeflateFactory(**self.settings).process_request_params(params, accepted)
                decode = extension.decode
                def spy(frame, **arguments):
                    if frame.rsv1: say("compressed", len(frame.data))
                    return decode(frame, **arguments)
                extension.decode = spy
                return answer, extension
        async def handle(socket):
            parts = urlsplit(socket.request.path)
            name = parts.path[1:]
            try: await globals()[name](socket, parse_qs(parts.query))
            except ConnectionClosed: pass
            await socket.wait_closed()
            say("end", name, socket.close_code, socket.close_reason)
        def process(connection, request):
            parts = urlsplit(request.path)
            say("request", parts.path)
            query = parse_qs(parts.query)
            names = ["server_no_context_takeover", "client_no_context_takeover", "server_max_window_bits", "client_max_window_bits"]
            Deflate.settings = {name: json.loads(query[name][0]) for name in names if name in query}
            if parts.path == "/status":
                response = connection.respond(http.HTTPStatus(int(query["code"][0])), "no\n")
                if "location" in query: response.headers["Location"] = query["location"][0]
                return response
            if "token" in query and request.headers.get("Authorization") != "Bearer " + query["token"][0]:
                return connection.respond(http.HTTPStatus.UNAUTHORIZED, "who?\n")
            if "busy" in query and next(tries) <= int(query["busy"][0]):
                return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "busy\n")
        def answer(connection, request, response):
            query = parse_qs(urlsplit(request.path).query)
            for name in query.get("drop-field", []):
                if name in response.headers: del response.headers[name]
            for field in query.get("field", []):
                name, value = field.split(":", 1)
                response.headers[name] = value
        async def main():
            context = None
            if len(sys.argv) > 2:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[2], sys.argv[3])
                if len(sys.argv) > 4:
                    context.verify_mode = ssl.CERT_REQUIRED
                    context.load_verify_locations(sys.argv[4])
                context.set_alpn_protocols(["h2", "http/1.1"])
            async with serve(
                handle, "127.0.0.1", int(sys.argv[1]), ssl=context, process_request=process, process_response=answer,
                subprotocols=["chat.v2", "chat.v1"], max_size=1 << 28, ping_interval=None, open_timeout=None,
                close_timeout=60, extensions=[Deflate()],
                select_subprotocol=lambda connection, offered: next((one for one in ["chat.v2", "chat.v1"] if one in offered), None),
            ) as server:
                say("port", server.sockets[0].getsockname()[1])
                await asyncio.Future()
        asyncio.run(main())
        """#
}
