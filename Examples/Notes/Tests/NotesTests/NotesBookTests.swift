import NetCache
import NetClient
import NetTesting
import NotesBook
import NotesServer
import Testing

/// A server, a switch for the network, and a folder.
private struct Lab {
    let server: NotesServer
    let flightMode = FlightMode()
    let folder: URL
    let clock = TestClock(autoAdvance: true)

    static func run(_ body: (Lab) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lab = Lab(server: try NotesServer(), folder: folder)
        do {
            try await body(lab)
        } catch {
            await lab.server.stop()
            throw error
        }
        await lab.server.stop()
    }

    /// The book, as an app opens it at its start.
    func open() async throws -> NotesBook {
        try await NotesBook(folder: folder, client: .of(server, flightMode, clock: clock))
    }
}

/// A note with a date of its own, so that the order is known.
private func note(_ text: String, _ minute: Int) -> Note {
    Note(text, changedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(minute) * 60))
}

struct NotesBookTests {
    @Test func whatWasReadOnlineIsThereOffline() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            for note in [note("milk", 0), note("bread", 1)] { try await book.save(note) }
            await book.sync()
            let online = try await book.page()
            #expect(online.notes.map(\.text) == ["milk", "bread"])
            #expect(online.isUpToDate)
            #expect(online.waiting == 0)

            lab.flightMode.set(true)
            let sent = lab.server.server.requests.count
            let offline = try await book.page()
            #expect(offline.notes == online.notes)
            #expect(!offline.isUpToDate)
            #expect(lab.server.server.requests.count == sent)
        }
    }

    @Test func changesShowAtOnceAndAreSentInTheirOrder() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            let milk = note("milk", 0)
            try await book.save(milk)
            await book.sync()

            lab.flightMode.set(true)
            var bread = note("bread", 1)
            try await book.save(bread)
            try await book.delete(milk.id)
            bread.text = "rye bread"
            try await book.save(bread)
            let summary = await book.sync()
            #expect(summary.stop?.cause == .noInternetConnection)
            let page = try await book.page()
            #expect(page.notes.map(\.text) == ["rye bread"])
            #expect(page.waiting == 3)
            #expect(await lab.server.history == ["+milk"])

            lab.flightMode.set(false)
            await book.sync()
            #expect(await lab.server.history == ["+milk", "+bread", "-milk", "+rye bread"])
            let after = try await book.page()
            #expect(after.notes == [bread])
            #expect(after.waiting == 0)
        }
    }

    @Test func whatWaitsIsLaidOverWhatTheServerSays() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            let milk = note("milk", 0)
            try await book.save(milk)
            await book.sync()
            try await book.save(note("bread", 1))
            try await book.delete(milk.id)
            // The server has been asked, and knows of neither.
            let page = try await book.page()
            #expect(page.isUpToDate)
            #expect(page.waiting == 2)
            #expect(page.notes.map(\.text) == ["bread"])
        }
    }

    @Test func aRestartLosesNothing() async throws {
        try await Lab.run { lab in
            lab.flightMode.set(true)
            do {
                let book = try await lab.open()
                try await book.save(note("milk", 0))
                try await book.save(note("bread", 1))
            }
            let book = try await lab.open()
            let page = try await book.page()
            #expect(page.notes.map(\.text) == ["milk", "bread"])
            #expect(page.waiting == 2)

            lab.flightMode.set(false)
            await book.sync()
            #expect(await lab.server.notes == page.notes)
        }
    }

    @Test func aNoteThatWasSentIsStillThereWhenTheNetworkIsGoneAgain() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            _ = try await book.page()
            try await book.save(note("milk", 0))
            await book.sync()
            // Nobody has asked the server since.
            lab.flightMode.set(true)
            let page = try await book.page()
            #expect(page.notes.map(\.text) == ["milk"])
            #expect(page.waiting == 0)
        }
    }

    @Test func aChangeWhoseAnswerWasLostIsDoneOnce() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            try await book.save(note("milk", 0))
            await lab.server.loseNextAnswer()
            await book.sync()
            let keys = lab.server.server.requests.filter { $0.method == .put }
                .compactMap { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2)
            #expect(keys.first == keys.last)
            #expect(await lab.server.history == ["+milk"])
        }
    }

    @Test func whatTheServerRefusesHoldsUpNothing() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            try await book.save(note("", 0))
            try await book.save(note("bread", 1))
            let summary = await book.sync()
            #expect(summary.succeeded == 1)
            #expect(summary.failed == 1)
            let page = try await book.page()
            #expect(page.notes.map(\.text) == ["bread"])
            let refused = try #require(page.refused.first)
            #expect(refused.lastStatusCode == 422)
            try await book.discard(refused)
            #expect(try await book.page().refused.isEmpty)
        }
    }

    @Test func aServerThatIsNotWellIsAsGoodAsNone() async throws {
        try await Lab.run { lab in
            let book = try await lab.open()
            try await book.save(note("milk", 0))
            await book.sync()
            lab.server.server.enqueue(.status(503))
            let page = try await book.page()
            #expect(page.notes.map(\.text) == ["milk"])
            #expect(!page.isUpToDate)
        }
    }

    @Test func withoutAnythingHereAndOutOfReachItIsAnError() async throws {
        try await Lab.run { lab in
            lab.flightMode.set(true)
            let book = try await lab.open()
            let failure = await #expect(throws: NetworkFailure.self) { try await book.page() }
            #expect(failure?.cause == .noInternetConnection)
        }
    }

    @Test func itSendsByItselfWhenTheNetworkIsBack() async throws {
        try await Lab.run { lab in
            lab.flightMode.set(true)
            let book = try await lab.open()
            let sync = Task { await book.keepInSync(monitor: lab.flightMode) }
            try await book.save(note("milk", 0))
            lab.flightMode.set(false)
            let first = try await lab.server.server.takeRequest()
            #expect(first.method == .put)
            try await book.save(note("bread", 1))
            let second = try await lab.server.server.takeRequest()
            #expect(second.bodyText.contains("bread"))
            sync.cancel()
            await sync.value
        }
    }
}
