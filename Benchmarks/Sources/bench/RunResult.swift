import BenchKit
import Foundation

/// All that a run has measured: the tables and the drawing come from it.
struct RunResult: Codable {
    /// What ran where.
    var machine: [String]
    /// Whether the load was under 0.3 when the rounds began.
    var isQuiet: Bool
    var secondsOfRound: Double
    var rows: [RowResult]
    var failures: [String]

    var text: String {
        (machine + tables.map { "\n\($0.title)\n\n\($0.text)" } + failures).joined(separator: "\n")
    }

    var markdown: String {
        let head = (machine + failures).map { "- \($0)" }.joined(separator: "\n")
        return "\(head)\n\n\(tables.map { "### \($0.title)\n\n\($0.markdown)\n" }.joined(separator: "\n"))"
    }

    private var tables: [Table] {
        WorkOrder.Work.allCases.flatMap { kind in
            let rows = rows.filter { $0.kind == kind }
            return rows.isEmpty ? [] : [figures(kind, rows)] + (kind.metrics.isEmpty ? [] : [ratios(kind, rows)])
        } + instructions
    }

    private func figures(_ kind: WorkOrder.Work, _ rows: [RowResult]) -> Table {
        let contenders = rows.contenders
        var table = Table(title: "\(kind.title) (medians of all rounds)", header: ["row"] + contenders.map(\.title))
        table.rows = rows.map { row in
            [row.title]
                + contenders.map { contender in row.scores[contender].map { kind.cell(Array($0.values)) } ?? "" }
        }
        return table
    }

    private func ratios(_ kind: WorkOrder.Work, _ rows: [RowResult]) -> Table {
        let peers = rows.contenders.filter { $0 != .sdk }
        let columns = peers.flatMap { peer in kind.metrics.map { (peer, $0) } }
        var table = Table(
            title: "NetworkClient divided by each other: median of the ratios of each round (95 % confidence interval) "
                + "[or, for fewer than six rounds, least and greatest]",
            header: ["row"] + columns.map { "\($1.title) / \($0.shortTitle)" } + ["certainty", "load by others"])
        table.rows = rows.map { row in
            [row.title] + columns.map { peer, metric in row.ratios[peer]?[metric]?.text ?? "" } + [
                row.outcome, row.load,
            ]
        }
        return table
    }

    private var instructions: [Table] {
        let rows = rows.filter { $0.instructions != nil }
        let contenders = rows.contenders
        guard !rows.isEmpty else { return [] }
        var table = Table(
            title: "Thousand instructions per request, in user space, by valgrind, which runs one thread at a time",
            header: ["row"] + contenders.map(\.title))
        table.rows = rows.map { row in
            [row.title]
                + contenders.map { contender in row.instructions?[contender].map { Format.number($0 / 1000) } ?? "" }
        }
        return [table]
    }
}

extension [RowResult] {
    /// All that took part in any row.
    fileprivate var contenders: [Contender] {
        Contender.allCases.filter { contender in contains { $0.scores[contender] != nil } }
    }
}

/// What a row has measured.
struct RowResult: Codable {
    var title: String
    var kind: WorkOrder.Work
    /// By the number of the round.
    var scores: [Contender: [Int: Score]] = [:]
    /// Of each round.
    var loads: [Load] = []
    /// The SDK divided by each other contender.
    var ratios: [Contender: [Workload.Metric: Ratio]] = [:]
    /// How many rounds there were, and how certain the ratios are.
    var outcome = ""
    /// For a request.
    var instructions: [Contender: Double]?

    init(_ workload: Workload) {
        (title, kind) = (workload.title, workload.kind)
    }

    /// The most that other processes and other guests took in any round.
    var load: String {
        func most(_ share: KeyPath<Load, Double>) -> Int {
            Int(((loads.map { $0[keyPath: share] }.max() ?? 0) * 100).rounded())
        }
        return "\(most(\.others)) %" + (most(\.stolen) > 0 ? ", stolen \(most(\.stolen)) %" : "")
    }

    mutating func compare(_ workload: Workload) {
        outcome = loads.count == 1 ? "1 round" : "\(loads.count) rounds"
        guard let ours = scores[.sdk] else { return }
        for (peer, theirs) in scores where peer != .sdk {
            for metric in kind.metrics {
                ratios[peer, default: [:]][metric] = Ratio(
                    ours.compactMap { round, score in
                        guard let value = metric.value(score), let other = theirs[round].flatMap(metric.value),
                            other > 0
                        else { return nil }
                        return value / other
                    })
            }
        }
        guard let uncertainty = uncertainty(workload) else { return }
        let percent = "±\(Format.number(uncertainty * 100)) %"
        outcome += uncertainty < Self.goal ? ", \(percent)" : ", \(percent): NOT under 5 %"
    }

    /// Whether the interval of each ratio that decides is under ±5 %.
    func isCertain(_ workload: Workload) -> Bool { uncertainty(workload).map { $0 < Self.goal } ?? false }

    private static let goal = 0.05

    /// The worst of the peers that take part in all rounds.
    private func uncertainty(_ workload: Workload) -> Double? {
        guard let metric = kind.metrics.first else { return nil }
        let all = ratios.filter { workload.limit(of: $0.key) == .max }.map { $0.value[metric]?.uncertainty }
        return all.contains { $0 == nil } ? nil : all.compactMap { $0 }.max()
    }
}
