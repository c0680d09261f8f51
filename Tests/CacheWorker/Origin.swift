import NetCache

/// A server of resources that have a version each, behind a ``ResponseCache`` of this process.
struct Origin: Sendable {
    enum Kind: String { case get, validate, reload, peek, put }

    /// What a request got.
    struct Reply {
        let status: Int
        let version: UInt64
        let cacheStatus: String
    }

    /// How the server answers one request.
    struct Manner: Sendable {
        var isStorable = true
        /// Bytes besides the version.
        var padding = 0
        /// In microseconds, before and after it looks at the resource.
        var delays: (UInt64, UInt64) = (0, 0)
        /// Called with what was served, and when.
        var log: (@Sendable (_ start: UInt64, _ end: UInt64, _ version: UInt64, _ isStorable: Bool) -> Void)?
    }

    let cache: ResponseCache
    let state: SharedState

    @discardableResult
    func send(_ kind: Kind, _ resource: Int, _ manner: Manner = Manner()) async throws -> Reply {
        guard let url = URL(string: "https://example.com/\(resource)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        switch kind {
        case .get: break
        case .validate: request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
        case .reload: request.cachePolicy = .reloadIgnoringLocalCacheData
        case .peek: request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        case .put: request.httpMethod = "PUT"
        }
        var context = RequestContext()
        context.delivery = .collected(limit: 1 << 20)
        let next = Next(context: context) { request, _, _ in try await serve(request, resource, manner) }
        let response = try await cache.intercept(request, next: next)
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        return Reply(
            status: response.status, version: UInt64(text.prefix { $0 != " " }) ?? 0,
            cacheStatus: response.headers["Cache-Status"] ?? "")
    }

    private func serve(_ request: URLRequest, _ resource: Int, _ manner: Manner) async throws -> TransportResponse {
        let start = SharedState.now
        if manner.delays.0 > 0 { try await Task.sleep(nanoseconds: manner.delays.0 * 1000) }
        let isPut = request.httpMethod == "PUT"
        let version = isPut ? state.change(resource) : state.version(of: resource)
        if manner.delays.1 > 0 { try await Task.sleep(nanoseconds: manner.delays.1 * 1000) }
        var headers: HTTPHeaders = [
            "ETag": "\"\(version)\"", "Cache-Control": manner.isStorable ? "max-age=1000" : "no-store",
        ]
        let isSame = !isPut && request.value(forHTTPHeaderField: "If-None-Match") == "\"\(version)\""
        let body = isSame ? Data() : Data("\(version) ".utf8) + Data(repeating: 46, count: manner.padding)
        if !isSame { headers["Content-Length"] = "\(body.count)" }
        manner.log?(start, SharedState.now, version, manner.isStorable)
        let stream = Locked<Data?>(body)
        return TransportResponse(
            status: isSame ? 304 : 200, headers: headers, url: request.url,
            body: HTTPBody(length: Int64(body.count)) {
                stream.withLock { $0.take() }.flatMap { $0.isEmpty ? nil : $0 }
            })
    }
}

/// Numbers that up to eight processes share in a file: how far each has come, and the version of each resource.
final class SharedState: Sendable {
    private let descriptor: Int32
    private let who, processes: Int
    /// Its lock also keeps the tasks of this process apart: a lock of the file belongs to the descriptor, which all of them share.
    private let step = Locked(UInt64(0))

    init(_ file: URL, who: Int, processes: Int = 2) throws {
        (self.who, self.processes) = (who, processes)
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    private func read(_ index: Int) -> UInt64 {
        var value = UInt64(0)
        return pread(descriptor, &value, 8, off_t(index * 8)) == 8 ? value : 0
    }

    private func write(_ value: UInt64, at index: Int) {
        var value = value
        _ = pwrite(descriptor, &value, 8, off_t(index * 8))
    }

    /// Returns when the other processes have come here too. One that was killed is taken for further: the test writes that.
    func meet() {
        let step = step.next()
        write(step, at: who)
        for _ in 0..<600_000 {
            if (0..<processes).allSatisfy({ $0 == who || read($0) >= step }) { return }
            usleep(50)
        }
        CacheWorker.say("another process is gone")
        exit(3)
    }

    func version(of resource: Int) -> UInt64 { read(resource + 8) }

    /// Changes a resource; returns its new version.
    func change(_ resource: Int) -> UInt64 {
        step.withLock { _ in
            flock(descriptor, LOCK_EX)
            defer { flock(descriptor, LOCK_UN) }
            let new = read(resource + 8) + 1
            write(new, at: resource + 8)
            return new
        }
    }

    /// Nanoseconds by a clock that all processes have.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
