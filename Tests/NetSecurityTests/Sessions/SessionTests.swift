import NetSecurity
import Testing

@Suite struct SessionTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func session(refreshToken: String? = "r", endsIn seconds: TimeInterval?) -> Session {
        Session(
            userID: "u", accessToken: "a", refreshToken: refreshToken,
            expiration: seconds.map { now.addingTimeInterval($0) })
    }

    @Test func expiresAtItsExpiration() {
        #expect([-1, 0, 0.001, 3600].map { session(endsIn: $0).isExpired(at: now) } == [true, true, false, false])
    }

    @Test func shouldBeRefreshedFiveMinutesAhead() {
        let seconds: [TimeInterval] = [-1, 0, 299, 300, 300.5]
        #expect(seconds.map { session(endsIn: $0).shouldRefresh(at: now) } == [true, true, true, true, false])
        #expect(!session(refreshToken: nil, endsIn: -1).shouldRefresh(at: now))
    }

    @Test func neverExpiresWithoutAnExpiration() {
        let endless = session(endsIn: nil)
        #expect(!endless.isExpired)
        #expect(!endless.isExpired(at: .distantFuture) && !endless.shouldRefresh(at: .distantFuture))
    }

    @Test func systemClockIsTheDefault() {
        var session = session(endsIn: nil)
        session.expiration = .distantPast
        #expect(session.isExpired && session.shouldRefresh)
        session.expiration = .distantFuture
        #expect(!session.isExpired && !session.shouldRefresh)
    }

    @Test func codableRoundTrip() throws {
        let original = session(endsIn: 60)
        #expect(try JSONDecoder().decode(Session.self, from: JSONEncoder().encode(original)) == original)
        let least = try JSONDecoder().decode(Session.self, from: Data(#"{"userID":"u","accessToken":"a"}"#.utf8))
        #expect(least == Session(userID: "u", accessToken: "a"))
    }

    @Test func equalityAndHash() {
        let one = session(endsIn: 1)
        var other = one
        #expect((other, other.hashValue) == (one, one.hashValue))
        other.accessToken = "b"
        #expect(other != one)
    }

    @Test func descriptionNamesUserAndExpiration() {
        let session = Session(userID: "alice", accessToken: "a", refreshToken: "r", expiration: now)
        #expect("\(session)" == "Session(user alice, expires 2023-11-14T22:13:20Z, refreshable)")
    }
}
