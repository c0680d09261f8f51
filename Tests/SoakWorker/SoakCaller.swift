#if os(Linux)
    import NetTransport

    /// Makes one call after the other, each of a random kind.
    struct SoakCaller {
        let servers: SoakServers
        let watch: SoakWatch
        let number: Int
        private var state: UInt64
        private var call = ""

        init(servers: SoakServers, watch: SoakWatch, seed: UInt64, number: Int) {
            (self.servers, self.watch, self.number) = (servers, watch, number)
            state = seed == 0 ? 1 : seed
        }

        private mutating func random(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }

        mutating func call() async {
            let route = servers.routes[random(below: servers.routes.count)]
            do {
                switch random(below: watch.isQuiet ? 19 : 20) {
                case 0..<7: try await get("small", 200, route)
                case 7..<9: try await get("64k", 64 << 10, route)
                case 9: try await get("2m", 2 << 20, route)
                case 10: try await read("2m", 2 << 20, route, pause: 0)
                case 11: try await read("64k", 64 << 10, route, pause: 0)
                case 12: try await read("2m", 2 << 20, route, pause: 20)
                case 13..<15: try await put(route, isStream: false)
                case 15: try await put(route, isStream: true)
                case 16..<18: try await cancel(route)
                case 18: try await abandon(route)
                default:
                    // Longer than the connector's thread and the loop's sweep rest.
                    call = "rest"
                    try await pause(1000 + random(below: 1500))
                }
                watch.count(String(call.prefix { $0 != "," }))
                try await pause(random(below: 30))
            } catch let error as TransportError where error.isUnprocessed || error.isStaleConnection {
                // The server closes connections. A client would send the request again.
                watch.count("closed by the server")
            } catch {
                watch.fail(call, error)
            }
        }

        private func pause(_ milliseconds: Int) async throws {
            try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000)
        }

        /// Runs a part of the call that the server and the engine must end within the limit.
        private func step<Value: Sendable>(
            _ what: String, _ action: @Sendable () async throws -> Value
        ) async throws -> Value {
            watch.begin(number, call, what)
            defer { watch.end(number) }
            return try await action()
        }

        private func request(_ path: String, _ route: SoakServers.Route, _ method: String = "GET") -> URLRequest {
            var request = URLRequest(url: route.base.appendingPathComponent(path))
            request.httpMethod = method
            return request
        }

        private static var collecting: RequestContext {
            var context = RequestContext()
            context.delivery = .collected(limit: 8 << 20)
            return context
        }

        private func expect(_ isTrue: Bool, _ what: String) throws {
            if !isTrue { throw TransportError(.other, phase: .receivingBody, message: what, url: nil) }
        }

        // MARK: Kinds

        private mutating func get(_ file: String, _ count: Int, _ route: SoakServers.Route) async throws {
            call = "get \(file), \(route.name)"
            let request = request(file, route)
            let received = try await step("the response") {
                let response = try await route.transport.send(request, body: nil, context: Self.collecting)
                return try await response.body.collect(upTo: 8 << 20).count
            }
            try expect(received == count, "\(received) bytes of \(count)")
        }

        private func open(_ file: String, _ route: SoakServers.Route) async throws -> TransportResponse {
            let request = request(file, route)
            var context = RequestContext()
            context.delivery = .streamed
            return try await step("the head") { [context] in
                try await route.transport.send(request, body: nil, context: context)
            }
        }

        /// - Parameter pause: the milliseconds between two reads.
        private mutating func read(_ file: String, _ count: Int, _ route: SoakServers.Route, pause: Int) async throws {
            call = "\(pause > 0 ? "slow stream" : "stream") of \(file), \(route.name)"
            let response = try await open(file, route)
            var received = 0
            var iterator = response.body.makeAsyncIterator()
            while true {
                watch.begin(number, call, "a block after \(received) bytes")
                let block: Data?
                do {
                    defer { watch.end(number) }
                    block = try await iterator.next()
                }
                guard let block else { break }
                received += block.count
                if pause > 0 { try await self.pause(pause) }
            }
            try expect(received == count, "\(received) bytes of \(count)")
        }

        private mutating func put(_ route: SoakServers.Route, isStream: Bool) async throws {
            call = "put of \(isStream ? "a stream" : "data"), \(route.name)"
            let request = request("upload/\(number)", route, "PUT")
            let data = Data(count: 1000 + random(below: 300_000))
            var body = HTTPBody(data)
            if isStream {
                let rest = Locked(data)
                body = HTTPBody(length: random(below: 2) == 0 ? Int64(data.count) : nil) {
                    try await Task.sleep(nanoseconds: 2_000_000)
                    let chunk = rest.withLock { rest in
                        defer { rest = Data(rest.dropFirst(40_000)) }
                        return Data(rest.prefix(40_000))
                    }
                    return chunk.isEmpty ? nil : chunk
                }
            }
            let status = try await step("the response") { [body] in
                try await route.transport.send(request, body: body, context: RequestContext()).status
            }
            try expect(200..<300 ~= status, "status \(status)")
        }

        private mutating func cancel(_ route: SoakServers.Route) async throws {
            call = "cancelled get, \(route.name)"
            let request = request(["small", "2m"][random(below: 2)], route)
            let task = Task { _ = try await route.transport.send(request, body: nil, context: Self.collecting) }
            try await pause(random(below: 8))
            task.cancel()
            do { try await step("its end") { try await task.value } } catch is CancellationError {}
        }

        private mutating func abandon(_ route: SoakServers.Route) async throws {
            call = "abandoned stream, \(route.name)"
            let response = try await open("2m", route)
            var iterator: HTTPBody.AsyncIterator? = response.body.makeAsyncIterator()
            watch.begin(number, call, "the first block")
            defer { watch.end(number) }
            _ = try await iterator?.next()
            iterator = nil
        }
    }

    /// The transports of the soak, each with its route to the server.
    struct SoakServers: Sendable {
        struct Route: Sendable {
            let name: String
            let base: URL
            let transport: CurlTransport
        }

        let routes: [Route]

        init(plain: String, tls: String, http2: String, authority: String) throws {
            func route(
                _ name: String, _ address: String, _ change: (inout TransportConfiguration) -> Void = { _ in }
            ) throws -> Route {
                guard let base = URL(string: address) else { throw NetworkError.invalidURL }
                var configuration = TransportConfiguration()
                configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: authority))
                // A stall must not end by its own timeout before it is told.
                configuration.timeouts.idle = 120
                configuration.limits.connectionsPerHost = 6
                change(&configuration)
                return Route(name: name, base: base, transport: CurlTransport(configuration: configuration))
            }
            routes = [
                try route("HTTP/1.1", plain), try route("HTTP/1.1 with TLS", tls) { $0.httpVersions = .http1Only },
                try route("HTTP/2 with TLS", tls),
                try route("HTTP/2 without TLS", http2) { $0.httpVersions = .http2PriorKnowledge },
            ]
        }

        func shutdown() async { for route in routes { await route.transport.shutdown() } }
    }
#endif
