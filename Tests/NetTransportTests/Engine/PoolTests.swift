#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    struct PoolTests {
        private let engine = Engine(TransportConfiguration())

        /// The pool of a transport without loops, in which exchanges start and end as the test says.
        private final class Queue {
            private let pool: Pool
            private var started: [HTTPExchange] = []

            init(places: Int? = nil, connectionsPerHost: Int = 100) {
                let configuration = TransportConfiguration {
                    if let places { $0.limits.concurrentExchanges = places }
                    $0.limits.connectionsPerHost = connectionsPerHost
                }
                pool = Pool(configuration, speaksHTTP2: false)
            }

            func submit(_ exchange: HTTPExchange) -> Bool {
                if case .starts = pool.submit(exchange, loops: []) { true } else { false }
            }

            func release(_ exchange: HTTPExchange) {
                switch pool.withdraw(exchange) {
                case .withdrawn: started += pool.startNext()
                case .onLoop, .ended: started += pool.finished(exchange, over: nil, on: nil)
                }
            }

            func next() -> HTTPExchange? { started.isEmpty ? nil : started.removeFirst() }
        }

        private func exchange(
            _ host: String, _ priority: RequestContext.Priority = .normal, scheme: String = "http",
            isUpgrade: Bool = false, engine: Engine? = nil
        ) throws -> HTTPExchange {
            try HTTPExchange(
                request: URLRequest(url: url("\(scheme)://\(host)/")), body: nil,
                context: RequestContext { $0.priority = priority }, engine: engine ?? self.engine, isUpgrade: isUpgrade)
        }

        @Test func queueIsOrderedByPriorityThenFIFO() throws {
            let (queue, running) = (Queue(connectionsPerHost: 1), try exchange("a"))
            #expect(queue.submit(running))
            let waiting = try [exchange("a", .low), exchange("a"), exchange("a", .high), exchange("a")]
            for exchange in waiting { #expect(!queue.submit(exchange)) }
            #expect(queue.next() == nil)
            var last = running
            for index in [2, 1, 3, 0] {
                queue.release(last)
                last = try #require(queue.next())
                #expect(last === waiting[index] && queue.next() == nil)
            }
        }

        /// A request that waits for its host takes no place from the others.
        @Test func fullHostDoesNotDelayOtherHosts() throws {
            let queue = Queue(places: 4, connectionsPerHost: 2)
            let all = try ["a", "A:80", "a", "b", "a:81"].map { try exchange($0) }
            #expect(all.map { queue.submit($0) } == [true, true, false, true, true])
        }

        @Test(arguments: [nil, 3] as [Int?]) func concurrentExchangesAreLimitedOverAllHosts(_ places: Int?) throws {
            let queue = Queue(places: places, connectionsPerHost: 8)
            let running = try (0..<(places ?? 512)).map { try exchange("host\($0 / 8)") }
            for exchange in running { #expect(queue.submit(exchange)) }
            let late = try [exchange("late"), exchange("later", .high)]
            for exchange in late { #expect(!queue.submit(exchange)) }
            #expect(queue.next() == nil)
            queue.release(running[0])
            #expect(queue.next() === late[1])
            // One that is given up while it waits leaves its place to the next.
            queue.release(late[0])
            queue.release(running[1])
            #expect(queue.next() == nil)
        }

        /// An origin may have all places, until another one waits: then it gets none until it is down to half.
        @Test func originIsLimitedToHalfWhileAnotherWaits() throws {
            let queue = Queue(places: 8)
            var greedy = try (0..<20).map { _ in try exchange("greedy") }
            for (index, exchange) in greedy.enumerated() { #expect(queue.submit(exchange) == (index < 8)) }
            let others = try (0..<6).map { try exchange("other\($0 % 2)") }
            for exchange in others { #expect(!queue.submit(exchange)) }
            var hosts: [String] = []
            for _ in 0..<10 {
                queue.release(greedy.removeFirst())
                hosts.append(try #require(queue.next()?.url?.host))
                #expect(queue.next() == nil)
            }
            // Four places go to the others. Then the greedy one has its half, and equals are served in order.
            #expect(hosts.prefix(4).allSatisfy { $0 != "greedy" }, "\(hosts)")
            #expect(hosts[4] == "greedy", "\(hosts)")
        }

        @Test func deferredExchangesKeepPriorityAndOrder() throws {
            let queue = Queue(places: 2)
            let greedy = try [exchange("a"), exchange("a"), exchange("a", .low), exchange("a"), exchange("a", .high)]
            #expect(greedy.map { queue.submit($0) } == [true, true, false, false, false])
            let other = try exchange("b", .low)
            #expect(!queue.submit(other))
            queue.release(greedy[0])
            #expect(queue.next() === other, "a has half")
            queue.release(greedy[1])
            #expect(queue.next() === greedy[4])
            queue.release(other)
            #expect(queue.next() === greedy[3], "no other origin waits")
            queue.release(greedy[4])
            queue.release(greedy[3])
            #expect(queue.next() === greedy[2])
        }

        // MARK: A server with HTTP/2

        private func http2Exchange(isUpgrade: Bool = false) throws -> HTTPExchange {
            try exchange("a", scheme: "https", isUpgrade: isUpgrade)
        }

        /// A pool that has had one connection with HTTP/2, and the connection, with room for `streams`.
        private func http2Pool(streams: Int) throws -> (pool: Pool, session: Connection, first: HTTPExchange) {
            let (pool, first) = (Pool(TransportConfiguration(), speaksHTTP2: true), try http2Exchange())
            guard case .starts = pool.submit(first, loops: []) else { throw LabError("The first starts.") }
            let session = Connection(descriptor: -1, loop: try loop, engine: engine)
            first.connection = session
            #expect(pool.opened(session, for: first, isHTTP2: true).isEmpty)
            #expect(pool.update(session, capacity: streams).isEmpty)
            return (pool, session, first)
        }

        private var loop: EventLoop { get throws { try #require(EventLoopGroup.shared.loops().first) } }

        private func waits(_ exchange: HTTPExchange, in pool: Pool) -> Bool {
            if case .waits = pool.submit(exchange, loops: []) { true } else { false }
        }

        /// A WebSocket may be open for hours.
        @Test func upgradeDoesNotBlockWaitingRequests() throws {
            let (pool, session, first) = try http2Pool(streams: 100)
            #expect(pool.finished(first, over: session, on: nil).isEmpty)
            pool.remove(session)
            let upgrade = try http2Exchange(isUpgrade: true)
            #expect(!waits(upgrade, in: pool))
            let request = try http2Exchange()
            #expect(waits(request, in: pool), "a connection is being opened")
            let tunnel = Connection(descriptor: -1, loop: try loop, engine: engine)
            let started = pool.opened(tunnel, for: upgrade, isHTTP2: false)
            #expect(started.count == 1 && started.first === request)
        }

        /// All of them had the same connection when it was lost. One opens another, and the others wait for its streams.
        @Test func requestsOfALostHTTP2ConnectionShareTheNext() throws {
            let (pool, session, first) = try http2Pool(streams: 100)
            let others = try (0..<3).map { _ in try http2Exchange() }
            for other in others { #expect(!waits(other, in: pool)) }
            pool.remove(session)
            #expect(pool.reassign(first, from: session, on: try loop))
            for other in others { #expect(!pool.reassign(other, from: session, on: try loop)) }
            let next = Connection(descriptor: -1, loop: try loop, engine: engine)
            #expect(pool.opened(next, for: first, isHTTP2: true).isEmpty)
            let started = pool.update(next, capacity: 100)
            #expect(started.map(ObjectIdentifier.init) == others.map(ObjectIdentifier.init))
            #expect(others.allSatisfy { $0.connection === next })
        }

        /// They wait for the streams of one connection, which then cannot be opened.
        @Test func requestsThatWaitedForHTTP2KeepToConnectionsPerHost() throws {
            let pool = Pool(TransportConfiguration { $0.limits.connectionsPerHost = 2 }, speaksHTTP2: true)
            let first = try http2Exchange()
            #expect(!waits(first, in: pool))
            let session = Connection(descriptor: -1, loop: try loop, engine: engine)
            #expect(pool.opened(session, for: first, isHTTP2: true).isEmpty)
            pool.remove(session)
            #expect(pool.reassign(first, from: session, on: try loop))
            let others = try (0..<5).map { _ in try http2Exchange() }
            for other in others { #expect(waits(other, in: pool)) }
            pool.failedToOpen(first, isRefused: true)
            var started = pool.finished(first, over: nil, on: nil)
            #expect(started.count == 2)
            var index = 0
            while index < started.count {
                let next = pool.finished(started[index], over: nil, on: nil)
                index += 1
                #expect(next.count == (started.count < 5 ? 1 : 0))
                started += next
            }
            #expect(started.map(ObjectIdentifier.init) == others.map(ObjectIdentifier.init))
        }

        @Test(arguments: [false, true]) func onlyARefusedConnectionMakesRequestsWait(_ isRefused: Bool) throws {
            let (pool, _, _) = try http2Pool(streams: 1)
            let second = try http2Exchange()
            #expect(!waits(second, in: pool), "the only stream is taken")
            pool.failedToOpen(second, isRefused: isRefused)
            #expect(pool.finished(second, over: nil, on: nil).isEmpty)
            #expect(waits(try http2Exchange(), in: pool) == isRefused)
        }

        @Test func withdrawnExchangesAreSkippedAndReleased() throws {
            let (queue, running) = (Queue(connectionsPerHost: 1), try exchange("a"))
            #expect(queue.submit(running))
            var kept: [Kept] = []
            for _ in 0..<1000 {
                let waiting = try exchange("a")
                #expect(!queue.submit(waiting))
                kept.append(Kept(exchange: waiting))
                queue.release(waiting)
            }
            #expect(kept.count { $0.exchange != nil } < 200, "the exchanges that are still there")
            let (withdrawn, last) = (try exchange("a"), try exchange("a"))
            #expect(!queue.submit(withdrawn) && !queue.submit(last))
            queue.release(withdrawn)
            queue.release(running)
            #expect(queue.next() === last)
        }

        private struct Kept { weak var exchange: HTTPExchange? }

        @Test(arguments: [
            (TransportConfiguration.HTTPVersions.automatic, ["h2", "http/1.1"]), (.http1Only, ["http/1.1"]),
            (.http2PriorKnowledge, ["h2"]),
        ]) func alpnOffersConfiguredVersions(_ versions: TransportConfiguration.HTTPVersions, names: [String]) throws {
            let engine = Engine(TransportConfiguration { $0.httpVersions = versions })
            let exchange = try exchange("a", scheme: "https", engine: engine)
            _ = engine.pool.submit(exchange, loops: [])
            #expect(engine.protocols(for: exchange) == names)
        }
    }
#endif
