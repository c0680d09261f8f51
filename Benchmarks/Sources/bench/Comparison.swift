import BenchKit
import Foundation

/// Runs the contenders by turns (A B C D A B C D …), so that what the machine does meanwhile hits all of them alike.
final class Comparison {
    private let options: Options
    private var failures: [Incident] = []

    private struct Incident {
        var contender: Contender
        var text: String

        var line: String { "FAILED: \(contender.title): \(text)" }
    }

    init(options: Options) {
        self.options = options
    }

    /// Prints the tables. False if the SDK failed anywhere; where a peer did, that is part of the result.
    func run() throws -> Bool {
        var tables: [Table] = []
        let requests = requestTable()
        if !requests.rows.isEmpty { tables.append(requests) }
        if options.withDownload, options.only.map({ Download.title.contains($0) }) ?? true {
            tables.append(downloadTable())
        }
        let machine = try Machine.description(notes: options.notes)
        print(machine.joined(separator: "\n"))
        for table in tables { print("\n\(table.title)\n\n\(table.text)") }
        if let file = options.markdown {
            let text = tables.map { "### \($0.title)\n\n\($0.markdown)\n" }.joined(separator: "\n")
            let head = (machine + failures.map(\.line)).map { "- \($0)" }.joined(separator: "\n")
            try "\(head)\n\n\(text)".write(toFile: file, atomically: true, encoding: .utf8)
        }
        if !options.urlSessionTrustsAuthority {
            print("URLSession is left out on https: only root can make it trust the server here.")
        }
        for failure in failures { print(failure.line) }
        return !failures.contains { $0.contender == .sdk }
    }

    private func requestTable() -> Table {
        let contenders = options.contenders.filter { $0 != .curl }
        var table = Table(
            title: "Requests/s / client CPU µs per request / peak memory MB "
                + "(medians of \(options.rounds) interleaved rounds of \(options.seconds) s)",
            header: ["body x tasks"] + contenders.map(\.title) + ["req/s vs AHC", "CPU vs AHC"])
        for workload in Workload.all(options: options) {
            let able = contenders.filter {
                $0 != .urlSession || workload.scheme == "http" || options.urlSessionTrustsAuthority
            }
            let results = rounds(of: workload.title, able) { [options] contender in
                var order = WorkOrder(
                    url: try parse(workload.url), authority: options.authority, expectedLength: workload.size)
                order.tasks = workload.tasks
                order.warmUp = options.warmUp
                order.seconds = contender == .urlSession ? options.seconds / 2 : options.seconds
                return try ChildProcess.work(contender, order)
            }
            let cells = contenders.map { contender in
                results[contender].map { rounds in
                    let rounds = rounds.values
                    return [
                        Format.count(rounds.map(\.requestsPerSecond).median),
                        Format.number(rounds.map(\.cpuMicrosecondsPerRequest).median),
                        Format.megabytes(rounds.map(\.peakBytes).max() ?? 0),
                    ].joined(separator: " / ")
                } ?? (able.contains(contender) ? "failed" : "left out")
            }
            table.rows.append(
                [workload.title] + cells + [
                    ratio(results, .asyncHTTPClient, \.requestsPerSecond),
                    ratio(results, .asyncHTTPClient, \.cpuMicrosecondsPerRequest),
                ])
        }
        return table
    }

    private func downloadTable() -> Table {
        var table = Table(
            title: "\(Download.title) (medians of \(options.rounds) interleaved rounds)",
            header: ["client", "MB/s", "CPU ms", "peak memory MB", "MB/s of NetworkClient vs it"])
        let file = options.directory + "/download"
        let results = rounds(of: Download.title, options.contenders) { [options] contender in
            defer { try? FileManager.default.removeItem(atPath: file) }
            let url = try parse("\(options.http)/\(Download.size)")
            var order = WorkOrder(url: url, authority: options.authority, expectedLength: Download.size)
            order.output = file
            let measurement = try ChildProcess.work(contender, order)
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            guard size == Download.size else { throw Failure("a file of \(size ?? 0) bytes, not \(Download.size)") }
            return measurement
        }
        for contender in options.contenders {
            guard let rounds = results[contender]?.values else {
                table.rows.append([contender.title, "failed", "", "", ""])
                continue
            }
            table.rows.append([
                contender.title,
                Format.number(Double(Download.size) / 1e6 / rounds.map(\.seconds).median),
                Format.number(rounds.map(\.cpuSeconds).median * 1000),
                Format.megabytes(rounds.map(\.peakBytes).max() ?? 0),
                contender == .sdk ? "" : ratio(results, contender) { 1 / $0.seconds },
            ])
        }
        return table
    }

    /// Measures every contender once a round. One that fails twice is left out from then on.
    private func rounds(
        of title: String, _ contenders: [Contender], measure: (Contender) throws -> Score
    ) -> [Contender: [Int: Score]] {
        var results: [Contender: [Int: Score]] = [:]
        var failed: [Contender: Int] = [:]
        for round in 1...options.rounds {
            FileHandle.standardError.write(Data("\(title): round \(round) of \(options.rounds)\n".utf8))
            for contender in contenders where failed[contender, default: 0] < 2 {
                do {
                    results[contender, default: [:]][round] = try measure(contender)
                } catch {
                    failed[contender, default: 0] += 1
                    failures.append(Incident(contender: contender, text: "\(title), round \(round): \(error)"))
                }
            }
        }
        return results
    }

    /// How the SDK compares with another, round by round: the median, and the least and the greatest.
    private func ratio(
        _ results: [Contender: [Int: Score]], _ other: Contender, _ value: (Score) -> Double
    ) -> String {
        guard let ours = results[.sdk], let theirs = results[other] else { return "" }
        let ratios = ours.compactMap { round, measurement in theirs[round].map { value(measurement) / value($0) } }
        guard let least = ratios.min(), let greatest = ratios.max() else { return "" }
        return "\(Format.ratio(ratios.median)) (\(Format.ratio(least))-\(Format.ratio(greatest)))"
    }

    private func parse(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Failure("\(text) is no URL") }
        return url
    }
}
