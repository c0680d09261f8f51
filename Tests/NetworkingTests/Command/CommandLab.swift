import NetTesting
import Networking
import TestLab
import Testing

/// Runs the built command against a server. Its records and caches are in a folder of the test.
struct CommandLab {
    let server: MockServer
    let directory: TemporaryDirectory
    let program: String

    init(certificate: MockCertificate? = nil) throws {
        server = try MockServer(certificate: certificate)
        directory = try TemporaryDirectory()
        program = try Executable.beside("quickstart")
    }

    /// Texts in English, no proxy, and a home of its own.
    var environment: [String: String] {
        let home = directory.file("home").path
        return [
            "HOME": home, "XDG_DATA_HOME": "\(home)/data", "XDG_CACHE_HOME": "\(home)/cache", "LANGUAGE": "en",
            "LC_ALL": "C", "no_proxy": "*", "NO_PROXY": "*",
        ]
    }

    func path(_ name: String) -> String { directory.file(name).path }
    func contents(_ name: String) throws -> Data { try Data(contentsOf: directory.file(name)) }
    func url(_ path: String) -> String { server.url(path).absoluteString }

    func run(_ arguments: [String], input: Data = Data()) async throws -> ProcessResult {
        try await ProcessRunner.run(program, arguments, input: input, environment: environment)
    }

    func run(_ arguments: String...) async throws -> ProcessResult { try await run(arguments) }

    /// Runs a script of the shell, in the test's folder. `$0` is the command.
    func shell(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        let words = ["-c", "cd '\(directory.url.path)' || exit 99\n\(script)", program] + arguments
        return try await ProcessRunner.run("/bin/sh", words, environment: environment)
    }

    func start(_ arguments: String...) throws -> BackgroundProcess {
        try BackgroundProcess(program, arguments, environment: environment)
    }

    /// The names in the test's folder, without its home.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { $0 != "home" }.sorted()
        }
    }
}

extension BackgroundProcess {
    func end(within limit: TimeInterval = 60) async throws -> Termination {
        try await waitUntil("the command has ended: \(output)", within: limit) { termination }
    }
}
