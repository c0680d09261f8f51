import NetSecurity
import NetTesting
import TestLab
import Testing

@Suite struct SessionProviderTests {
    private let clock = TestClock()
    private let storage = MoodyStorage()
    private let sessions: SessionProvider
    init() { sessions = SessionProvider(storage: storage, clock: clock) }

    private func session(
        _ userID: String = "u", token: String = "a", refreshToken: String? = nil, endsIn seconds: TimeInterval? = 3600
    ) -> Session {
        Session(
            userID: userID, accessToken: token, refreshToken: refreshToken,
            expiration: seconds.map { clock.now.addingTimeInterval($0) })
    }

    @Test func keepsTheSessionsOfSeveralUsers() {
        let sessions = InMemorySessionProvider(clock: clock)
        sessions.setSession(session("ada"))
        sessions.setSession(session("bob", token: "b"))
        sessions.setSession(session("ada", token: "newer"))
        #expect(sessions.getSession(for: "ada")?.accessToken == "newer")
        #expect(sessions.getSession(for: "bob")?.accessToken == "b" && sessions.getSession(for: "eve") == nil)
        sessions.removeSession(for: "ada")
        #expect(sessions.getSession(for: "ada") == nil && sessions.getSession(for: "bob") != nil)
        sessions.setSession(session("ada"))
        sessions.clearAll()
        #expect(sessions.getSession(for: "ada") == nil && sessions.getSession(for: "bob") == nil)
    }

    @Test func expiredSessionIsPurged() async throws {
        sessions.setSession(session(endsIn: 10))
        await clock.advance(by: 9)
        #expect(sessions.getSession(for: "u") != nil)
        await clock.advance(by: 1)
        #expect(try sessions.getSession(for: "u") == nil && storage.data(for: "u") == nil)
        #expect(try sessions.storedSession(for: "u") == nil)
    }

    @Test func expiredSessionWithARefreshTokenIsKept() async throws {
        sessions.setSession(session(refreshToken: "r", endsIn: 10))
        await clock.advance(by: 7200)
        #expect(try sessions.getSession(for: "u") == nil && storage.data(for: "u") != nil)
        #expect(try sessions.storedSession(for: "u")?.refreshToken == "r")
    }

    @Test func unavailableStorageIsNotAnAbsentSession() throws {
        let failures = Locked<[SessionStorageError]>([])
        let sessions = SessionProvider(storage: storage, clock: clock) { error in failures.withLock { $0.append(error) }
        }
        try sessions.store(session(endsIn: -1))
        storage.mood = .unavailable("locked")
        let error = SessionStorageError.unavailable("locked")
        #expect(throws: error) { try sessions.storedSession(for: "u") }
        #expect(throws: error) { try sessions.store(session(token: "x")) }
        #expect(throws: error) { try sessions.remove(for: "u") }
        #expect(throws: error) { try sessions.removeAll() }
        #expect(failures.withLock(\.count) == 0, "throwing calls report nothing")
        #expect(sessions.getSession(for: "u") == nil)
        sessions.setSession(session(token: "x"))
        sessions.removeSession(for: "u")
        sessions.clearAll()
        #expect(failures.withLock { $0 } == [error, error, error, error])
        storage.mood = nil
        #expect(storage.removals == 0, "nothing was purged meanwhile")
        #expect(try storage.data(for: "u") != nil)
    }

    @Test func errorOfACustomStorageIsUnavailable() {
        struct Odd: Error {}
        storage.mood = Odd()
        let error = #expect(throws: SessionStorageError.self) { try sessions.storedSession(for: "u") }
        #expect(error?.code == "storage_unavailable")
    }

    @Test(arguments: ["", "{}", "nonsense", #"{"userID":"somebody else","accessToken":"S3CR3T"}"#])
    func malformedSessionIsUnreadable(stored: String) throws {
        try storage.store(Data(stored.utf8), for: "u")
        let error = try #require(throws: SessionStorageError.self) { try sessions.storedSession(for: "u") }
        #expect(error.code == "storage_unreadable" && !"\(error)".contains("S3CR3T"))
        try sessions.store(session())
        #expect(try sessions.storedSession(for: "u") != nil)
    }

    @Test func copiesInMemoryAreOptIn() throws {
        let copying = SessionProvider(storage: storage, keepsCopies: true, clock: clock)
        try copying.store(session())
        for _ in 0..<3 { _ = sessions.getSession(for: "u") }
        #expect(storage.reads == 3)
        for _ in 0..<3 { #expect(copying.getSession(for: "u") != nil) }
        #expect(storage.reads == 3)
        storage.mood = .unavailable("locked")
        #expect(copying.getSession(for: "u") != nil)
        storage.mood = nil
        try copying.remove(for: "u")
        #expect(copying.getSession(for: "u") == nil)
    }

    @Test func failedStoreKeepsNoCopy() throws {
        let copying = SessionProvider(storage: storage, keepsCopies: true, clock: clock)
        storage.mood = .unavailable("full")
        #expect(throws: SessionStorageError.self) { try copying.store(session()) }
        storage.mood = nil
        #expect(try copying.storedSession(for: "u") == nil)
    }

    /// Seed 000, Session Management 6, as a user would write it.
    @Test func subclassOfSessionProviderOverridesEveryAccess() throws {
        let sessions: SessionProvider = SeedProvider(storage: MoodyStorage())
        try sessions.store(session(endsIn: -1))
        #expect(try sessions.getSession(for: "u") != nil && sessions.storedSession(for: "u")?.accessToken == "a")
        try sessions.remove(for: "u")
        #expect(try sessions.storedSession(for: "u") == nil)
    }

    @Test func concurrentReadersSeeWholeSessions() async throws {
        let sessions = InMemorySessionProvider()
        _ = try await atOnce(200) { number in
            sessions.setSession(Session(userID: "u", accessToken: "\(number)", refreshToken: "\(number)"))
            let seen = try #require(sessions.getSession(for: "u"))
            #expect(seen.accessToken == seen.refreshToken)
        }
    }

    @Test(
        arguments: [
            (-1, true, true), (0, true, true), (0.001, false, true), (299, false, true), (300, false, true),
            (300.5, false, false), (3600, false, false), (nil, false, false),
        ] as [(TimeInterval?, Bool, Bool)])
    func sessionShouldBeRefreshedFiveMinutesAhead(seconds: TimeInterval?, isExpired: Bool, shouldRefresh: Bool) {
        let (with, without) = (session(refreshToken: "r", endsIn: seconds), session(endsIn: seconds))
        #expect(with.isExpired(at: clock.now) == isExpired && without.isExpired(at: clock.now) == isExpired)
        #expect(with.shouldRefresh(at: clock.now) == shouldRefresh && !without.shouldRefresh(at: clock.now))
    }

    @Test func systemClockIsTheDefault() {
        var session = session(refreshToken: "r", endsIn: nil)
        #expect(!session.isExpired && !session.isExpired(at: .distantFuture))
        #expect(!session.shouldRefresh && !session.shouldRefresh(at: .distantFuture))
        session.expiration = .distantPast
        #expect(session.isExpired && session.shouldRefresh)
        session.expiration = .distantFuture
        #expect(!session.isExpired && !session.shouldRefresh)
    }

    @Test func codableRoundTrip() throws {
        let original = session(refreshToken: "r", endsIn: 60)
        #expect(try JSONDecoder().decode(Session.self, from: JSONEncoder().encode(original)) == original)
        let least = try JSONDecoder().decode(Session.self, from: Data(#"{"userID":"u","accessToken":"a"}"#.utf8))
        #expect(least == Session(userID: "u", accessToken: "a"))
    }

    @Test func descriptionNamesUserAndExpiration() {
        let end = Date(timeIntervalSince1970: 1_700_000_000)
        let session = Session(userID: "alice", accessToken: "a", refreshToken: "r", expiration: end)
        #expect("\(session)" == "Session(user alice, expires 2023-11-14T22:13:20Z, refreshable)")
    }
}

/// The seed's own, with what Swift 6 asks for.
private final class SeedProvider: SessionProvider, @unchecked Sendable {
    private var store: [String: Session] = [:]
    override func setSession(_ s: Session) { store[s.userID] = s }
    override func getSession(for id: String) -> Session? { store[id] }
    override func removeSession(for id: String) { store[id] = nil }
    override func clearAll() { store.removeAll() }
}

/// A storage that fails when it is told to.
final class MoodyStorage: SessionStorage {
    private let memory = InMemorySessionStorage()
    private let state = Locked((mood: (any Error)?.none, reads: 0, removals: 0))

    var mood: (any Error)? {
        get { state.withLock { $0.mood } }
        set { state.withLock { $0.mood = newValue } }
    }
    var reads: Int { state.withLock { $0.reads } }
    var removals: Int { state.withLock { $0.removals } }
    private func check() throws { if let mood { throw mood } }

    func data(for userID: String) throws -> Data? {
        try check()
        state.withLock { $0.reads += 1 }
        return memory.data(for: userID)
    }

    func store(_ data: Data, for userID: String) throws {
        try check()
        memory.store(data, for: userID)
    }

    func remove(for userID: String) throws {
        try check()
        state.withLock { $0.removals += 1 }
        memory.remove(for: userID)
    }

    func removeAll() throws {
        try check()
        memory.removeAll()
    }
}

extension (any Error)? {
    static func unavailable(_ text: String) -> (any Error)? { SessionStorageError.unavailable(text) }
}
