import Testing

@testable import NetCache

@Suite("Pending operations: conflicts") struct PendingConflictTests {
    private let lab: QueueLab
    init() throws { lab = try QueueLab() }

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
