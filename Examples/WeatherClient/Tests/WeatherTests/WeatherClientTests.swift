import NetTesting
import Networking
import Testing
import WeatherAPI
import WeatherStation

/// The client against the stand-in, over real sockets. No test waits: the clock is moved by hand.
struct WeatherClientTests {
    private let day = Date(timeIntervalSince1970: 1_700_000_000)

    /// A station, and a client of it.
    private func withStation(
        key: String = "demo-key", clock: TestClock = TestClock(autoAdvance: true),
        _ body: (WeatherStation, WeatherClient) async throws -> Void
    ) async throws {
        let station = try WeatherStation(date: day)
        let client = WeatherClient(baseURL: station.baseURL, key: key, clock: clock)
        do {
            try await body(station, client)
        } catch {
            await station.stop()
            throw error
        }
        await station.stop()
    }

    @Test func answersAreValues() async throws {
        try await withStation { station, client in
            let now = try await client.conditions(in: "Berlin")
            #expect(
                now == Conditions(city: "Berlin", temperature: 6, summary: "light rain", windSpeed: 18, measuredAt: day)
            )
            let days = try await client.forecast(for: "Berlin", days: 2)
            #expect(days.map(\.high) == [9, 10])
            #expect(days.map(\.date) == [day, day.addingTimeInterval(86_400)])
            #expect(
                station.server.requests.map(\.target) == [
                    "/v1/cities/Berlin/conditions", "/v1/cities/Berlin/forecast?days=2",
                ])
        }
    }

    @Test(arguments: ["Reykjavík", "a/b", "x?y=1", "100 %", "..", ""])
    func theNameOfACityArrivesAsItIs(_ city: String) async throws {
        try await withStation { station, client in
            do {
                let now = try await client.conditions(in: city)
                #expect(now.city == city)
            } catch WeatherError.unknownCity(let unknown) {
                #expect(unknown == city)
            } catch WeatherError.unavailable(let failure) {
                // Would be another resource, and is not sent.
                #expect(failure.cause == .invalidRequest)
                #expect(city == ".." || city.isEmpty)
            }
            for request in station.server.requests {
                let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
                try #require(parts.count == 5)
                #expect(parts[3].removingPercentEncoding == city)
            }
        }
    }

    @Test func errorsAreOfThisApp() async throws {
        try await withStation { _, client in
            let error = await #expect(throws: WeatherError.self) { try await client.conditions(in: "Atlantis") }
            guard case .unknownCity("Atlantis") = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(error?.localizedDescription == "The weather service knows no city that is called “Atlantis”.")
        }
        try await withStation(key: "another") { _, client in
            let error = await #expect(throws: WeatherError.self) { try await client.conditions(in: "Berlin") }
            guard case .badKey = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }

    @Test func whatIsNoWeatherIsAnError() async throws {
        try await withStation { station, client in
            station.server.enqueue(.json(text: #"{"city": "Berlin", "temperature": "warm"}"#))
            let error = await #expect(throws: WeatherError.self) { try await client.conditions(in: "Berlin") }
            guard case .unavailable(let failure) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(failure.kind == .decodingFailed)
        }
    }

    @Test func lostConnectionsAreTriedAgainAndStatusesAreNot() async throws {
        let clock = TestClock(autoAdvance: true)
        try await withStation(clock: clock) { station, client in
            let reset = MockResponse.fault(.reset(.beforeResponse))
            station.server.enqueue(reset, reset, reset)
            let now = try await client.conditions(in: "Berlin")
            #expect(now.city == "Berlin")
            #expect(station.server.requests.count == 4)
            #expect(clock.sleeps == [1, 2, 4])

            station.server.enqueue(.status(500))
            await #expect(throws: WeatherError.self) { try await client.conditions(in: "Lisbon") }
            #expect(station.server.requests.count == 5)
        }
    }

    @Test func aServiceThatIsNotWellGetsARest() async throws {
        let clock = TestClock(now: day)
        try await withStation(clock: clock) { station, client in
            station.server.enqueue(Array(repeating: .status(500), count: 5))
            for _ in 0..<5 {
                await #expect(throws: WeatherError.self) { try await client.conditions(in: "Berlin") }
            }
            let error = await #expect(throws: WeatherError.self) { try await client.conditions(in: "Berlin") }
            guard case .resting(let until) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(until == day.addingTimeInterval(60))
            #expect(station.server.requests.count == 5)

            await clock.advance(by: 60)
            let now = try await client.conditions(in: "Berlin")
            #expect(now.city == "Berlin")
        }
    }

    @Test func whatIsFreshIsNotAskedForAgain() async throws {
        let clock = TestClock(now: Date())
        try await withStation(clock: clock) { station, client in
            for _ in 0..<3 { _ = try await client.conditions(in: "Berlin") }
            #expect(station.server.requests.count == 1)
            await clock.advance(by: 601)
            _ = try await client.conditions(in: "Berlin")
            #expect(station.server.requests.count == 2)
        }
    }
}
