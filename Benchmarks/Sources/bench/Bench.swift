import Foundation

/// `bench compare …` runs the comparison; `bench worker ORDER` is what it starts for each contender, so that processor time
/// and memory are the contender's own. `Benchmarks/run` sets up the server and calls it.
@main
enum Bench {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "worker":
                let order = try JSONDecoder().decode(WorkOrder.self, from: Data((arguments.last ?? "").utf8))
                let measurement = try await Worker(order: order).measure()
                print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
            case "ports":
                print(try System.freePort(), try System.freePort())
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

/// What went wrong, in words.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
