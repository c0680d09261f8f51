import NetClient

/// Ends amid HTTPS requests, for the tests of what happens then.
///
///     exit-worker URL AUTHORITY exit     calls exit(42) a few milliseconds after the first responses
///     exit-worker URL AUTHORITY handler  calls exit(43) in a handler of SIGTERM
///     exit-worker URL AUTHORITY wait     has no handler
///
/// The program leaves text in the buffer of standard output, and has an exit handler, which writes "handler".
@main
enum ExitWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments[1...])
        guard arguments.count == 3, let url = URL(string: arguments[0]) else { fatalError("see ExitWorker.swift") }
        // Before the first request, so that it runs after the exit handlers of libraries.
        atexit { ExitWorker.say("handler") }
        if arguments[2] == "handler" { signal(SIGTERM) { _ in exit(43) } }

        var configuration = NetworkClient.Configuration()
        configuration.transportConfiguration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: arguments[1]))
        let responses = Responses()
        for number in 0..<8 {
            let client = NetworkClient(configuration: configuration)
            // The server closes the connections of every other client, so that there are always handshakes.
            let request = URLRequest(url: url.appendingPathComponent(number.isMultiple(of: 2) ? "kept" : "closed"))
            Task.detached {
                while true {
                    _ = try await client.data(for: request)
                    await responses.count()
                }
            }
        }
        await responses.reach(16)
        // A file has a buffer, which `exit` writes.
        print("buffered")
        say("ready")
        if arguments[2] == "exit" {
            usleep(.random(in: 0...20_000))
            exit(42)
        }
        while true { sleep(60) }
    }

    /// One line on standard output, without a buffer.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

private actor Responses {
    private var number = 0
    private var waiter: (number: Int, continuation: CheckedContinuation<Void, Never>)?

    func count() {
        number += 1
        guard let waiter, number >= waiter.number else { return }
        self.waiter = nil
        waiter.continuation.resume()
    }

    func reach(_ wanted: Int) async {
        guard number < wanted else { return }
        await withCheckedContinuation { waiter = (wanted, $0) }
    }
}
