#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Random faults on random operations: no crash, no hang, no short body, nothing done twice.
    ///
    /// `HTTP2_FUZZ_SEEDS=1000-1999` runs these seeds instead of the few that every run has.
    @Suite(.timeLimit(.minutes(60)), .serialized) struct HTTP2FuzzTests {
        /// What a server is to do with a request of that number, and what it did.
        private struct Plan: Sendable {
            var size = 0
            var response = MockResponse.ok
            var isRefusal = false
            var seen = 0
            var mayHaveBegun = 0
        }

        private static let seeds: [UInt64] = {
            guard let text = ProcessInfo.processInfo.environment["HTTP2_FUZZ_SEEDS"] else {
                return Array(1...UInt64(Volume.pick(quick: 2, full: 6)))
            }
            let ends = text.split(separator: "-").compactMap { UInt64($0) }
            return Array((ends.first ?? 1)...(ends.last ?? 1))
        }()

        private static let content = MockResponse.generatedBytes(count: 3_000_000)

        private static let faults: [MockHTTP2Fault] =
            MockHTTP2Fault.resets + MockHTTP2Fault.violations + MockHTTP2Fault.malformedResponses
            + MockHTTP2Fault.harmless
            + [
                .goAway(.noError), .goAway(.internalError), .goAway(.enhanceYourCalm), .close, .resetConnection,
                .missingEnd, .flood(.ping, frames: 200), .flood(.settings, frames: 200),
                .flood(.emptyData, frames: 300), .flood(.windowUpdate, frames: 300), .continuationFlood(frames: 50),
            ]

        private static func plan(_ dice: inout SeededGenerator) -> Plan {
            var plan = Plan()
            plan.size = dice.one(of: [0, 1, 100, 5_000, 65_535, 200_000, 1_500_000])
            var response = plan.size == 0 ? MockResponse.ok : .bytes(count: Int64(plan.size))
            if dice.chance(20) { response = response.delayed(by: Double(dice.below(60)) / 1000) }
            if dice.chance(10), plan.size > 1000 { response = response.throttled(bytesPerSecond: plan.size * 4) }
            if dice.chance(15) { response = response.preceded(by: 103, headers: ["x": "y"]) }
            if dice.chance(15) { response = response.trailers(["x-end": "1"]) }
            if dice.chance(10) { response = response.beforeRequestBody() }
            if dice.chance(5) { response = response.closingConnection() }
            if dice.chance(40) {
                let fault: MockHTTP2Fault =
                    dice.chance(25) ? .reset(dice.one(of: [.refusedStream, .http11Required])) : dice.one(of: faults)
                let point: MockHTTP2Fault.Point = dice.one(of: [
                    .beforeHead, .beforeHead, .afterHead, .afterBody(40), .afterBody(60_000),
                ])
                // As MockServer fills it.
                if plan.size == 0 { (plan.size, response) = (1000, .bytes(count: 1000)) }
                response = response.fault(http2: fault, at: fault == .interim ? .beforeHead : point)
                plan.isRefusal =
                    point == .beforeHead && (fault == .reset(.refusedStream) || fault == .reset(.http11Required))
                if fault == .bodyShorterThanLength, point != .beforeHead { plan.size = -1 }
                // END_STREAM comes early, or more bytes come than the plan says.
                let others: [MockHTTP2Fault] = [
                    .bodyLongerThanLength, .dataAfterEnd, .dataBeyondWindow(.stream), .dataBeyondWindow(.connection),
                ]
                if others.contains(fault) { plan.size = -1 }
            }
            plan.response = response
            return plan
        }

        @Test(arguments: seeds) func randomFaultsCauseNoHangNoShortBodyAndNoRepeat(_ seed: UInt64) async throws {
            var dice = SeededGenerator(state: seed)
            let plans = Locked([Int: Plan]())
            var labs: [HTTP2Lab] = []
            for index in 0..<3 {
                var settings = MockHTTP2Settings(
                    streams: dice.one(of: [1, 2, 5, 100]), window: dice.one(of: [100, 4_000, 65_535, 1_000_000]))
                if dice.chance(30) { settings.goAwayAfter = 1 + dice.below(20) }
                let versions: MockHTTPVersions = index == 2 && dice.chance(30) ? .http1Only : .automatic
                labs.append(
                    try await HTTP2Lab(settings, versions: versions) { request in
                        guard let number = Int(request.path.dropFirst()) else { return .text("fine") }
                        return plans.withLock { plans in
                            guard var plan = plans[number] else { return .text("?") }
                            plan.seen += 1
                            let first = plan.seen == 1
                            if !(first && plan.isRefusal) { plan.mayHaveBegun += 1 }
                            plans[number] = plan
                            return first || !plan.isRefusal
                                ? plan.response : plan.size <= 0 ? .ok : .bytes(count: Int64(plan.size))
                        }
                    })
            }
            let (idle, perHost) = (dice.one(of: [0, 1, 2, 256]), dice.one(of: [1, 2, 4, 32]))
            let (buffer, idleTimeout) = (dice.one(of: [1_000, 30_000, 131_072]), dice.one(of: [1.5, 3]))
            let client = labs[0].client {
                ($0.limits.idleConnections, $0.limits.connectionsPerHost) = (idle, perHost)
                ($0.limits.streamBufferBytes, $0.timeouts.idle) = (buffer, idleTimeout)
            }
            let (problems, endsEarly) = (Locked([String]()), dice.chance(15))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    let plan = Self.plan(&dice)
                    plans.withLock { $0[number] = plan }
                    let (lab, own) = (dice.one(of: labs), SeededGenerator(state: dice.next()))
                    group.addTask {
                        await Self.operate(number, plan, lab, client, own) { text in
                            problems.withLock { $0.append("seed \(seed) number \(number): \(text)") }
                        }
                    }
                }
                var own = SeededGenerator(state: dice.next())
                let (servers, pause) = (labs.map(\.server), own.below(200))
                group.addTask { [own] in
                    var own = own
                    for _ in 0..<own.below(4) {
                        try? await Task.sleep(nanoseconds: UInt64(own.below(150)) * 1_000_000)
                        let server = own.one(of: servers)
                        switch own.below(3) {
                        case 0: server.goAway()
                        case 1: server.closeConnections()
                        default: server.goAway(.internalError)
                        }
                    }
                }
                if endsEarly {
                    group.addTask {
                        try? await Task.sleep(nanoseconds: UInt64(pause) * 1_000_000)
                        await client.shutdown()
                    }
                }
            }
            // One that serves as if nothing had been.
            for lab in labs where !endsEarly {
                var last: (any Error)?
                for _ in 0..<3 {
                    do {
                        if try await client.send("GET", lab.server.url("/fine")).status == 200 { last = nil; break }
                    } catch { last = error }
                }
                if let last { problems.withLock { $0.append("seed \(seed) at the end: \(last)") } }
            }
            await client.shutdown()
            for lab in labs { await lab.server.stop() }
            for (number, plan) in plans.withLock({ $0 }) where plan.mayHaveBegun > 1 && number % 3 == 0 {
                problems.withLock { $0.append("seed \(seed): POST \(number) was done \(plan.mayHaveBegun) times") }
            }
            let found = problems.withLock { $0 }
            #expect(found.isEmpty, "\(found.prefix(10).joined(separator: "\n"))")
        }

        private static func operate(
            _ number: Int, _ plan: Plan, _ lab: HTTP2Lab, _ client: NetworkClient, _ dice: SeededGenerator,
            _ report: @escaping @Sendable (String) -> Void
        ) async {
            var dice = dice
            let (isPost, cancelAfter) = (number % 3 == 0, dice.chance(25) ? dice.below(100) : nil)
            let (readsSlowly, stopsReading) = (dice.chance(20), dice.chance(15))
            let isStreamed = readsSlowly || stopsReading || dice.chance(40)
            let (bodySize, bodyKind) = (dice.one(of: [0, 10, 30_000, 40_000, 300_000]), dice.below(4))
            let (expects, start, bytes) = (dice.chance(15), dice.below(120), content.prefix(bodySize))
            let work = Task {
                try? await Task.sleep(nanoseconds: UInt64(start) * 1_000_000)
                var request = URLRequest(lab.server.url("/\(number)"), isPost ? "POST" : "GET")
                if expects, isPost { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
                var body: HTTPBody?
                if isPost {
                    let chunks = bytes.pieces(of: 10_000)
                    switch bodyKind {
                    case 0, 1: body = HTTPBody(bytes)
                    case 2: body = HTTPBody(length: nil, replaying: { dataStream(chunks) })
                    default:
                        body = HTTPBody(
                            length: Int64(bytes.count),
                            replaying: {
                                let rest = Locked(chunks.makeIterator())
                                return AsyncStream<Data>(unfolding: {
                                    try? await Task.sleep(nanoseconds: 1_000_000)
                                    return rest.withLock { $0.next() }
                                })
                            })
                    }
                }
                let context = RequestContext { $0.delivery = isStreamed ? .streamed : .collected(limit: 4 << 20) }
                let response = try await client.send(request, body: body, context: context)
                var (data, pieces) = (Data(), 0)
                for try await chunk in response.body {
                    data.append(chunk)
                    pieces += 1
                    if readsSlowly, pieces < 30 { try await Task.sleep(nanoseconds: 3_000_000) }
                    if stopsReading, pieces > 2 { return }
                }
                if response.status == 200 {
                    let expected = plan.response.http2Fault == nil && plan.size == 0 ? 0 : plan.size
                    if expected >= 0, data != content.prefix(expected) {
                        report(
                            "\(data.count) bytes instead of \(expected), \(plan.response.http2Fault as Any), "
                                + "\(response.version as Any), trace \(response.retryTrace.retries.count)")
                    }
                }
            }
            let watch = Task {
                try await Task.sleep(nanoseconds: 300_000_000_000)
                report(
                    "hangs: \(plan.response.http2Fault as Any) size \(plan.size) post \(isPost) "
                        + "streamed \(isStreamed) body \(bodySize)/\(bodyKind)")
            }
            if let cancelAfter {
                Task {
                    try? await Task.sleep(nanoseconds: UInt64(start + cancelAfter) * 1_000_000)
                    work.cancel()
                }
            }
            do { try await work.value } catch is CancellationError {} catch {
                let (failure, transport) = (error as? NetworkFailure, error as? TransportError)
                if failure == nil, transport == nil { report("an error of no known kind: \(type(of: error)) \(error)") }
                if (failure?.transportError ?? transport)?.code == .other { report("other: \(error)") }
            }
            watch.cancel()
        }
    }

    extension SeededGenerator {
        fileprivate mutating func below(_ limit: Int) -> Int { next(below: limit) }
        fileprivate mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
        fileprivate mutating func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }
    }
#endif
