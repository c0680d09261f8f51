import Networking

/// `swift run quickstart`: a tour of the call styles against a server in this process. With a URL, it is a command that sends one
/// request, with the options and exit statuses of curl.
@main
struct Quickstart {
    static func main() async {
        // A closed pipe is an error of `write`, and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let work = Task { await run(words) }
        // The tour ends as any program does.
        let interrupts = words.isEmpty ? nil : interrupts(cancelling: work)
        let code = await work.value
        interrupts?.cancel()
        exit(code)
    }

    private static func run(_ words: [String]) async -> Int32 {
        do {
            if words.isEmpty {
                try await Tour().run()
            } else if !words.contains(where: { ["--help", "-h", "help"].contains($0) }) {
                try await Call(Arguments(words)).run()
            } else {
                try Output.standard.write(Arguments.help)
            }
            return 0
        } catch {
            note("quickstart: (\(exitStatus(of: error))) \(explanation(of: error))")
            return exitStatus(of: error)
        }
    }

    /// Ctrl-C. The first cancels the work. The second ends the process at once, and so do 2 s of work that cannot be cancelled, such as
    /// writing to a pipe whose reader has stopped.
    private static func interrupts(cancelling work: Task<Int32, Never>) -> any DispatchSourceSignal {
        #if canImport(Darwin)
            // The source sees the signal before the process would end by it.
            signal(SIGINT, SIG_IGN)
        #endif
        let queue = DispatchQueue(label: "quickstart.interrupts")
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        source.setEventHandler {
            if work.isCancelled { _exit(interrupted) }
            work.cancel()
            queue.asyncAfter(deadline: .now() + 2) { _exit(interrupted) }
        }
        source.resume()
        return source
    }
}
