import Dispatch
import DownloadTool
import Foundation

@main
struct Download {
    static func main() async {
        let arguments: Arguments
        do {
            arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(Arguments.usage)\n".utf8))
            exit(2)
        }
        let (interrupts, sources) = interrupts()
        let screen = Screen(isTerminal: isatty(STDOUT_FILENO) == 1) { FileHandle.standardOutput.write(Data($0.utf8)) }
        let outcome = await DownloadTool(arguments).run(interrupts: interrupts, screen: screen)
        withExtendedLifetime(sources) { exit(outcome.exitStatus) }
    }

    /// An element for each Ctrl-C, and for each polite request to end.
    private static func interrupts() -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            // Otherwise the process would end before the source is told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        return (stream, sources)
    }
}
