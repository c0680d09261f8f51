import BenchKit
import Foundation

/// `bench compare …` runs the comparison, in which each contender is a program of its own. `Benchmarks/run` sets up the
/// server and calls it.
@main
enum Bench {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "ports":
                print(try FreePort.find(), try FreePort.find(), try FreePort.find(), try FreePort.find())
            case "compare":
                let options = try Options(Array(arguments.dropFirst()))
                guard try Comparison(options: options).run() else { exit(1) }
            case "help":
                print("usage: Benchmarks/run [options]\n\n\(Options.help)")
            default:
                throw Failure("call Benchmarks/run, which starts the server that this needs")
            }
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }
}
