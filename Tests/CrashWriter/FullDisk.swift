import NetCache

/// What a cache and a queue do on a disk that takes no more than a few bytes: says so line by line.
///
/// The limit is that of the process for the size of a file, since a disk cannot be filled without harm to others: a write
/// fails in the same way, only with another code.
enum FullDisk {
    static func run(in folder: URL) async throws {
        signal(SIGXFSZ, SIG_IGN)
        let cache = DiskCache(directory: folder.appendingPathComponent("cache"))
        let queue = try await PendingOperationsQueue(
            fileURL: folder.appendingPathComponent("queue"), client: LoggingClient(path: "/dev/null"))
        guard let url = URL(string: "https://example.com/") else { return }

        setLimit(20_000)
        for count in [1000, 50_000, 500_000] { try await store(count, in: cache) }
        for count in [100, 50_000] { cache.setResponse(Data(count: count), for: url, expireTime: nil) }
        CrashWriter.say("data: \(cache.getResponse(for: url)?.count ?? -1)")
        CrashWriter.say("leftovers: \(await cache.trim().leftoverCount)")

        try await add(1000, to: queue)
        try await add(50_000, to: queue)
        setLimit(.max)
        try await add(60_000, to: queue)
        CrashWriter.say("operations: \(await queue.operations.map { $0.body?.count ?? 0 })")
        try await send(in: folder)
    }

    /// Sends operations while the file of their queue cannot grow, and then while it cannot be written at all.
    private static func send(in folder: URL) async throws {
        let file = folder.appendingPathComponent("full")
        let client = CountingClient()
        func open() async throws -> PendingOperationsQueue {
            try await PendingOperationsQueue(fileURL: file, client: client, retryPolicy: .none)
        }
        /// Says nothing before the limit is gone: standard output may be a file as well.
        func pass(_ queue: PendingOperationsQueue, limit: rlim_t) async {
            setLimit(limit)
            let summary = await queue.processAll()
            setLimit(.max)
            CrashWriter.say(
                "succeeded: \(summary.succeeded), stopped: \(summary.stop != nil), sent in all: \(await client.count)")
        }
        var queue = try await open()
        for _ in 0..<103 { try await queue.add(request(10)) }
        await pass(queue, limit: rlim_t(try Data(contentsOf: file).count))
        await queue.close()
        queue = try await open()
        CrashWriter.say("left after a restart: \(await queue.operations.count)")
        CrashWriter.say("it was emptied: \(try Data(contentsOf: file).count < 100)")
        for _ in 0..<3 { try await queue.add(request(10)) }
        for limit: rlim_t in [30, 30, .max] { await pass(queue, limit: limit) }
        CrashWriter.say("left: \(await queue.operations.count)")
    }

    private actor CountingClient: HTTPSending {
        private(set) var count = 0

        func send(
            _ request: URLRequest, body: HTTPBody?, context: RequestContext?
        ) async throws(NetworkFailure) -> TransportResponse {
            count += 1
            return TransportResponse(status: 200, url: request.url)
        }
    }

    private static func request(_ count: Int) throws -> URLRequest {
        guard let url = URL(string: "https://example.com/") else { throw NetworkError.invalidURL }
        var request = URLRequest(url: url)
        (request.httpMethod, request.httpBody) = ("POST", Data(count: count))
        return request
    }

    private static func setLimit(_ limit: rlim_t) {
        #if canImport(Darwin)
            let size = RLIMIT_FSIZE
        #else
            let size = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        var limits = rlimit()
        getrlimit(size, &limits)
        limits.rlim_cur = min(limit, limits.rlim_max)
        setrlimit(size, &limits)
    }

    private static func store(_ count: Int, in cache: DiskCache) async throws {
        let key = HTTPCacheKey(url: "https://example.com/")
        let entry = HTTPCacheEntry(
            id: "\(count)", status: 200, headers: [:], responseURL: nil, requestHeaders: [:], requestTime: Date(),
            responseTime: Date())
        do {
            guard let writer = try await cache.beginStoring(entry, for: key, length: nil, since: nil) else { return }
            try await writer.write(Data(count: count))
            try await writer.commit()
            CrashWriter.say("stored \(count)")
        } catch {
            CrashWriter.say("not stored \(count)")
        }
        let body = try await cache.body(of: entry, for: key)?.collect(upTo: .max)
        CrashWriter.say("found \(body?.count ?? -1)")
    }

    private static func add(_ count: Int, to queue: PendingOperationsQueue) async throws {
        do {
            try await queue.add(request(count))
            CrashWriter.say("added \(count)")
        } catch is PendingOperationsQueue.Failure { CrashWriter.say("not added \(count)") }
    }
}
