import Foundation

/// Runs the contenders by turns (A B C D A B C D …), so that what the machine does meanwhile hits all of them alike.
struct Comparison {
    let options: Options

    /// Prints the tables. False if a contender failed anywhere.
    func run() throws -> Bool {
        var tables = [Table](), failures = [String]()
        let requests = requestTable(&failures)
        if !requests.rows.isEmpty { tables.append(requests) }
        if options.withDownload, options.only.map({ Download.title.contains($0) }) ?? true {
            tables.append(downloadTable(&failures))
        }
        let machine = Machine.description(notes: options.notes)
        print(machine.joined(separator: "\n"))
        for table in tables { print("\n\(table.title)\n\n\(table.text)") }
        if let file = options.markdown {
            let text = tables.map { "### \($0.title)\n\n\($0.markdown)\n" }.joined(separator: "\n")
            let head = machine.map { "- \($0)" }.joined(separator: "\n")
            try "\(head)\n\n\(text)".write(toFile: file, atomically: true, encoding: .utf8)
        }
        for failure in failures { print("FAILED  \(failure)") }
        return failures.isEmpty
    }

    private func requestTable(_ failures: inout [String]) -> Table {
        let contenders = options.contenders.filter { $0 != .curl }
        var table = Table(
            title: "Requests/s / client CPU µs per request / peak memory MB "
                + "(medians of \(options.rounds) interleaved rounds of \(options.seconds) s)",
            header: ["body x tasks"] + contenders.map(\.title) + ["req/s vs AHC", "CPU vs AHC"])
        for workload in Workload.all(options: options) {
            let results = rounds(of: workload.title, contenders, &failures) { contender, _ in
                try ChildProcess.work(
                    WorkOrder(
                        contender: contender,
                        url: try parse(workload.url),
                        authority: options.authority,
                        expectedLength: workload.size,
                        tasks: workload.tasks,
                        warmUp: options.warmUp,
                        seconds: contender == .urlSession ? options.seconds / 2 : options.seconds))
            }
            let cells = contenders.map { contender in
                results[contender].map { rounds in
                    [
                        Format.count(rounds.map(\.requestsPerSecond).median),
                        Format.number(rounds.map(\.cpuMicrosecondsPerRequest).median),
                        Format.megabytes(rounds.map(\.peakBytes).max() ?? 0),
                    ].joined(separator: " / ")
                } ?? "failed"
            }
            table.rows.append(
                [workload.title] + cells + [
                    ratio(results, .asyncHTTPClient, \.requestsPerSecond),
                    ratio(results, .asyncHTTPClient, \.cpuMicrosecondsPerRequest),
                ])
        }
        return table
    }

    private func downloadTable(_ failures: inout [String]) -> Table {
        var table = Table(
            title: "\(Download.title) (medians of \(options.rounds) interleaved rounds)",
            header: ["client", "MB/s", "CPU ms", "peak memory MB", "MB/s of NetworkClient vs it"])
        let file = options.directory + "/download"
        let results = rounds(of: Download.title, options.contenders, &failures) { contender, _ in
            defer { try? FileManager.default.removeItem(atPath: file) }
            let url = try parse("\(options.http)/\(Download.size)")
            let measurement =
                contender == .curl
                ? try ChildProcess.curl(url, to: file)
                : try ChildProcess.work(
                    WorkOrder(
                        contender: contender, url: url, authority: options.authority, expectedLength: Download.size,
                        output: file))
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            guard size == Download.size else { throw Failure("a file of \(size ?? 0) bytes, not \(Download.size)") }
            return measurement
        }
        for contender in options.contenders {
            guard let rounds = results[contender] else {
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

    /// Measures every contender once a round. One that fails is left out from then on.
    private func rounds(
        of title: String, _ contenders: [Contender], _ failures: inout [String],
        measure: (Contender, Int) throws -> Measurement
    ) -> [Contender: [Measurement]] {
        var results: [Contender: [Measurement]] = [:]
        var failed: Set<Contender> = []
        for round in 1...options.rounds {
            FileHandle.standardError.write(Data("\(title): round \(round) of \(options.rounds)\n".utf8))
            for contender in contenders where !failed.contains(contender) {
                do {
                    results[contender, default: []].append(try measure(contender, round))
                } catch {
                    failed.insert(contender)
                    results[contender] = nil
                    failures.append("\(title): \(contender.title): \(error)")
                }
            }
        }
        return results
    }

    /// How the SDK compares with another, round by round: the median, and the least and the greatest.
    private func ratio(
        _ results: [Contender: [Measurement]], _ other: Contender, _ value: (Measurement) -> Double
    ) -> String {
        guard let ours = results[.sdk], let theirs = results[other] else { return "" }
        let ratios = zip(ours, theirs).map { value($0) / value($1) }.sorted()
        guard let least = ratios.first, let greatest = ratios.last else { return "" }
        return "\(Format.ratio(ratios.median)) (\(Format.ratio(least))-\(Format.ratio(greatest)))"
    }

    private func parse(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Failure("\(text) is no URL") }
        return url
    }
}
