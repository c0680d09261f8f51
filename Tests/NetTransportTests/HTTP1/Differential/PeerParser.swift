#if os(Linux)
    import NetCore
    import TestLab
    import Testing

    /// A parser of another project, in a program of Tests/Parsers.
    ///
    /// The program reads for each response: a byte that is 1 if it answers HEAD, the length in four bytes, and the response. It writes its
    /// name and version, and for each response a line: `-` if it is refused, or the status, 1 if the connection may be used again, a full
    /// stop and the body, and a full stop and the trailers (`name:value` and LF, the names in lower case), both in hexadecimal digits.
    enum PeerParser: String, CaseIterable {
        case h11, llhttp
        case netHTTP = "net/http"

        /// The versions that ``KnownDifference/all`` describes, by their beginning.
        var tableVersion: String {
            switch self {
            case .h11: "0.16."
            case .llhttp: "9.3."
            case .netHTTP: "1.19."
            }
        }

        /// The verdicts, or nil for a response that is refused. Cancels the current test if another version is installed than ``tableVersion``.
        func parse(_ responses: [GeneratedResponse]) async throws -> [ParserVerdict?] {
            var input = Data()
            for response in responses {
                input.append(response.isHead ? 1 : 0)
                withUnsafeBytes(of: UInt32(response.bytes.count).bigEndian) { input.append(contentsOf: $0) }
                input.append(contentsOf: response.bytes)
            }
            let folder = try TemporaryDirectory()
            let (program, arguments) = try await command(in: folder)
            let output = try await ProcessRunner.run(program, arguments, input: input, timeLimit: 120).checked().text
            let lines = output.split(separator: "\n")
            guard lines.count == responses.count + 1, let version = lines[0].split(separator: " ").last else {
                throw LabError("\(rawValue) wrote \(lines.count) lines for \(responses.count) responses.")
            }
            guard version.hasPrefix(tableVersion) else {
                let missing = "missing: \(rawValue) \(tableVersion)x (\(version) is installed)"
                #if compiler(>=6.3)
                    try Test.cancel("\(missing)")
                #else
                    throw LabError(missing)
                #endif
            }
            return lines.dropFirst().map { ParserVerdict(line: $0) }
        }

        private func command(in folder: TemporaryDirectory) async throws -> (program: String, arguments: [String]) {
            switch self {
            case .h11: return (try Tool.pythonPackages.path(), [Self.file("h11_parser.py")])
            case .llhttp: return (try Tool.node.path(), ["--no-deprecation", Self.file("llhttp_parser.js")])
            case .netHTTP:
                let program = folder.file("http_parser").path
                // Go compiles its standard library for the first time within half a minute.
                try await ProcessRunner.run(
                    Tool.go.path(), ["build", "-o", program, Self.file("http_parser.go")],
                    environment: ["CGO_ENABLED": "0", "GO111MODULE": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"],
                    timeLimit: 300
                ).checked()
                return (program, [])
            }
        }

        private static func file(_ name: String) -> String {
            let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            return "\(root)/Tests/Parsers/\(name)"
        }
    }
#endif
