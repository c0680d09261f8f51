import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations") struct PendingOperationsQueueTests {
    private let sender = ScriptedSender()
    private let lab: QueueLab
    init() throws { lab = try QueueLab() }

    @Test func operationsAreSentInOrderAndRemoved() async throws {
        let queue = try await lab.open(sender)
        for name in ["a", "b", "c"] { try await queue.add(QueueLab.request(name, body: "body of \(name)")) }
        #expect(await queue.operations.map(\.url.lastPathComponent) == ["a", "b", "c"] && sender.sent.isEmpty)
        let summary = await queue.processAll()
        #expect((summary.succeeded, summary.stop) == (3, nil) && sender.paths == ["a", "b", "c"])
        #expect(sender.sent.map(\.body) == ["a", "b", "c"].map { Data("body of \($0)".utf8) })
        #expect(await queue.operations.isEmpty)
        #expect(await queue.processAll().succeeded == 0)
    }

    @Test func operationsAndIdempotencyKeysSurviveARestart() async throws {
        var added: [PendingOperation] = []
        do {
            let queue = try await lab.open(ScriptedSender(.failure(.noInternetConnection)))
            for name in ["a", "b"] { added.append(try await queue.add(QueueLab.request(name))) }
            #expect(await queue.processAll().stop?.cause == .noInternetConnection)
            await queue.close()
        }
        let queue = try await lab.open(sender)
        #expect(queue.recovery == PendingOperationsQueue.Recovery())
        #expect(await queue.operations.map(\.id) == added.map(\.id))
        #expect(await queue.operations.first?.attempts == 0, "nothing left the device")
        #expect(await queue.operations.first?.lastFailure == "no_internet_connection")
        try await queue.add(QueueLab.request("c"))
        await queue.processAll()
        #expect(sender.paths == ["a", "b", "c"] && sender.sent.prefix(2).map(\.key) == added.map(\.idempotencyKey))
        #expect(Set(sender.sent.map(\.key)).count == 3)
    }

    @Test func callersIdempotencyKeyIsUsed() async throws {
        let queue = try await lab.open(sender)
        var request = try QueueLab.request("a")
        request.setValue("mine", forHTTPHeaderField: "idempotency-key")
        #expect(try await queue.add(request).idempotencyKey == "mine")
        await queue.processAll()
        #expect(sender.sent.first?.key == "mine")
    }

    @Test func retriesUseTheSameIdempotencyKey() async throws {
        let sender = ScriptedSender(.status(503), .failure(.timeout), .status(201))
        let queue = try await lab.open(
            sender, retryPolicy: RetryPolicy(maxRetries: 3, delay: .exponential(base: 1, multiplier: 2, jitter: 0)),
            adding: ["a"])
        #expect(await (queue.processAll().succeeded, lab.clock.sleeps) == (1, [1, 2]))
        #expect((Set(sender.sent.map(\.key)).count, sender.sent.count) == (1, 3))
    }

    @Test func retryAfterIsRespectedWithinItsLimit() async throws {
        let queue = try await lab.open(
            ScriptedSender(.retryAfter(30), .retryAfter(3600)),
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(2)), adding: ["a"])
        #expect(await queue.processAll().stop?.statusCode == 503, "what is too long is for another pass")
        #expect(lab.clock.sleeps == [30])
    }

    @Test(arguments: [
        ScriptedSender.Step.failure(.noInternetConnection), .failure(.networkUnavailable), .failure(.timeout),
        .failure(.circuitOpen(host: "example.com", until: Date())), .failure(.pinningFailed(host: "example.com")),
        .failure(.unsupported("shut down")), .status(500), .status(503), .status(429), .status(408), .status(401),
    ]) func temporaryFailureStopsThePassAndKeepsTheOrder(step: ScriptedSender.Step) async throws {
        let sender = ScriptedSender(step)
        let queue = try await lab.open(sender, adding: ["a", "b"])
        #expect(await queue.processAll().stop != nil)
        #expect(await (sender.paths, queue.operations.map(\.state)) == (["a"], [.waiting, .waiting]))
        await queue.processAll()
        #expect(sender.paths == ["a", "a", "b"])
    }

    @Test(arguments: [400, 403, 404, 410, 422, 304, 501])
    func refusedOperationIsKeptAsFailed(status: Int) async throws {
        let sender = ScriptedSender(.status(status))
        let queue = try await lab.open(sender, retryPolicy: RetryPolicy(maxRetries: 3))
        let operation = try await queue.add(QueueLab.request("a"))
        try await queue.add(QueueLab.request("b"))
        let summary = await queue.processAll()
        #expect((summary.failed, summary.succeeded) == (1, 1) && sender.paths == ["a", "b"])
        let left = await queue.operations
        #expect((left.map(\.state), left.first?.lastStatusCode) == ([.failed], status))
        await queue.processAll()
        #expect(sender.sent.count == 2, "a failed one is not sent again")
        try await queue.retry(operation.id)
        await queue.processAll()
        #expect(sender.paths == ["a", "b", "a"] && sender.sent.first?.key == sender.sent.last?.key)
        #expect(await queue.operations.isEmpty)
    }

    @Test func attemptLimitFailsTheOperation() async throws {
        let sender = ScriptedSender(.status(500), .failure(.noInternetConnection), .status(500), .status(500))
        let queue = try await lab.open(sender, attemptLimit: 3, adding: ["a", "b"])
        #expect(await queue.processAll().stop != nil)
        #expect(await queue.processAll().stop?.cause == .noInternetConnection, "does not count")
        #expect(await (queue.processAll().stop?.statusCode, queue.operations.first?.state) == (500, .waiting))
        #expect(await (queue.processAll().failed, sender.paths) == (1, ["a", "a", "a", "a", "b"]))
    }

    @Test func expiredOperationIsDropped() async throws {
        let queue = try await lab.open(sender)
        try await queue.add(QueueLab.request("a"), expiresIn: 60)
        try await queue.add(QueueLab.request("b"), expiresIn: 61)
        await lab.clock.advance(by: 60)
        let events = EventRecorder(queue)
        #expect(await (queue.processAll().dropped, sender.paths) == (1, ["b"]))
        #expect(await queue.operations.isEmpty)
        #expect(try await events.wait(for: 1).first == "a expired waiting")
    }

    /// JSON has no infinity and no NaN.
    @Test(arguments: [(TimeInterval.infinity, 0), (.nan, 0), (-TimeInterval.infinity, 1), (-60.0, 1), (0.0, 1)])
    func infiniteLifetimeNeverEndsAndNegativeOneEndsAtOnce(lifetime: TimeInterval, dropped: Int) async throws {
        let operation = try await lab.open(sender).add(QueueLab.request("a"), expiresIn: lifetime)
        let queue = try await lab.open(sender)
        if dropped == 0 { #expect(await queue.operations.map(\.id) == [operation.id] && operation.expiresAt == nil) }
        let summary = await queue.processAll()
        #expect((summary.dropped, summary.succeeded, sender.sent.count) == (dropped, 1 - dropped, 1 - dropped))
    }

    @Test func operationExpiresDuringARetryDelay() async throws {
        let sender = ScriptedSender(.status(503))
        let queue = try await lab.open(sender, retryPolicy: RetryPolicy(maxRetries: 3, delay: .fixed(100)))
        try await queue.add(QueueLab.request("a"), expiresIn: 60)
        #expect(await (queue.processAll().dropped, sender.sent.count) == (1, 1))
    }

    @Test func removedOperationsAreNotSent() async throws {
        do {
            let queue = try await lab.open(sender)
            let operation = try await queue.add(QueueLab.request("a"))
            try await queue.add(QueueLab.request("b"))
            try await queue.remove(operation.id)
            try await queue.remove(operation.id)
            #expect(await queue.operations.count == 1)
        }
        try await lab.open(sender).processAll()
        #expect(sender.paths == ["b"])
    }

    @Test func eventsReportEachChange() async throws {
        let queue = try await lab.open(ScriptedSender(.status(404), .status(200)))
        let events = EventRecorder(queue)
        try await queue.add(QueueLab.request("a"))
        let second = try await queue.add(QueueLab.request("b"))
        await queue.processAll()
        try await queue.remove(try #require(await queue.operations.first).id)
        #expect(
            try await events.wait(for: 7) == [
                "a added waiting", "b added waiting", "a started sending", "a failed request_failed failed",
                "b started sending", "b succeeded 200 status 200 sending", "a removed failed",
            ])
        #expect(second.state == .waiting)
    }

    @Test func eventsEndWithTheQueue() async throws {
        let events = try await lab.open(ScriptedSender()).events
        for await _ in events {}
    }

    @Test func truncatedBodyAfterA201IsASuccess() async throws {
        let lost = TransportError(.connectionLost, phase: .receivingBody, message: "gone")
        let broken = HTTPBody(pulling: { throw lost })
        #expect(try await lab.open(ScriptedSender(.body(201, broken)), adding: ["a"]).processAll().succeeded == 1)
    }

    @Test func concurrentPassesSendEachOperationOnce() async throws {
        let queue = try await lab.open(sender)
        for number in 0..<20 { try await queue.add(QueueLab.request("\(number)")) }
        await withTaskGroup(of: Void.self) { group in for _ in 0..<4 { group.addTask { await queue.processAll() } } }
        #expect(sender.paths == (0..<20).map { "\($0)" })
    }

    @Test(arguments: [409, 412]) func conflictIsKeptByDefault(status: Int) async throws {
        let sender = ScriptedSender(.status(status))
        do {
            let queue = try await lab.open(sender, adding: ["a", "b"])
            #expect(await (queue.processAll().succeeded, sender.paths) == (1, ["a", "b"]))
            await queue.close()
        }
        let queue = try await lab.open(sender)
        let kept = try #require(await queue.operations.first)
        #expect((kept.state, kept.lastStatusCode) == (.conflicted, status))
        #expect(await queue.processAll().succeeded == 1, "it is sent again")
    }

    @Test func conflictCanBeDropped() async throws {
        let seen = Locked<[String]>([])
        let queue = try await lab.open(ScriptedSender(.status(412)), adding: ["a"]) { conflict in
            let body = String(decoding: conflict.body, as: UTF8.self)
            seen.withLock { $0.append("\(conflict.statusCode) \(conflict.headers["ETag"] ?? "") \(body)") }
            return .drop
        }
        #expect(await queue.processAll().dropped == 1 && seen.withLock { $0 } == ["412 \"7\" status 412"])
        #expect(await queue.operations.isEmpty)
    }

    @Test func replacementIsSentWithANewIdempotencyKey() async throws {
        let sender = ScriptedSender(.status(409), .failure(.noInternetConnection))
        do {
            let queue = try await lab.open(sender, adding: ["a"]) { conflict in
                var request = conflict.operation.urlRequest
                request.setValue(conflict.headers["ETag"], forHTTPHeaderField: "If-Match")
                request.httpBody = Data("merged".utf8)
                return .replace(request)
            }
            #expect(await queue.processAll().stop?.cause == .noInternetConnection)
            await queue.close()
        }
        try await lab.open(sender).processAll()
        #expect(sender.sent.map(\.body) == ["body", "merged", "merged"].map { Data($0.utf8) })
        #expect(sender.sent.last?.request.value(forHTTPHeaderField: "If-Match") == "\"7\"")
        #expect(sender.sent[0].key != sender.sent[1].key && sender.sent[1].key == sender.sent[2].key)
    }

    @Test func repeatedConflictIsKept() async throws {
        let sender = ScriptedSender(.status(409), .status(409), .status(409), .status(409), .status(409))
        let queue = try await lab.open(sender, adding: ["a"]) { .replace($0.operation.urlRequest) }
        await queue.processAll()
        #expect(sender.sent.count == 4)
        #expect(Set(sender.sent.map(\.key)).count == 4, "another request has another key, whatever the caller copied")
        #expect(await queue.operations.map(\.state) == [.conflicted])
    }

    @Test func invalidReplacementFails() async throws {
        let queue = try await lab.open(ScriptedSender(.status(409)), adding: ["a"]) { _ in
            .replace(URLRequest(url: URL(fileURLWithPath: "/")))
        }
        #expect(await (queue.processAll().failed, queue.operations.map(\.state)) == (1, [.failed]))
    }
}
