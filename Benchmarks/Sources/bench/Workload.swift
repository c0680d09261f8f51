import BenchKit
import Foundation

/// A row of the comparison.
struct Workload {
    var title: String
    var order: WorkOrder
    var contenders: [Contender]

    var kind: WorkOrder.Work { order.work }

    enum Metric: String, Codable, CodingKeyRepresentable {
        case speed
        case cpu
        case latency

        var title: String {
            switch self {
            case .speed: "speed"
            case .cpu: "CPU"
            case .latency: "median"
            }
        }

        func value(_ score: Score) -> Double? {
            switch self {
            case .speed: score.requestsPerSecond
            case .cpu: score.cpuMicrosecondsPerRequest
            case .latency: score.latency?.medianMicroseconds
            }
        }
    }

    static let downloadSize = 500_000_000

    /// The bounds of the number of rounds.
    func rounds(_ options: Options) -> ClosedRange<Int> {
        switch kind {
        case .requests, .firstByte, .download: options.rounds
        case .clients: 1...min(3, options.rounds.upperBound)
        case .idle: 1...1
        }
    }

    /// After how many rounds a contender is left alone: URLSession is ten times slower than the others wherever it uses the network, which three
    /// rounds show.
    func limit(of contender: Contender) -> Int {
        contender == .urlSession && !order.isCached ? 3 : .max
    }

    /// The rows, in their order, without those that the options leave out.
    static func all(_ options: Options) throws -> [Workload] {
        var rows: [Workload] = []
        let servers = [("http", options.http), ("https", options.https), ("h2", options.http2)].filter { !$0.1.isEmpty }
        func add(
            _ title: String, kind: WorkOrder.Work = .requests, _ url: String, _ length: Int, tasks: Int = 1,
            _ contenders: [Contender] = [.sdk, .asyncHTTPClient, .go, .urlSession, .c],
            change: (inout WorkOrder) -> Void = { _ in }
        ) throws {
            guard let parsed = URL(string: url) else { throw Failure("\(url) is not a URL") }
            var order = WorkOrder(url: parsed, authority: options.authority, expectedLength: length)
            order.tasks = tasks
            (order.seconds, order.warmUp) = (options.seconds, options.warmUp)
            order.isHTTP2 = title.hasPrefix("h2 ")
            order.work = kind
            change(&order)
            rows.append(Workload(title: title, order: order, contenders: contenders))
        }
        for (scheme, server) in servers {
            for (name, size) in [("200 B", 200), ("64 KiB", 64 << 10)] {
                for tasks in [1, 16, 64, 256] {
                    try add(
                        "\(scheme) \(name) x \(tasks)", "\(server)/\(size)", size, tasks: tasks,
                        [.sdk, .asyncHTTPClient, .go, .urlSession, .c] + (scheme == "h2" ? [] : [.wrk]))
                }
            }
        }
        try add("https handshake, cold x 16", "\(options.httpsCold)/handshake", 1, tasks: 16)
        try add("https handshake, resumable x 16", "\(options.https)/handshake", 1, tasks: 16)
        try add("http POST 64 KiB x 16", "\(options.http)/upload", 2, tasks: 16) { $0.upload = 64 << 10 }
        try add("http POST 1 MiB x 4", "\(options.http)/upload", 2, tasks: 4) { $0.upload = 1 << 20 }
        try add("http cached hit 4 KiB x 1", "\(options.http)/cached", 4096, [.sdk, .urlSession]) { $0.isCached = true }
        for (scheme, server) in servers {
            try add(
                "\(scheme) first byte of 200 B", kind: .firstByte, "\(server)/200", 200,
                [.sdk, .asyncHTTPClient, .go, .c])
        }
        try add(
            "http 500 MB to a file", kind: .download, "\(options.http)/\(downloadSize)", downloadSize,
            [.sdk, .asyncHTTPClient, .go, .urlSession, .c, .curl]
        ) {
            $0.output = options.directory + "/download"
        }
        try add(
            "http 200 clients", kind: .clients, "\(options.http)/200", 200, [.sdk, .asyncHTTPClient, .go, .urlSession]
        ) {
            $0.clients = 200
        }
        let idle = options.rounds.upperBound > 3 ? 5.0 : 1
        try add(
            "http idle for \(Int(idle)) s, 16 connections", kind: .idle, "\(options.http)/200", 200, tasks: 16,
            [.sdk, .asyncHTTPClient, .go, .urlSession]
        ) { $0.seconds = idle }
        if !options.withDownload { rows.removeAll { $0.kind == .download } }
        guard !options.only.isEmpty else { return rows }
        let titles = Set(rows.map(\.title))
        return rows.filter { row in
            options.only.contains { titles.contains($0) ? row.title == $0 : row.title.contains($0) }
        }
    }
}

/// The kinds of rows.
extension WorkOrder.Work {
    var title: String {
        switch self {
        case .requests: "Requests/s / client CPU µs per request / peak memory MB"
        case .firstByte: "From the call to the head of the response, µs: median / 99th percentile"
        case .download: "A download to a file: MB/s / CPU ms / peak memory MB"
        case .clients:
            "Clients with one connection each: threads / descriptors / resident MB / KB for each further client"
        case .idle: "A client with open connections and nothing to do: CPU ms"
        }
    }

    /// In which ratios the contenders are compared; the first decides how many rounds there are.
    var metrics: [Workload.Metric] {
        switch self {
        case .requests, .download: [.speed, .cpu]
        case .firstByte: [.latency]
        case .clients, .idle: []
        }
    }

    func cell(_ scores: [Score]) -> String {
        let cpu = scores.map(\.cpuSeconds).median * 1000
        let peak = Format.megabytes(scores.map(\.peakBytes).max() ?? 0)
        let cells: [String]
        switch self {
        case .requests:
            cells = [
                Format.count(scores.map(\.requestsPerSecond).median),
                Format.number(scores.map(\.cpuMicrosecondsPerRequest).median), peak,
            ]
        case .firstByte:
            cells = [\Score.Latency.medianMicroseconds, \.p99Microseconds].map { value in
                Format.number(scores.compactMap { $0.latency?[keyPath: value] }.median)
            }
        case .download:
            cells = [
                Format.number(Double(Workload.downloadSize) / 1e6 / scores.map(\.seconds).median),
                Format.number(cpu), peak,
            ]
        case .clients:
            let footprints = scores.compactMap(\.footprint)
            cells = [
                "\(footprints.map(\.threads).max() ?? 0)", "\(footprints.map(\.descriptors).max() ?? 0)",
                Format.megabytes(Int(footprints.map { Double($0.bytes) }.median)),
                Format.number(footprints.map { Double($0.bytesPerClient) / 1000 }.median),
            ]
        case .idle: cells = [Format.number(cpu)]
        }
        let resumed = scores.compactMap(\.resumed)
        let note = resumed.isEmpty ? "" : ", \(Int((resumed.median * 100).rounded())) % resumed"
        return cells.joined(separator: " / ") + note
    }
}
