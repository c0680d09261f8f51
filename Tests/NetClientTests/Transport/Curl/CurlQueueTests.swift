#if os(Linux)
    import NetCore
    import Testing

    @testable import NetClient

    struct CurlQueueTests {
        private let core = CurlCore(configuration: TransportConfiguration())

        /// A reference, since `#expect` takes no calls that change a value.
        private final class Queue {
            private var queue: CurlQueue

            init(_ configuration: TransportConfiguration) {
                queue = CurlQueue(configuration: configuration)
            }

            func submit(_ exchange: CurlExchange) -> Bool { queue.submit(exchange) }
            func release(_ exchange: CurlExchange) { queue.release(exchange) }
            func next() -> CurlExchange? { queue.next() }
        }

        private func queue(connectionsPerHost: Int) -> Queue {
            var configuration = TransportConfiguration()
            configuration.limits.connectionsPerHost = connectionsPerHost
            return Queue(configuration)
        }

        private func exchange(_ host: String, _ priority: RequestPriority = .normal) throws -> CurlExchange {
            var context = RequestContext()
            context.priority = priority
            let url = try #require(URL(string: "http://\(host)/"))
            return try CurlExchange(request: URLRequest(url: url), body: nil, context: context, core: core)
        }

        @Test func servesTheUrgentFirstAndEqualsInOrder() throws {
            let queue = queue(connectionsPerHost: 1)
            let running = try exchange("a")
            #expect(queue.submit(running))
            let waiting = [
                try exchange("a", .low), try exchange("a"), try exchange("a", .high), try exchange("a"),
            ]
            for exchange in waiting { #expect(!queue.submit(exchange)) }
            #expect(queue.next() == nil)
            var last = running
            for index in [2, 1, 3, 0] {
                queue.release(last)
                last = try #require(queue.next())
                #expect(last === waiting[index])
                #expect(queue.next() == nil)
            }
        }

        @Test func aFullHostHoldsUpNoOther() throws {
            let queue = queue(connectionsPerHost: 2)
            let first = [try exchange("a"), try exchange("A:80"), try exchange("a")]
            #expect(first.map { queue.submit($0) } == [true, true, false])
            let others = [try exchange("b"), try exchange("a:81")]
            #expect(others.map { queue.submit($0) } == [true, true])
        }

        @Test func runsNoMoreThanItsLimitOverAllHosts() throws {
            let queue = queue(connectionsPerHost: 8)
            var running: [CurlExchange] = []
            for index in 0..<CurlQueue.limit {
                let exchange = try exchange("host\(index / 8)")
                #expect(queue.submit(exchange))
                running.append(exchange)
            }
            let late = [try exchange("late"), try exchange("later", .high)]
            for exchange in late { #expect(!queue.submit(exchange)) }
            #expect(queue.next() == nil)
            queue.release(running[0])
            #expect(queue.next() === late[1])
            // One that is given up while it waits leaves its place to the next.
            queue.release(late[0])
            queue.release(running[1])
            #expect(queue.next() == nil)
        }

        @Test func skipsWhatWasGivenUp() throws {
            let queue = queue(connectionsPerHost: 1)
            let exchanges = [try exchange("a"), try exchange("a"), try exchange("a")]
            #expect(exchanges.map { queue.submit($0) } == [true, false, false])
            queue.release(exchanges[1])
            queue.release(exchanges[0])
            #expect(queue.next() === exchanges[2])
        }
    }
#endif
