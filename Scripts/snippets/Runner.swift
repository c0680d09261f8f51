// Runs the snippet whose number it is given, in a process of its own: see Scripts/check-snippets.
import NetTesting
import Networking

@main struct Runner {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let number = Int(arguments[1]), let snippet = snippets[number] else {
            fail("there is no such snippet")
        }
        if arguments.last == "endless" {
            Task {
                try await Task.sleep(nanoseconds: 1_000_000_000)
                finish()
            }
        }
        do {
            try await snippet()
            // Handlers of completions, and what they start.
            try await Task.sleep(nanoseconds: 50_000_000)
        } catch {
            fail("it threw: \(error)")
        }
        finish()
    }

    static func finish() -> Never {
        if let request = snippetServer.unexpected.first {
            fail("the server has no \(request)")
        }
        exit(0)
    }
}
