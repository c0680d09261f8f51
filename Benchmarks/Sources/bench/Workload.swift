import Foundation

/// A row of the first table: many requests for a small body.
struct Workload {
    var scheme: String
    var base: String
    var size: Int
    var tasks: Int

    var title: String { "\(scheme) \(size < 1024 ? "\(size) B" : "\(size / 1024) KiB") x \(tasks)" }

    /// `Benchmarks/run` names the files after their length.
    var url: String { "\(base)/\(size)" }

    static func all(options: Options) -> [Workload] {
        var workloads: [Workload] = []
        for (scheme, base) in [("http", options.http), ("https", options.https), ("h2", options.http2)]
        where !base.isEmpty {
            for size in [200, 64 * 1024] {
                for tasks in [1, 16, 64] {
                    workloads.append(Workload(scheme: scheme, base: base, size: size, tasks: tasks))
                }
            }
        }
        return workloads.filter { workload in options.only.map { workload.title.contains($0) } ?? true }
    }
}

/// The second table: one big file.
enum Download {
    static let size = 500_000_000
    static let title = "http 500 MB to a file"
}
