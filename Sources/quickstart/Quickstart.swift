import Networking

/// `swift run quickstart`: a tour of the call styles against a server in this process. `get`, `post` and `download` are a
/// command to keep, with the options and exit statuses of curl where they mean the same.
@main
struct Quickstart {
    static func main() async {
        // A closed pipe is an error of `write`, and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let work = Task { await run(words) }
        // The tour ends as any program does.
        let interrupts = words.isEmpty ? nil : Interrupts(cancelling: work)
        let code = await work.value
        interrupts?.stop()
        exit(code.rawValue)
    }

    private static func run(_ words: [String]) async -> ExitCode {
        do {
            try await command(words[...])
            return .success
        } catch {
            let code = ExitCode(error)
            note("quickstart: (\(code.rawValue)) \(explanation(of: error))")
            return code
        }
    }

    private static func command(_ words: ArraySlice<String>) async throws {
        switch words.first {
        case nil: try await Tour().run()
        case "--help", "-h": try Output.standard.write(Help.overview)
        case "help":
            let text = try words.dropFirst().first.map { try Help.text(of: verb($0)) }
            try Output.standard.write(text ?? Help.overview)
        case let name?:
            let arguments = try Arguments(verb(name), words.dropFirst())
            if arguments.has(.help) { return try Output.standard.write(Help.text(of: arguments.verb)) }
            try await Session(arguments).run()
        }
    }

    private static func verb(_ name: String) throws -> Verb {
        guard let verb = Verb(rawValue: name) else {
            throw CommandError.unknown("command", name, nearest: Verb.allCases.map(\.rawValue) + ["help"])
        }
        return verb
    }
}

/// Ctrl-C. The first cancels the work. The second ends the process at once, and so do 2 s of work that cannot be cancelled, such as
/// writing to a pipe whose reader has stopped.
struct Interrupts {
    private let source: any DispatchSourceSignal

    init(cancelling work: Task<ExitCode, Never>) {
        #if canImport(Darwin)
            // The source sees the signal before the process would end by it.
            signal(SIGINT, SIG_IGN)
        #endif
        let queue = DispatchQueue(label: "quickstart.interrupts")
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        source.setEventHandler {
            if work.isCancelled { _exit(ExitCode.interrupted.rawValue) }
            work.cancel()
            queue.asyncAfter(deadline: .now() + 2) { _exit(ExitCode.interrupted.rawValue) }
        }
        source.resume()
    }

    func stop() { source.cancel() }
}
