import NetTransfer
import TestLab
import Testing

/// A server in a process of its own, which keeps uploads in files and a log of the requests: `tuspyserver` on uvicorn, or a model of the
/// IETF's draft, written from its text.
///
/// It can be told to stop reading at some byte, so that there is time to be killed in.
final class UploadServer: Sendable {
    struct Line: Hashable {
        let method, path: String
        /// `Upload-Offset` of the request.
        let offset: Int64?
    }

    let url: URL
    private let directory: TemporaryDirectory
    private let process: BackgroundProcess

    init(_ kind: ResumableUpload.WireProtocol) async throws {
        directory = try TemporaryDirectory()
        let program = directory.file("server.py")
        try Data((kind == .tus ? PythonPrograms.tus : PythonPrograms.ietf).utf8).write(to: program)
        let process = try BackgroundProcess(Tool.pythonPackages.path(), ["-u", program.path, directory.url.path])
        let port = try await waitUntil("the server listens") { () -> Int? in
            if let termination = process.termination { throw LabError("\(termination): \(process.output)") }
            let words = process.output.split(whereSeparator: \.isWhitespace)
            return words.firstIndex(of: "listening").flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil }
        }
        self.process = process
        url = try #require(URL(string: "http://127.0.0.1:\(port)/files"))
    }

    var log: [Line] {
        lines.compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.count == 3 ? Line(method: words[0], path: words[1], offset: Int64(words[2])) : nil
        }
    }

    private var gate: URL { directory.file("gate") }

    /// Reads no more of an upload of which it has so many bytes.
    func hold(at count: Int64) throws { try Data("\(count)".utf8).write(to: gate, options: .atomic) }

    /// Goes on, and waits until it has come to the end of all requests. tuspyserver (4.4.3) tells an old offset while it still reads a
    /// request whose client is gone, and then stands still for half a minute when the next one comes.
    func release() async throws {
        try FileManager.default.removeItem(at: gate)
        try await waitUntil("the server has seen the end of all requests") {
            let lines = lines
            return lines.count { $0 == "END" } * 2 == lines.count ? () : nil
        }
    }

    private var lines: [Substring] {
        let data = FileManager.default.contents(atPath: directory.file("log").path) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    func file(of upload: URL) -> URL { directory.file("store").appendingPathComponent(upload.lastPathComponent) }

    func stored(_ upload: URL) -> Int64 {
        var status = stat()
        return stat(file(of: upload).path, &status) == 0 ? Int64(status.st_size) : 0
    }
}

private enum PythonPrograms {
    /// What both have: a log, a port, and a file that says how many bytes of an upload they take before they wait.
    private static let shared = """
        import os, socket, sys
        folder = sys.argv[1]
        os.makedirs(folder + "/store")
        log = open(folder + "/log", "a", buffering=1)
        listener = socket.socket()
        # Little on its way: what a killed client had sent goes on to arrive.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        listener.bind(("127.0.0.1", 0))
        def held(name):
            try:
                with open(folder + "/gate") as file: gate = int(file.read())
                return os.path.getsize(folder + "/store/" + name) >= gate
            except FileNotFoundError:
                return False

        """

    /// tuspyserver, behind a middleware that writes the log and respects the gate.
    static let tus =
        shared + """
            import asyncio, uvicorn
            from fastapi import FastAPI
            from tuspyserver import create_tus_router
            app = FastAPI()
            app.include_router(create_tus_router(prefix="files", files_dir=folder + "/store", max_size=1 << 30))
            async def journal(scope, receive, send):
                if scope["type"] == "http":
                    fields = dict(scope["headers"])
                    log.write(f'{scope["method"]} {scope["path"]} {fields.get(b"upload-offset", b"-").decode()}\\n')
                async def gated():
                    name = scope["path"].rsplit("/", 1)[-1]
                    while scope["method"] == "PATCH" and held(name): await asyncio.sleep(0.005)
                    return await receive()
                try:
                    await app(scope, gated, send)
                finally:
                    log.write("END\\n")
            listener.listen(64)
            print("listening", listener.getsockname()[1], flush=True)
            server = uvicorn.Server(uvicorn.Config(journal, log_level="warning", lifespan="off"))
            server.run(sockets=[listener])
            """

    /// draft-ietf-httpbis-resumable-upload-12: creation, offset retrieval, appending, cancellation, 104, limits, and an end to requests that
    /// are still going on when another one comes for the same upload.
    static let ietf =
        shared + """
            import asyncio, hashlib, json, uuid
            uploads = {}
            class Upload:
                def __init__(self, length):
                    self.name = uuid.uuid4().hex
                    self.path = folder + "/store/" + self.name
                    self.length, self.complete, self.writer = length, False, None
                    open(self.path, "wb").close()
                @property
                def offset(self): return os.path.getsize(self.path)
            def integer(text): return int(text) if text is not None and text.isdigit() else None
            async def answer(writer, status, fields=None, body=b"", head=False):
                lines = [f"HTTP/1.1 {status} Whatever"] + [f"{k}: {v}" for k, v in (fields or {}).items()]
                if status >= 200 and status != 204 and not head: lines.append(f"Content-Length: {len(body)}")
                writer.write("\\r\\n".join(lines).encode() + b"\\r\\n\\r\\n" + (b"" if head else body))
                await writer.drain()
            async def append(reader, writer, upload, length, knows):
                # A request that is still here is from a lost connection.
                if upload.writer not in (None, writer): upload.writer.transport.abort()
                upload.writer = writer
                told = 0
                with open(upload.path, "ab", buffering=0) as file:
                    while length > 0:
                        data = await reader.read(min(65536, length))
                        if not data or upload.writer is not writer: raise ConnectionResetError
                        file.write(data)
                        length -= len(data)
                        if knows and upload.offset - told >= 1 << 20:
                            told = upload.offset
                            await answer(writer, 104, {"Upload-Draft-Interop-Version": 8, "Upload-Offset": told})
                        while held(upload.name): await asyncio.sleep(0.005)
                upload.writer = None
            async def result(writer, upload):
                upload.complete = True
                with open(upload.path, "rb") as file: digest = hashlib.sha256(file.read()).hexdigest()
                body = json.dumps({"sha256": digest}).encode()
                await answer(writer, 200, {"Upload-Complete": "?1", "Content-Type": "application/json"}, body)
            async def handle(reader, writer, method, path, fields):
                length = int(fields.get("content-length", 0))
                knows = fields.get("upload-draft-interop-version") == "8"
                complete = {"?1": True, "?0": False}.get(fields.get("upload-complete"))
                if fields.get("expect") == "100-continue": await answer(writer, 100)
                if path == "/files" and method == "POST" and complete is not None:
                    upload = Upload(integer(fields.get("upload-length")))
                    uploads[upload.name] = upload
                    place = {"Location": "/uploads/" + upload.name, "Upload-Limit": "max-size=1073741824, max-age=3600"}
                    if knows: await answer(writer, 104, {**place, "Upload-Draft-Interop-Version": 8})
                    await append(reader, writer, upload, length, knows)
                    if complete: return await result(writer, upload)
                    return await answer(writer, 201, place)
                upload = uploads.get(path.rsplit("/", 1)[-1])
                if upload is None: return await answer(writer, 404, head=method == "HEAD")
                if method == "HEAD":
                    if upload.writer is not None:
                        upload.writer.transport.abort()
                        upload.writer = None
                    return await answer(writer, 204, {
                        "Upload-Offset": upload.offset, "Upload-Complete": "?1" if upload.complete else "?0",
                        "Upload-Length": upload.length, "Upload-Limit": "max-age=3600", "Cache-Control": "no-store"})
                if method == "DELETE":
                    del uploads[upload.name]
                    return await answer(writer, 204)
                if method != "PATCH" or complete is None: return await answer(writer, 400)
                if fields.get("content-type") != "application/partial-upload": return await answer(writer, 415)
                if upload.complete or upload.offset + length > upload.length: return await answer(writer, 400)
                if integer(fields.get("upload-offset")) != upload.offset:
                    await reader.readexactly(length)
                    return await answer(writer, 409, {"Upload-Offset": upload.offset})
                await append(reader, writer, upload, length, knows)
                if complete: return await result(writer, upload)
                await answer(writer, 204, {"Upload-Complete": "?0"})
            async def serve(reader, writer):
                try:
                    while True:
                        lines = (await reader.readuntil(b"\\r\\n\\r\\n")).decode().split("\\r\\n")
                        method, path, _ = lines[0].split(" ")
                        fields = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:] if line)}
                        log.write(f'{method} {path} {fields.get("upload-offset", "-")}\\n')
                        try:
                            await handle(reader, writer, method, path, fields)
                        finally:
                            log.write("END\\n")
                except (ConnectionError, asyncio.IncompleteReadError):
                    pass
                finally:
                    writer.close()
            async def main():
                server = await asyncio.start_server(serve, sock=listener)
                print("listening", server.sockets[0].getsockname()[1], flush=True)
                await server.serve_forever()
            asyncio.run(main())
            """
}
