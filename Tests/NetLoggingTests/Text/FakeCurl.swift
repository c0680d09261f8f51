import NetCore
import TestLab
import Testing

/// Runs shell commands with a `curl` of ours, which keeps its arguments and its standard input.
struct FakeCurl {
    struct Call: Equatable {
        var arguments: [String]
        /// What was read from standard input, if the arguments asked for it.
        var input: Data?
        /// The values of an option that takes one.
        func values(of option: String) -> [String] {
            arguments.indices.filter { arguments[$0] == option && $0 + 1 < arguments.count }.map { arguments[$0 + 1] }
        }
    }

    /// The shells to try: what `/bin/sh` is differs, and people paste into bash.
    static let shells = ["/bin/sh", "/bin/bash"].filter { FileManager.default.isExecutableFile(atPath: $0) }

    /// A function and no file: a file that was just written cannot be run while some other test is forking.
    private static let definition = """
        curl() {
            for argument in "$@"; do printf '%s\\0' "$argument"; done > "$CURL_CALL.arguments"
            case " $* " in *" @- "*) cat > "$CURL_CALL.input" ;; esac
        }

        """

    /// Runs the commands in one shell, and gives what curl was called with by each.
    static func run(_ commands: [String], shell: String = "/bin/sh") async throws -> [Call] {
        let folder = try TemporaryDirectory()
        var lines = definition
        for (number, command) in commands.enumerated() {
            lines += "CURL_CALL='\(folder.url.path)/\(number)'\n\(command)\n"
        }
        let file = folder.file("commands.sh")
        try Data(lines.utf8).write(to: file)
        // Not by Foundation's `Process`, which on Linux crashes now and then when several start at the same time.
        let inFolder = ["-c", "cd \"$0\" && exec \"$@\"", folder.url.path, shell, file.path]
        #expect(try await ProcessRunner.run("/bin/sh", inFolder).termination == .exited(0))
        return try commands.indices.map { number in
            let arguments = try Data(contentsOf: folder.file("\(number).arguments"))
            let input = folder.file("\(number).input")
            return Call(
                arguments: arguments.split(separator: 0, omittingEmptySubsequences: false).dropLast()
                    .map { String(decoding: $0, as: UTF8.self) },
                input: FileManager.default.fileExists(atPath: input.path) ? try Data(contentsOf: input) : nil)
        }
    }
}
