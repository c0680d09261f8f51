import NetSecurity
import Testing

@Suite struct SessionTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func session(refreshToken: String? = "r", endsIn seconds: TimeInterval?) -> Session {
        Session(
            userID: "u", accessToken: "a", refreshToken: refreshToken,
            expiration: seconds.map { now.addingTimeInterval($0) })
    }

    @Test(arguments: [(-1, true), (0, true), (0.001, false), (3600, false)] as [(TimeInterval, Bool)])
    func expiresAtItsEnd(seconds: TimeInterval, isExpired: Bool) {
        #expect(session(endsIn: seconds).isExpired(at: now) == isExpired)
    }

    @Test(arguments: [(-1, true), (0, true), (299, true), (300, true), (300.5, false)] as [(TimeInterval, Bool)])
    func shouldBeRefreshedFiveMinutesAhead(seconds: TimeInterval, shouldRefresh: Bool) {
        #expect(session(endsIn: seconds).shouldRefresh(at: now) == shouldRefresh)
    }

    @Test func withoutAnEndItNeverExpires() {
        let endless = session(endsIn: nil)
        #expect(!endless.isExpired)
        #expect(!endless.isExpired(at: .distantFuture))
        #expect(!endless.shouldRefresh(at: .distantFuture))
    }

    @Test func withoutARefreshTokenThereIsNothingToRefresh() {
        #expect(!session(refreshToken: nil, endsIn: -1).shouldRefresh(at: now))
    }

    @Test func theSystemsClockIsTheDefault() {
        var session = session(endsIn: nil)
        session.expiration = .distantPast
        #expect(session.isExpired)
        #expect(session.shouldRefresh)
        session.expiration = .distantFuture
        #expect(!session.isExpired)
        #expect(!session.shouldRefresh)
    }

    @Test func comesBackFromJSON() throws {
        let original = session(endsIn: 60)
        let data = try JSONEncoder().encode(original)
        #expect(try JSONDecoder().decode(Session.self, from: data) == original)
        let least = try JSONDecoder().decode(Session.self, from: Data(#"{"userID":"u","accessToken":"a"}"#.utf8))
        #expect(least == Session(userID: "u", accessToken: "a"))
    }

    @Test func isAValue() {
        let one = session(endsIn: 1)
        var other = one
        #expect(other == one)
        #expect(other.hashValue == one.hashValue)
        other.accessToken = "b"
        #expect(other != one)
    }

    @Test func theDescriptionNamesUserAndEnd() {
        let session = Session(userID: "alice", accessToken: "a", refreshToken: "r", expiration: now)
        #expect("\(session)" == "Session(user alice, expires 2023-11-14T22:13:20Z, refreshable)")
    }
}
