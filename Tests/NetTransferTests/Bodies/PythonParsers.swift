import NetCore
import TestLab

/// Parsers of others, which read back what we send: `email` of Python's standard library, and the package `multipart` in strict mode.
enum PythonParsers {
    struct Part: Codable, Hashable, Sendable {
        var name, filename, type: String?
        /// Hexadecimal.
        var content: String
    }

    /// What each of them found, by its name; as `nested` what `email` found in the parts that have parts, with the outer name.
    static func parse(_ body: Data, contentType: String) async throws -> [String: [Part]] {
        let script = try await ProcessRunner.run(
            Tool.pythonPackages.path(), ["-c", program, contentType], input: body, environment: ["PYTHONUTF8": "1"])
        return try JSONDecoder().decode([String: [Part]].self, from: script.checked().output)
    }

    private static let program = """
        import email.parser, email.policy, io, json, re, sys
        import multipart
        kind, body = sys.argv[1], sys.stdin.buffer.read()
        boundary = re.search('boundary="?([^";]+)', kind).group(1)
        def unquoted(part, parameter):
            # As the bytes came: what is not ASCII, Python would show as unknown.
            field = dict(part.raw_items())["Content-Disposition"].encode("ascii", "surrogateescape").decode("utf-8")
            found = re.search('[; ]' + parameter + '="([^"]*)"', field)
            return found and found.group(1)
        message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(
            b"Content-Type: " + kind.encode() + b"\\r\\n\\r\\n" + body)
        def by_email():
            if not message.is_multipart(): return []
            assert not message.defects, message.defects
            assert all(str(part["Content-Disposition"]).startswith("form-data; name=") for part in message.get_payload())
            return [{
                "name": unquoted(part, "name"), "filename": unquoted(part, "filename"),
                "type": part["Content-Type"], "content": part.get_payload(decode=True).hex(),
            } for part in message.get_payload() if not part.is_multipart()]
        def nested():
            return [{
                "name": unquoted(outer, "name"), "filename": unquoted(part, "filename") if part["Content-Disposition"] else None,
                "type": part["Content-Type"], "content": part.get_payload(decode=True).hex(),
            } for outer in message.get_payload() if outer.is_multipart() for part in outer.get_payload()]
        def by_multipart():
            parser = multipart.MultipartParser(
                io.BytesIO(body), boundary, content_length=len(body), strict=True, part_limit=1000, memory_limit=1 << 30)
            return [{
                "name": part.name, "filename": part.filename,
                "type": part.headers.get("Content-Type"), "content": part.raw.hex(),
            } for part in parser]
        json.dump({"email": by_email(), "multipart": by_multipart(), "nested": nested()}, sys.stdout)
        """
}
