import NetCache

/// Writes into a disk cache and into a queue of pending operations until somebody kills it: the crash tests do.
///
///     crash-writer run CACHE QUEUE LOG SEED FIRST
///     crash-writer limit FOLDER
///     crash-writer share QUEUE LOG FIRST COUNT
@main
enum CrashWriter {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments[1...])
        switch arguments.first {
        case "run" where arguments.count == 6:
            // Four of them at full speed would hold up the tests beside this one.
            _ = nice(10)
            try await run(
                cache: arguments[1], queue: arguments[2], log: arguments[3], seed: UInt64(arguments[4]) ?? 1,
                first: Int(arguments[5]) ?? 0)
        case "limit" where arguments.count == 2:
            try await FullDisk.run(in: URL(fileURLWithPath: arguments[1]))
        case "share" where arguments.count == 5:
            try await QueueWriter.share(
                arguments[1], log: arguments[2], numbers: (Int(arguments[3]) ?? 0)..., count: Int(arguments[4]) ?? 0)
        default:
            say("usage: see CrashWriter.swift")
            exit(2)
        }
    }

    private static func run(cache: String, queue: String, log: String, seed: UInt64, first: Int) async throws {
        // What it is doing shows when it is too late to ask.
        let cache = DiskCache(directory: URL(fileURLWithPath: cache), maxBytes: 8 << 20)
        let queue = try await PendingOperationsQueue(
            fileURL: URL(fileURLWithPath: queue), client: LoggingClient(path: log), retryPolicy: .none)
        say("ready")
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Several, so that hardly ever none of them is half-way.
            for writer in 0..<3 { group.addTask { await CacheWriter.run(cache, seed: seed &* 3 &+ UInt64(writer)) } }
            group.addTask { for number in first... { try await QueueWriter.add(number, to: queue) } }
            group.addTask {
                while true {
                    await queue.processAll()
                    try await Task.sleep(nanoseconds: 3_000_000)
                }
            }
            try await group.waitForAll()
        }
    }

    /// One line on standard output, in one call: nothing of it is lost in a buffer.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

/// Stores entries whose bodies can be checked by whoever finds them.
enum CacheWriter {
    static func run(_ cache: DiskCache, seed: UInt64) async {
        var random = seed
        while true {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Int(random >> 33) % 40
            // Most of them in files of their own.
            let words = (random >> 20) % 10 < 1 ? Int(random >> 40) % 4000 : 10_000 + Int(random >> 40) % 100_000
            let entry = HTTPCacheEntry(
                id: "crash", status: 200, headers: ["X-Seed": "\(random)", "X-Words": "\(words)"], responseURL: nil,
                requestHeaders: [:], requestTime: Date(), responseTime: Date())
            let key = HTTPCacheKey(url: "https://example.com/\(number)")
            do {
                try await store(entry, under: key, in: cache, seed: random, words: words)
                CrashWriter.say("stored")
            } catch { CrashWriter.say("not stored: \(error)") }
        }
    }

    private static func store(
        _ entry: HTTPCacheEntry, under key: HTTPCacheKey, in cache: DiskCache, seed: UInt64, words: Int
    ) async throws {
        guard let writer = try await cache.beginStoring(entry, for: key, length: nil, since: nil) else { return }
        // Piece by piece, so that most of the time a file is half written.
        for start in stride(from: 0, to: words, by: 4096) {
            try await writer.write(body(seed: seed, words: start..<min(words, start + 4096)))
        }
        try await writer.commit()
    }

    private static func body(seed: UInt64, words: Range<Int>) -> Data {
        var body = Data(count: words.count * 8)
        body.withUnsafeMutableBytes { bytes in
            let target = bytes.bindMemory(to: UInt64.self)
            for index in target.indices {
                target[index] = seed &+ UInt64(words.lowerBound + index) &* 0x9E37_79B9_7F4A_7C15
            }
        }
        return body
    }
}

/// Adds operations, and says of each that it was promised.
enum QueueWriter {
    /// Adds operations to a queue that other processes use as well, and sends what is there until nothing is left.
    static func share(_ queue: String, log: String, numbers: PartialRangeFrom<Int>, count: Int) async throws {
        let queue = try await PendingOperationsQueue(
            fileURL: URL(fileURLWithPath: queue), client: LoggingClient(path: log), retryPolicy: .none)
        async let passes: Void = {
            for _ in 0..<count {
                await queue.processAll()
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }()
        // Multiples of seven have no body.
        for number in numbers.prefix(count) { try await add(number * 7, to: queue) }
        try await passes
        while true {
            let summary = await queue.processAll()
            if summary.stop == nil, await queue.operations.isEmpty { break }
            try await Task.sleep(nanoseconds: 1_000_000)
        }
    }

    static func add(_ number: Int, to queue: PendingOperationsQueue) async throws {
        guard let url = URL(string: "https://example.com/operations/\(number)") else { return }
        var request = URLRequest(url: url)
        // A large one now and then takes long to write.
        let count = number % 7 == 6 ? 4_000_000 : number % 7 * 50_000
        let body = Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
        (request.httpMethod, request.httpBody) = ("POST", body)
        let operation = try await queue.add(request)
        CrashWriter.say("added \(number) \(operation.idempotencyKey)")
    }
}

/// A server that notes what it was asked: a line in a file for each request.
struct LoggingClient: HTTPSending {
    let path: String

    func send(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?
    ) async throws(NetworkFailure) -> TransportResponse {
        let number = request.url?.lastPathComponent ?? "?"
        let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? "none"
        let line = Data("\(number) \(key) \(body?.length ?? 0)\n".utf8)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        return TransportResponse(status: 200, url: request.url)
    }
}
